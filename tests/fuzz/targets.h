// What the fuzzers call on each input; so does the replay of the corpus in the ordinary tests.
#pragma once
#include <string>
#include <string_view>

namespace tilescope::emulator::fuzz {

/// Any bytes, parsed. All that the parser tells of a program is asked for.
void parse_input(std::string_view bytes);

/// `// ` and twelve hexadecimal digits (Header), a line's end, then PTX: a module if it has a
/// `.version`, else the body of an entry whose registers, variables and labels are there already.
/// Each entry is run under limits, and all that the run tells is read.
void run_input(std::string_view bytes);

/// How a run is launched, from the first line: two digits a field.
struct Header {
  unsigned watch = 0;   // checks, trace, provenance, remarks, …: see targets.cpp
  unsigned block = 0;   // which block, grid and cluster
  unsigned shared = 0;  // dynamic shared memory
  unsigned parameter = 0;
  unsigned until = 0;  // step at which provenance stops
  unsigned seed = 0;   // of the buffers' contents
};
inline constexpr size_t kHeaderFields = 6;
/// Takes the first line off `text`, if it is one.
Header take_header(std::string_view& text);

/// The body of an entry as a whole module.
std::string frame(std::string_view body);
inline constexpr int kLabels = 6;  // L0 … L5: those that a body does not place stand at its end

}  // namespace tilescope::emulator::fuzz
