// Replays what the fuzzers have kept, with the ordinary build: no crash, no hang, no contradiction.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "archive.h"
#include "emulator/compile/row.h"
#include "seed_inputs.h"
#include "targets.h"

namespace tilescope::emulator::fuzz {
namespace {

void replay(const std::vector<Seed>& inputs, void (*one_input)(std::string_view)) {
  for (const Seed& input : inputs) {
    SCOPED_TRACE(input.name);
    EXPECT_NO_THROW(one_input(input.text));
  }
}

std::string archive_of(const char* target) {
  std::ifstream in(TILESCOPE_FUZZ_CORPUS "/" + std::string(target) + ".tar", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::vector<Seed> corpus_of(const char* target) { return files_of_archive(archive_of(target)); }

// What the corpus does not hold a second time: it has only what reaches code beyond the seeds.
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
TEST(FuzzCorpus, Parses) {
  const auto corpus = corpus_of("parse");
  ASSERT_GT(corpus.size(), 50u);
  replay(corpus, &parse_input);
}
TEST(FuzzCorpus, Runs) {
  const auto corpus = corpus_of("run");
  ASSERT_GT(corpus.size(), 500u);
  replay(corpus, &run_input);
}
TEST(FuzzCorpus, ADamagedArchiveIsNotTakenForASmallOne) {
  const std::string whole = archive_of("parse");
  const auto files = files_of_archive(whole);
  EXPECT_EQ(whole.substr(512, files[0].text.size()), files[0].text);
  EXPECT_EQ(whole.substr(0, files[0].name.size()), files[0].name);
  EXPECT_THROW(files_of_archive(whole.substr(0, whole.size() / 2)), std::runtime_error);
  EXPECT_THROW(files_of_archive(whole.substr(0, 600)), std::runtime_error);
  EXPECT_THROW(files_of_archive(""), std::runtime_error);
  std::string damaged = whole;
  damaged[130] ^= 1;  // of the first file's size
  EXPECT_THROW(files_of_archive(damaged), std::runtime_error);
}

}  // namespace
}  // namespace tilescope::emulator::fuzz
