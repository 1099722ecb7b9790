// What the fuzzers start from, and what the ordinary tests replay beside their corpus: the
// fixtures' kernels, and each row of the table a few times. The same whenever it is asked.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tilescope::emulator::fuzz {

struct Seed {
  std::string name, text;
};
/// Of the parser's target: texts of modules. `kernels`: a folder of PTX files.
std::vector<Seed> parse_seeds(const std::filesystem::path& kernels);
/// Of the runs': with the line that says how to run it (targets.h).
std::vector<Seed> run_seeds(const std::filesystem::path& kernels);

}  // namespace tilescope::emulator::fuzz
