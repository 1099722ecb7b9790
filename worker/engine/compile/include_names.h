// What a text includes, in whatever way that is written.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tilescope::worker {

struct NamedInclude {
  enum class Form : unsigned char {
    quoted,   // "name"
    angled,   // <name>
    computed  // anything else, for a macro to make a name of
  } form{};
  std::string name;  // computed: the words that stand there
};

/// Of each #include (and #import, #embed), and of each place that asks whether a header is there
/// (__has_include), in order. It is meant to miss none that a compiler finds: joined lines,
/// comments on the way, %: for #, names between angles. So it takes too many rather than too few:
/// those within #if 0, and within comments and raw strings where a line begins like one.
std::vector<NamedInclude> include_names(std::string_view text);

}  // namespace tilescope::worker
