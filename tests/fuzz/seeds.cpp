// fuzz_seeds FOLDER: writes the dictionary, and the inputs to start from.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "instruction_source.h"
#include "seed_inputs.h"

namespace fs = std::filesystem;
using namespace tilescope::emulator;

namespace {

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const fs::path folder = argv[1];
  std::string dictionary;
  for (const std::string& word : fuzz::words()) dictionary += "\"" + word + "\"\n";
  write(folder / "dictionary.txt", dictionary);
  const auto parse = fuzz::parse_seeds(TILESCOPE_TEST_KERNELS),
             run = fuzz::run_seeds(TILESCOPE_TEST_KERNELS);
  for (const fuzz::Seed& seed : parse) write(folder / "parse" / seed.name, seed.text);
  for (const fuzz::Seed& seed : run) write(folder / "run" / seed.name, seed.text);
  std::printf("%u rows, %zu inputs\n", active_rows().count, parse.size() + run.size());
}
