// Named scenes, those of three kernels' default tiles among them, against files in golden/. To
// accept a change, run with TILESCOPE_UPDATE_GOLDEN=1 and look at the difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/viz/example_layers.h"
#include "tests/viz/example_states.h"
#include "tests/viz/scene_checks.h"

namespace tilescope::viz {
namespace {

void expect_golden(const std::string& name, const Scene& scene) {
  const std::string path = std::string(TILESCOPE_GOLDEN_DIR) + "/" + name + ".txt";
  const std::string now = to_text(scene);
  if (std::getenv("TILESCOPE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << now;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file.good()) << path << " is missing";
  std::stringstream text;
  text << file.rdbuf();
  if (text.str() == now) return;
  std::istringstream expected(text.str()), got(now);
  std::string a, b;
  for (int line = 1;; ++line) {
    const bool more_a = static_cast<bool>(std::getline(expected, a));
    const bool more_b = static_cast<bool>(std::getline(got, b));
    if (more_a && more_b && a == b) continue;
    ADD_FAILURE() << name << ".txt differs first in line " << line
                  << "\n  file: " << (more_a ? a : "(end)")
                  << "\n  now:  " << (more_b ? b : "(end)");
    return;
  }
}

/// One of each kind of arithmetic and of copy; a new kernel needs no file here.
constexpr const char* kPictured[] = {"naive", "thread_tile_2d", "mma_multistage"};

TEST(Golden, Tiling) {
  for (const std::string kernel : kPictured) {
    expect_golden("tiling_" + kernel,
                  build_tiling(example_tiling(kernel), dark_palette(), kMeasure, {842, 412}));
  }
  expect_golden("tiling_illegal",
                build_tiling(example_illegal(), dark_palette(), kMeasure, {600, 328}));
}

TEST(Golden, Fragment) {
  for (const std::string kernel : kPictured) {
    expect_golden("fragment_" + kernel,
                  build_fragment(example_fragment(kernel), dark_palette(), kMeasure, {495, 652}));
  }
  FragmentState state = example_fragment("mma_multistage");
  state.tab = FragmentTab::ldmatrix;
  expect_golden("ldmatrix", build_fragment(state, dark_palette(), kMeasure, {530, 340}));
  state.tab = FragmentTab::shared_memory;
  expect_golden("shared_memory", build_fragment(state, dark_palette(), kMeasure, {530, 340}));
}

TEST(Golden, TenInstructions) {
  struct Row {
    const char* file;
    const char* name;
    FragmentTab tab;
  };
  constexpr Row kRows[] = {
      {"atom_m16n8k8_tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", FragmentTab::mma},
      {"atom_m16n8k32_s8", "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", FragmentTab::mma},
      {"atom_m16n8k32_fp8", "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16",
       FragmentTab::ldmatrix},
      {"atom_m16n8k64_s4", "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32",
       FragmentTab::shared_memory},
      {"atom_m16n8k256_b1", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
       FragmentTab::formulas},
      {"atom_m8n8k4_f64", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", FragmentTab::mma},
      {"atom_m8n8k4_f16", "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16", FragmentTab::mma},
      {"atom_wgmma_m64n16", "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16",
       FragmentTab::formulas},
      {"atom_wmma_m8n32k16", "wmma.mma.sync.aligned.row.col.m8n32k16.f32.f16",
       FragmentTab::formulas},
      {"atom_ldmatrix_x4_trans", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
       FragmentTab::ldmatrix},
  };
  for (const Row& row : kRows) {
    expect_golden(row.file, build_fragment(example_instruction(row.name, row.tab), dark_palette(),
                                           kMeasure, {640, 560}));
  }
}

TEST(Golden, Waterfall) {
  expect_golden("waterfall",
                build_waterfall(example_waterfall(), dark_palette(), kMeasure, {560, 200}));
}

TEST(Golden, TimelineAndRoofline) {
  const std::vector<TimelineEvent> events = example_events();
  const TimelineIndex index(events, 4);
  expect_golden("timeline",
                build_timeline(example_timeline(index), dark_palette(), kMeasure, {842, 116}));
  expect_golden("roofline",
                build_roofline(example_roofline(), dark_palette(), kMeasure, {150, 260}));
}

TEST(Golden, LadderLandscapeAndCurve) {
  expect_golden("landscape",
                build_landscape(example_landscape(), dark_palette(), kMeasure, {830, 330}));
  expect_golden("l2", build_l2(example_l2(3, 4), dark_palette(), kMeasure, {560, 240}));
  expect_golden("curve", build_curve(example_curve(), dark_palette(), kMeasure, {212, 104}));
  expect_golden("ladder", build_ladder(example_ladder(), dark_palette(), kMeasure, {830, 190}));
}

TEST(Golden, Layers) {
  for (const workload::LayerKind kind : workload::kLayerKinds) {
    expect_golden(std::string("layer_") + name_of(kind),
                  build_layer(example_layer_state(kind), dark_palette(), kMeasure, {820, 460}));
  }
  const workload::Layer column = example_layer(workload::LayerKind::column);
  expect_golden("layer_timeline", build_layer_timeline(example_layer_timeline(column, true),
                                                       dark_palette(), kMeasure, {1340, 190}));
  expect_golden("scaling", build_scaling(example_scaling(), dark_palette(), kMeasure, {390, 430}));
}

}  // namespace
}  // namespace tilescope::viz
