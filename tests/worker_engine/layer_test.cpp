// Layers in the emulator: every kind over one to four ranks, ragged and aligned, by the kernels'
// own PTX, against double precision.
#include <gtest/gtest.h>

#include <filesystem>

#include "kernels/registry.h"
#include "tests/sampled.h"
#include "tests/worker_engine/engine_support.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/layer/emulated_layer.h"
#include "worker/engine/layer/layer_data.h"
#include "worker/service.h"

namespace tilescope::worker {
namespace {

using workload::Layer;
using workload::LayerKind;
using workload::make_workload;
using workload::Step;
using workload::StepKind;
using workload::Workload;

EmulateLayerOptions options() {
  EmulateLayerOptions o;
  o.arch = kDefaultArch;
  o.limits = limits_for_arch(o.arch);
  o.threads = 2;
  return o;
}

/// A legal tile of a kernel for a problem: the first value of each slider that is, small ones
/// first.
bool small_tile(const KernelEntry& kernel, const Problem& p, TileConfig& tile) {
  tile = kernel.sliders.defaults();
  for (const auto& [field, value] : {std::pair(TileFieldId::block_m, 32),
                                     {TileFieldId::block_n, 32},
                                     {TileFieldId::warp_m, 16},
                                     {TileFieldId::warp_n, 16}}) {
    if (get(tile, field) != 0) set(tile, field, value);
  }
  return kernel.validate(tile, p, options().limits).legal();
}

/// Each product by another of the kernels that can compute it.
LayerRequest request_of(const Layer& layer, size_t turn) {
  LayerRequest request;
  request.layer = layer;
  request.sms = 4;
  request.seed = 7 + turn;
  const Workload w = make_workload(layer);
  for (const Step& step : w.steps) {
    StepChoice choice;
    std::vector<StepChoice> able;
    for (const KernelEntry& kernel : kernel_table()) {
      TileConfig tile;
      if (step.kind == StepKind::gemm && small_tile(kernel, problem_of(w, step, 0), tile)) {
        able.push_back({kernel.info.id, tile});
      }
    }
    if (step.kind == StepKind::gemm) {
      EXPECT_FALSE(able.empty()) << step.name;
      if (!able.empty()) choice = able[turn++ % able.size()];
    }
    request.choices.push_back(choice);
  }
  return request;
}

std::string words(const Layer& l) {
  return std::string(name_of(l.kind)) + " " + std::to_string(l.tokens) + "×" +
         std::to_string(l.in) + "×" + std::to_string(l.out) + " over " + std::to_string(l.ranks);
}

class EveryLayer : public ::testing::TestWithParam<LayerKind> {};

TEST_P(EveryLayer, IsRightOverOneToFourRanks) {
  size_t turn = 0;
  std::vector<std::pair<int, bool>> ways;  // ranks, ragged
  for (int ranks = 1; ranks <= 4; ++ranks) ways.insert(ways.end(), {{ranks, false}, {ranks, true}});
  for (const auto& [ranks, ragged] : sampled(ways, 2, 1 + static_cast<unsigned>(GetParam()))) {
    Layer layer{.kind = GetParam(), .tokens = 64, .in = 64, .out = 96, .ranks = ranks, .chunks = 2};
    if (ragged) layer.tokens = 51, layer.in = 37, layer.out = 70, layer.chunks = 3;
    layer.gather = layer.kind == LayerKind::column && ranks > 2;
    const Workload w = make_workload(layer);
    const LayerResult result = emulate_layer(request_of(layer, turn++), options());
    EXPECT_TRUE(result.ok()) << words(layer);
    EXPECT_TRUE(result.whole);
    size_t computed = 0;
    for (const workload::Matrix& m : w.matrices) {
      computed += !m.given && m.split != workload::Split::parts;
    }
    EXPECT_EQ(result.checks.size(), computed) << words(layer);
    for (const MatrixCheck& check : result.checks) {
      EXPECT_TRUE(check.verified.ok)
          << words(layer) << ": " << check.name << " is off by " << check.verified.norm;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Kinds, EveryLayer, ::testing::ValuesIn(workload::kLayerKinds),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(EmulatedLayer, ALargeOneIsSampledAndSaysSo) {
  const Layer layer{
      .kind = LayerKind::column, .tokens = 512, .in = 2048, .out = 4096, .ranks = 2, .chunks = 2};
  const LayerResult result = emulate_layer(request_of(layer, 0), options());
  EXPECT_TRUE(result.ok());
  EXPECT_FALSE(result.whole);
  EXPECT_EQ(result.collective, "not run");
  EXPECT_EQ(result.checks.size(), 4u);  // Y, the part of dX, dW, db
}

// A kernel that leaves something out is found, and which matrix it is.
TEST(EmulatedLayer, AWrongKernelIsFound) {
  const Layer layer{.kind = LayerKind::row, .tokens = 40, .in = 48, .out = 56, .ranks = 2};
  LayerRequest request = request_of(layer, 0);
  EmulateLayerOptions wrong = options();
  // Sums of columns forget their last row.
  const TemporaryFolder kernels;
  std::string text = file_text(TILESCOPE_SOURCE_DIR "/kernels/common/column_sum.cuh");
  const std::string whole = "row < end;";
  ASSERT_NE(text.find(whole), text.npos);
  std::filesystem::create_directory(kernels.path() + "/common");
  write_text(kernels.path() + "/common/column_sum.cuh",
             text.replace(text.find(whole), whole.size(), "row < end - 1;"));
  wrong.kernel_dir = kernels.path();
  const LayerResult result = emulate_layer(request, wrong);
  EXPECT_FALSE(result.ok());
  for (const MatrixCheck& check : result.checks) {
    EXPECT_EQ(check.verified.ok, check.name != "db") << check.name;
  }
}

TEST(EmulatedLayer, ChoicesMustFitTheSteps) {
  LayerRequest request = request_of({.tokens = 8, .in = 8, .out = 8}, 0);
  request.choices.pop_back();
  try {
    emulate_layer(request, options());
    FAIL();
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, 2);
    EXPECT_EQ(error.message, "The layer has 4 steps, and kernels are chosen for 3.");
  }
}

// The same element of the whole, whoever fills it.
TEST(LayerData, PartsOfAMatrixHaveTheWholesValues) {
  const Workload one = make_workload({.kind = LayerKind::column, .tokens = 5, .in = 7, .out = 30});
  const Workload w =
      make_workload({.kind = LayerKind::column, .tokens = 5, .in = 7, .out = 30, .ranks = 3});
  const int matrix = find_matrix(w, "W");
  std::vector<std::byte> whole(static_cast<size_t>(held_bytes(one, matrix, 0)));
  fill_part(one, matrix, 0, 9, whole, 1);
  for (int rank = 0; rank < 3; ++rank) {
    const workload::Slice s = slice_of(w, matrix, rank);
    std::vector<std::byte> part(static_cast<size_t>(held_bytes(w, matrix, rank)));
    fill_part(w, matrix, rank, 9, part, 2);
    const auto first = whole.begin() + 2 * s.rows.first * 7;  // split by rows
    EXPECT_TRUE(std::equal(part.begin(), part.end(), first));
  }
}

}  // namespace
}  // namespace tilescope::worker
