// The states that tests and pictures start from: each kernel at its default tile on 4096³, with the
// selection of the design's mock-ups.
#pragma once
#include <string>

#include "core/layout/atom_plan.h"
#include "kernels/registry.h"
#include "viz/scene/curve_scene.h"
#include "viz/scene/fragment/fragment_scene.h"
#include "viz/scene/l2_scene.h"
#include "viz/scene/ladder_scene.h"
#include "viz/scene/landscape_scene.h"
#include "viz/scene/roofline_scene.h"
#include "viz/scene/tiling/tiling_scene.h"
#include "viz/scene/timeline/timeline_scene.h"
#include "viz/scene/waterfall_scene.h"

namespace tilescope::viz {

inline Problem example_problem(const KernelEntry& kernel) {
  Problem problem = default_problem(kernel.info);
  problem.m = problem.n = problem.k = 4096;
  return problem;
}

inline KernelPlan example_plan(const std::string& id) {
  const KernelEntry& kernel = *find_kernel(id.c_str());
  return kernel.plan(kernel.sliders.defaults(), example_problem(kernel));
}

inline Selection example_selection(const std::string& id) {
  Selection s;
  s.cta = {3, 5};
  s.lane = 17;
  s.output = 1;
  if (id == "mma_multistage") s.warp = 2, s.mma_m = 1, s.mma_n = 3;
  if (id == "thread_tile_2d") s.warp = 2, s.output = 12;
  if (id == "naive") s.output = 0, s.warp = 3;
  return s;
}

inline TilingState example_tiling(const std::string& id) {
  TilingState state;
  state.plan = example_plan(id);
  state.problem = example_problem(*find_kernel(id.c_str()));
  state.selection = example_selection(id);
  state.moment = {17, state.plan.stages() == 0 ? 0 : 2};
  if (id == "mma_multistage") {
    state.ctas_per_wave = 264;
    state.stages = {{2, StageState::State::in_use, 17, 1, 0},
                    {0, StageState::State::ready, 18, 1, 0},
                    {1, StageState::State::filling, 19, 0.62f, 2048}};
    for (int i = 0; i < 32; ++i) {
      state.mma_progress.push_back(i < 11    ? MmaProgress::done
                                   : i == 11 ? MmaProgress::now
                                             : MmaProgress::to_do);
    }
  } else if (id == "thread_tile_2d") {
    state.stages = {{0, StageState::State::in_use, 17, 1, 0}};
  }
  return state;
}

/// Eight stages of 32 KiB, which no block has room for.
inline TilingState example_illegal() {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  TilingState state = example_tiling("mma_multistage");
  TileConfig tile = kernel.sliders.defaults();
  tile.stages = 8;
  state.plan = kernel.plan(tile, state.problem);
  state.stages.clear();
  state.mma_progress.clear();
  state.ctas_per_wave = 0;
  return state;
}

inline FragmentState example_fragment(const std::string& id) {
  FragmentState state;
  state.plan = example_plan(id);
  state.problem = example_problem(*find_kernel(id.c_str()));
  state.selection = example_selection(id);
  state.moment = {17, state.plan.stages() == 0 ? 0 : 2};
  return state;
}

/// An instruction of the list as the Fragment panel first shows it.
inline FragmentState example_instruction(const std::string& name, FragmentTab tab) {
  FragmentState state;
  state.instruction = model::find_instruction(name);
  if (!state.is_move()) {
    const MmaAtom& atom = state.instruction->mma;
    state.plan = atom_plan(atom, atom.m > 32 ? 1 : 2, atom.n > 64 ? 1 : 2, 128, Swizzle::b128);
    state.problem = atom_problem(state.plan);
  }
  state.selection.lane = 17;
  state.tab = tab;
  return state;
}

/// A trace of the shape that the multi-stage kernel has: k slices 0 to 4, 16 to 18 and the last.
inline std::vector<TimelineEvent> example_events(int warps = 4) {
  std::vector<TimelineEvent> events;
  const auto slice = [&](int epoch, int k) {
    for (int warp = 0; warp < warps; ++warp) {
      int index = 0;
      const auto add = [&](EventKind kind, int count, int of_slice, bool shared = false) {
        events.push_back({.epoch = epoch,
                          .index = index,
                          .warp = warp,
                          .kind = kind,
                          .count = count,
                          .k_slice = of_slice,
                          .stage = of_slice % 3,
                          .line = 60 + index % 20,
                          .shared = shared});
        index += count;
      };
      add(EventKind::wait, 1 + warp % 3, -1);
      add(EventKind::barrier, 1, -1);
      if (k == 64) {
        add(EventKind::store, 64, -1);
        continue;
      }
      add(EventKind::copy, 17, k + 2);
      for (int step = 0; step < 4; ++step) {
        add(EventKind::load, 8, k, true);
        add(EventKind::mma, 32, k);
      }
    }
  };
  for (int k : {0, 1, 2, 3, 4, 16, 17, 18, 63, 64}) slice(k, k);
  return events;
}

/// For an index that outlives the state.
inline std::shared_ptr<const TimelineIndex> borrowed(const TimelineIndex& index) {
  return {std::shared_ptr<void>(), &index};
}

inline TimelineState example_timeline(const TimelineIndex& index) {
  TimelineState state;
  state.index = borrowed(index);
  state.selected_warp = 2;
  state.k_slices = 64, state.k_end = 64;
  state.recorded_k_slices = {0, 1, 2, 3, 4, 16, 17, 18, 63};
  state.within = 11;
  const std::vector<TimelineEvent>& events = index.events();
  for (size_t i = 0; i < events.size(); ++i) {  // the third k step of slice 17
    if (events[i].warp == 2 && events[i].epoch == 17 && events[i].kind == EventKind::mma) {
      state.event = static_cast<int>(i) + 4;
      break;
    }
  }
  state.event_name = "mma 1,3: 11 of 32";
  return state;
}

inline RooflineState example_roofline() {
  RooflineState state;
  state.peak_flops = 989e12;
  state.levels = {{RooflineLevel::Kind::shared, "shared", 29.7e12, 0, 32},
                  {RooflineLevel::Kind::l1, "L1", 29.7e12, 0, 64},
                  {RooflineLevel::Kind::l2, "L2", 10.8e12, 0, 64},
                  {RooflineLevel::Kind::dram, "DRAM", 4.8e12, 4.27e12, 1896}};
  state.peak_name = "tensor cores";
  state.measured_peak = 621e12, state.measured_peak_name = "mma.sync";
  state.way = {{32, 120e12, Standing::modelled},
               {32, 180e12, Standing::recorded},
               {48, 250e12, Standing::measured}};
  state.achieved = 309.2e12;
  state.achieved_name = "recorded 2026-11-20";
  state.modelled = 620e12;
  return state;
}

/// Each way that a figure can be known, an older kernel, one that cannot run.
inline LadderState example_ladder() {
  using enum Standing;
  LadderState state;
  state.parts = {{"f32",
                  "cuBLASLt 13.1",
                  51.2,
                  {{1, "naive", recorded, 0.51, 0.01},
                   {2, "coalesced", recorded, 6.12, 0.12, true},
                   {5, "thread_tile_2d", measured, 31.6, 0.617},
                   {8, "warp_tile", measured, 47.4, 0.926}}},
                 {"f16 → f32",
                  "cuBLASLt 13.1",
                  720,
                  {{.number = 9, .name = "wmma", .impossible = true},
                   {.number = 11,
                    .name = "mma_multistage",
                    .standing = measured,
                    .tflops = 518.4,
                    .of_library = 0.72,
                    .present = true},
                   {13, "mma_stream_k", modelled, 1200, 1.667}}}};
  state.note_title = "11 mma_multistage: multi-stage mma";
  state.note = "Keep k slices in flight. Best tile 128×256×64, 3 stages";
  state.hovered = 3;
  return state;
}

inline CurveState example_curve() {
  using enum Standing;
  CurveState state;
  state.title = "stages, all else as now";
  state.points = {{.label = "2", .standing = measured, .value = 452.3},
                  {.label = "3", .standing = measured, .value = 472.1, .present = true},
                  {.label = "4", .standing = recorded, .value = 449},
                  {.label = "5", .standing = modelled, .value = 436, .queued = true},
                  {.label = "8", .letter = "S"}};
  return state;
}

/// Each kind of cell, and all marks.
inline LandscapeState example_landscape() {
  using enum Standing;
  LandscapeState state;
  state.across = "block N", state.down = "block M";
  state.columns = {"64", "128", "256"};
  state.rows = {"64", "128", "256"};
  state.cells.resize(9);
  state.cells[0] = {.standing = measured, .value = 375.4};
  state.cells[1] = {.standing = recorded, .value = 391.1, .older = true};
  state.cells[2] = {.standing = modelled, .value = 610.2, .queued = true};
  state.cells[3] = {.standing = modelled, .value = 255, .progress = "1 of 4"};
  state.cells[4] = {.standing = measured, .value = 472.1};
  state.cells[5] = {.standing = measured, .value = 518.4, .best = true};
  state.cells[6] = {.standing = modelled, .value = 400, .failed = true};
  state.cells[7] = {.standing = none};
  state.cells[8] = {.letter = "R"};
  state.present_column = state.present_row = 1;
  state.keys = {{LandscapeKey::Kind::present, "", "128×128×64, 64×64, 3 stages: 472.1"},
                {LandscapeKey::Kind::best, "", "128×256×64, 64×64, 3 stages: 518.4"},
                {LandscapeKey::Kind::older, "", "recorded with an older kernel"},
                {LandscapeKey::Kind::queued, "", "queued: the sweep comes to it"},
                {LandscapeKey::Kind::failed, "", "failed: the tooltip says why"},
                {LandscapeKey::Kind::letter, "R", "more registers than there are"}};
  state.counts = "9 cells, 3 measured, 1 recorded, 3 modelled, 1 illegal";
  state.cut = example_curve();
  state.hovered = 8;
  return state;
}

/// `rows` × `cols` tiles, row by row, half of the launch gone: done, under way, to come; the last
/// one never.
inline L2State example_l2(int rows, int cols) {
  L2State state;
  state.rows = rows, state.cols = cols;
  auto tiles = std::make_shared<std::vector<L2TileState>>();
  const int count = rows * cols;
  for (int i = 0; i < count; ++i) {
    const float begin = static_cast<float>(i) / static_cast<float>(count);
    tiles->push_back({begin, begin + 0.2f, i % 4 == 0 ? 0.5f : 0.93f, 4e6});
  }
  tiles->back() = {};
  state.tiles = std::move(tiles);
  for (int i = 0; i < 64; ++i) state.hit_rate.push_back(0.8f + 0.1f * static_cast<float>(i % 2));
  state.moment = 0.5f;
  state.facts = {"CTAs read ~2.147 GB: 91.2 % from the L2, ~189.8 MB from DRAM.",
                 "Each matrix once would be 67.11 MB: 2.83 times less."};
  state.selected_row = state.selected_col = 1;
  return state;
}

inline WaterfallState example_waterfall() {
  return {.from = "B",
          .to = "A",
          .begin = 303.9,
          .end = 265.1,
          .begin_text = "303.9 µs",
          .end_text = "265.1 µs",
          .steps = {{"compute", 0, "0", ""},
                    {"L2", -26.9, "~−26.9 µs", "25 % fewer bytes"},
                    {"tail", -27.2, "~−27.2 µs", "the last 88 % full, not 59 %"},
                    {"occupancy", 6.4, "~+6.4 µs", "8 warps an SM, not 12"},
                    {"unexplained", 8.9, "+8.9 µs", "what the clock says beyond the model", true}},
          .hovered = 1};
}

}  // namespace tilescope::viz
