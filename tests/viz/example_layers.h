// Layers for pictures: each kind, with an account as a schedule of plain times gives it.
#pragma once
#include <vector>

#include "core/workload/schedule.h"
#include "viz/scene/layer/layer_scene.h"
#include "viz/scene/layer/layer_timeline_scene.h"
#include "viz/scene/layer/scaling_scene.h"

namespace tilescope::viz {

inline workload::Layer example_layer(workload::LayerKind kind, int ranks = 2, int chunks = 4) {
  return {.kind = kind, .tokens = 4096, .in = 8192, .out = 29696, .ranks = ranks, .chunks = chunks};
}

/// What is at hand at 500 TFLOPS, 3 TB/s and 300 GB/s, each rank a little slower than the last.
inline LayerAccount example_account(const workload::Layer& layer, double slower = 1) {
  const workload::Workload w = make_workload(layer);
  const workload::Schedule s =
      schedule(w,
               [&](int number, int, int rank) {
                 const workload::Step& step = w.steps[static_cast<size_t>(number)];
                 const double bytes = is_collective(step) ? bytes_between_ranks(w, step) / 3e5
                                                          : least_bytes(w, step, 0) / 3e6;
                 const double us = std::max(flop_of(w, step, 0) / 5e8, bytes) / step.chunks;
                 return us * slower * (1 + 0.01 * std::max(0, rank));
               },
               {.product = 0.8, .wait = nullptr});
  return {s.bars, s.forward_us, s.total_us};
}

inline LayerState example_layer_state(workload::LayerKind kind, int ranks = 2) {
  LayerState state;
  state.layer = example_layer(kind, ranks);
  state.chosen = 0;
  return state;
}

inline LayerTimelineState example_layer_timeline(const workload::Layer& layer, bool measured) {
  LayerTimelineState state;
  state.layer = layer;
  state.modelled = example_account(layer);
  if (measured) state.measured = example_account(layer, 1.04);
  state.chosen = 0;
  return state;
}

/// Measured on 1 and 2 ranks, modelled on all; 3 ranks cannot be.
inline ScalingState example_scaling() {
  ScalingState state;
  state.points = {
      {.ranks = 1, .modelled = {3600, 7400}, .measured = {3700, 7500}, .why_not = {}},
      {.ranks = 2, .modelled = {1830, 3900}, .measured = {1900, 4050}, .why_not = {}},
      {.ranks = 3, .modelled = {}, .measured = {}, .why_not = "out 2 cannot be split over 3 ranks"},
      {.ranks = 4, .modelled = {930, 2150}, .measured = {}, .why_not = {}},
      {.ranks = 8, .modelled = {470, 1500}, .measured = {}, .why_not = {}}};
  state.ranks = 2;
  state.device = "2 × NVIDIA H200";
  state.notes = {"Sums over ranks in 4 chunks, beside products."};
  return state;
}

}  // namespace tilescope::viz
