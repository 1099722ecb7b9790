// The mistakes that each rung's own file names, of the kinds that people make: each is caught, by a
// wrong result or by the checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/model/names.h"
#include "engine_support.h"
#include "tests/every_kernel.h"
#include "tests/planted.h"
#include "tests/sampled.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/compile/source_hash.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"
#include "worker/messages/findings.h"

namespace tilescope::worker {
namespace {

/// What was found of it; empty: nothing.
std::string found(const KernelRequest& request, const std::string& ptx) {
  EmulateOptions options;
  options.threads = host_threads();
  options.scope = EmulateOptions::Scope::whole;
  try {
    const EmulateResult result = emulate(request, kernel_of(request), ptx, options);
    if (!result.verified || !result.verified->ok) return "wrong result";
    if (const CodeFinding* finding = first_error(result.checks.findings)) return finding->kind;
  } catch (const RpcError& error) {
    return error.data.is_object() ? error.data.value("fault", error.message) : error.message;
  }
  return {};
}

class Planted : public testing::TestWithParam<const char*> {};

/// The default tile and two of any kind (one in ./test), with the sliders that a mistake needs.
std::vector<TileConfig> tiles_for(const KernelEntry& kernel, const KernelRequest& request,
                                  const PlantedMistake& mistake) {
  const unsigned seed = seed_of(kernel.info.id);
  std::vector<TileConfig> tiles =
      sampled(random_legal_tiles(kernel, request.problem, 2, seed, 128 * 128), 1, seed);
  tiles.push_back(request.tile);
  for (const auto& [name, value] : mistake.tile) {
    const TileFieldId field = model::tile_field_named(name);
    EXPECT_NE(field, TileFieldId::none) << name;
    for (TileConfig& tile : tiles) set(tile, field, value);
  }
  return tiles;
}

TEST_P(Planted, MistakesAreCaughtEachTime) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  const std::string text = text_of_file(kernel_path(TILESCOPE_SOURCE_DIR, kernel.file));
  const std::vector<PlantedMistake> mistakes = mistakes_of(text);
  EXPECT_FALSE(mistakes.empty()) << kernel.file << " has no mistake for tests to plant";
  std::set<std::string> clean;
  for (const PlantedMistake& mistake : sampled(mistakes, 2, seed_of(kernel.info.id))) {
    const TemporaryFolder folder;
    write_text(folder.path() + "/" + kernel.file, planted(text, mistake));
    // On a problem with ragged ends in which k has several slices, copies can be asynchronous, and
    // CTAs have several tiles or share them.
    KernelRequest request = default_request(kernel.info.id, 300, 292, 532);
    const std::vector<TileConfig> tiles = tiles_for(kernel, request, mistake);
    for (const TileConfig& tile : tiles) {
      request.tile = tile;
      // Stream-K shares tiles where they leave CTAs idle.
      request.sms = 4;
      const auto shares_none = [&] {
        const WorkOrder work = plan_of(request, kernel).work;
        return shares_tiles(work) && shared_work(work).parts == 0;
      };
      while (request.sms < 64 && shares_none()) ++request.sms;
      // One warp alone needs no barrier.
      if (!kernel.validate(request.tile, request.problem, DeviceLimits{}).legal() ||
          plan_of(request, kernel).warps() == 1) {
        EXPECT_FALSE(tile == tiles.back()) << "the default tile must do";
        continue;
      }
      if (clean.insert(describe(request)).second) {  // mistakes share tiles
        EXPECT_EQ(found(request, test_compiler().compile(request, "sm_90")->result.ptx), "")
            << describe(request);
      }
      const std::string ptx = test_compiler().compile(request, "sm_90", folder.path())->result.ptx;
      const std::string as = found(request, ptx);
      EXPECT_TRUE(mistake.found_as(as))
          << describe(request) << ": " << mistake.what << " is found as \"" << as << "\"";
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Ladder, Planted, every_kernel(), kernel_name);

// They are no part of a kernel: not of what is compiled, exported and shown, nor of what results
// are found by.
TEST(PlantedMistakes, AreLeftOutOfTheSources) {
  const TemporaryFolder folder;
  SourceHash built_in(""), copied(folder.path());
  for (const KernelEntry& kernel : kernel_table()) {
    const std::string path = kernel_path(TILESCOPE_SOURCE_DIR, kernel.file);
    std::filesystem::copy_file(path, folder.path() + "/" + kernel.file);
    EXPECT_EQ(copied.headers(kernel), built_in.headers(kernel)) << kernel.file;
  }
  for (const KernelSource& source : kernel_sources()) {
    EXPECT_EQ(std::string_view(source.text).find("Mistakes that tests"), std::string_view::npos)
        << source.name;
  }
}

TEST(PlantedMistakes, MustStandInTheFileOnce) {
  const std::string text =
      "a();\nb();\na();\n\n/* Mistakes that tests plant.\n\nOne, not two, stages = 4, splits = 0: "
      "race or wrong result\n-b();\n+c();\n a();\n\nTwo: race\n-a();\n\nThree: race\n-d();\n*/\n";
  const std::vector<PlantedMistake> mistakes = mistakes_of(text);
  ASSERT_EQ(mistakes.size(), 3u);
  EXPECT_EQ(mistakes[0].what, "One, not two");
  EXPECT_EQ(mistakes[0].tile,
            (std::vector<std::pair<std::string, int>>{{"stages", 4}, {"splits", 0}}));
  EXPECT_EQ(mistakes[0].found, (std::vector<std::string>{"race", "wrong result"}));
  EXPECT_TRUE(planted(text, mistakes[0]).starts_with("a();\nc();\na();\n"));
  EXPECT_THROW(planted(text, mistakes[1]), std::runtime_error) << "twice";
  EXPECT_THROW(planted(text, mistakes[2]), std::runtime_error) << "never";
  EXPECT_THROW(mistakes_of("\n/* Mistakes that tests plant.\n\nnothing\n*/\n"), std::runtime_error);
}

}  // namespace
}  // namespace tilescope::worker
