// fuzz_data_seeds FOLDER: writes the inputs to start from, a folder a target, and says how long
// those may be: "NAME BYTES" a line.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "data_target.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc < 2) return 2;
  for (const auto& target : tilescope::fuzz::data_targets()) {
    const fs::path folder = fs::path(argv[1]) / target.name;
    fs::create_directories(folder);
    int number = 0;
    for (const std::string& seed : target.seeds()) {
      std::ofstream(folder / std::to_string(number++), std::ios::binary) << seed;
    }
    std::printf("%s %zu\n", target.name, target.longest);
  }
}
