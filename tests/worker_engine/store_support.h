// What the tests of stores share: results that are easily told apart, and files of them.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "tests/worker_engine/engine_support.h"
#include "worker/engine/store/store.h"

namespace tilescope::worker {

inline constexpr const char* kStoreCard = "NVIDIA H200";

/// A right result of the naive kernel on n³; `tflops` tells it from others.
inline std::string result_line(double tflops, int n = 1024, const std::string& card = kStoreCard,
                               const std::string& date = "2026-11-22") {
  MeasureResult m;
  m.device_name = card, m.date = date, m.driver = "580.1";
  m.standing = "measured", m.tflops = tflops, m.time_us = 100, m.samples = 20, m.spread = 0.01;
  m.verified = Verification{1e-6, 1e-4, true};
  m.final = true;
  return recording_line(default_request("naive", n, n, n), m, "sm_90", "0123", "4567");
}

inline ResultsOf results_of_cube(int n = 1024, const std::string& card = kStoreCard) {
  ResultsOf of;
  of.problem = default_request("naive", n, n, n).problem;
  of.card = card;
  return of;
}

inline std::string proof_line(const std::string& atom, const std::string& device,
                              const std::string& date, uint64_t wrong = 0) {
  Proof p;
  p.atom = atom, p.device = device, p.date = date;
  p.compared = 10, p.wrong = wrong, p.ok = wrong == 0;
  return nlohmann::json(p).dump() + "\n";
}

/// A run of a layer on `ranks` cards.
inline KeptLayer kept_layer(int ranks, double total_us) {
  KeptLayer kept;
  workload::Layer& layer = kept.request.layer;
  layer = {.kind = workload::LayerKind::column, .tokens = 64, .in = 64, .out = 128, .ranks = ranks};
  const workload::Workload w = make_workload(layer);
  for (const workload::Step& step : w.steps) {
    const KernelEntry& kernel = *find_kernel("mma_multistage");
    kept.request.choices.push_back(step.kind == workload::StepKind::gemm
                                       ? StepChoice{kernel.info.id, kernel.sliders.defaults()}
                                       : StepChoice{});
  }
  kept.card = kStoreCard, kept.cards = ranks, kept.date = "2026-11-23";
  kept.result.device = kStoreCard;
  kept.result.steps.resize(w.steps.size(), {.us = 7, .alone_us = 6});
  kept.result.bars = {{.step = 0, .chunk = 0, .rank = ranks - 1, .begin_us = 1, .end_us = 8}};
  kept.result.total_us = total_us;
  return kept;
}

}  // namespace tilescope::worker
