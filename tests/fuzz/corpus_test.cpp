// Replays what the fuzzers have kept, with the ordinary build: no crash, no hang, no contradiction.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "emulator/compile/row.h"
#include "seed_inputs.h"
#include "targets.h"

namespace tilescope::emulator::fuzz {
namespace {

void replay(const char* target, void (*one_input)(std::string_view)) {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path(TILESCOPE_FUZZ_CORPUS) / target;
  for (const auto& file : std::filesystem::directory_iterator(folder)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  ASSERT_GT(files.size(), 50u) << folder;
  for (const auto& path : files) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    SCOPED_TRACE(path.filename().string());
    EXPECT_NO_THROW(one_input(text));
  }
}

// What the corpus does not hold a second time: it has only what reaches code beyond the seeds.
void replay(const std::vector<Seed>& seeds, void (*one_input)(std::string_view)) {
  for (const Seed& seed : seeds) {
    SCOPED_TRACE(seed.name);
    EXPECT_NO_THROW(one_input(seed.text));
  }
}

TEST(FuzzSeeds, Parse) {
  const auto seeds = parse_seeds(TILESCOPE_TEST_KERNELS);
  ASSERT_GT(seeds.size(), 50u);
  replay(seeds, &parse_input);
}
TEST(FuzzSeeds, Run) {
  const auto seeds = run_seeds(TILESCOPE_TEST_KERNELS);
  ASSERT_GT(seeds.size(), active_rows().count / 4);
  replay(seeds, &run_input);
}
TEST(FuzzCorpus, Parses) { replay("parse", &parse_input); }
TEST(FuzzCorpus, Runs) { replay("run", &run_input); }

}  // namespace
}  // namespace tilescope::emulator::fuzz
