#include "worker/engine/compile/revision.h"

#include "worker/engine/compile/hash.h"

namespace tilescope::worker {
namespace {

std::string_view without_comment(std::string_view line) {
  const size_t comment = line.find("//");
  if (comment != line.npos) line = line.substr(0, comment);
  const size_t first = line.find_first_not_of(" \t\r");
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

bool starts_with_word(std::string_view line, std::string_view word) {
  return line.starts_with(word) &&
         (line.size() == word.size() || line[word.size()] == ' ' || line[word.size()] == '\t');
}

bool is_debug_label(std::string_view line) {
  return line.ends_with(":") &&
         (line.starts_with("$L__tmp") || line.starts_with("$L__func_begin") ||
          line.starts_with("$L__func_end") || line.starts_with("$L__info_string"));
}

/// A variable of the module that nothing mentions: NVRTC writes each namespace-scope constant down,
/// folded away or not.
bool is_unused_constant(std::string_view line, std::string_view ptx) {
  if (!starts_with_word(line, ".global")) return false;
  const size_t end = line.find_first_of("[=;");
  std::string_view name = line.substr(0, end);
  name = name.substr(0, name.find_last_not_of(" \t") + 1);
  name = name.substr(name.find_last_of(" \t") + 1);
  const size_t first = ptx.find(name);
  return first != ptx.npos && ptx.find(name, first + name.size()) == ptx.npos;
}

}  // namespace

std::string normalized_ptx(std::string_view ptx) {
  const std::string_view all = ptx;
  std::string out;
  bool in_section = false;
  while (!ptx.empty()) {
    const size_t end = ptx.find('\n');
    const std::string_view line = without_comment(ptx.substr(0, end));
    ptx = end == ptx.npos ? std::string_view() : ptx.substr(end + 1);
    if (in_section) {
      in_section = !line.starts_with("}");
      continue;
    }
    if (starts_with_word(line, ".section")) {
      in_section = true;
      continue;
    }
    if (line.empty() || is_debug_label(line) || is_unused_constant(line, all)) continue;
    bool skipped = false;
    for (const char* word : {".loc", ".file", ".version", ".target", ".address_size"}) {
      skipped = skipped || starts_with_word(line, word);
    }
    if (skipped) continue;
    out.append(line).push_back('\n');
  }
  return out;
}

std::string ptx_revision(std::string_view ptx) { return Hash().add(normalized_ptx(ptx)).hex(); }

}  // namespace tilescope::worker
