// What app, command line and worker say to each other of running a layer.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/workload/workload.h"
#include "worker/messages/messages.h"

namespace tilescope::workload {

void to_json(nlohmann::json& j, const Layer& l);
/// Throws std::invalid_argument with why_not()'s sentence.
void from_json(const nlohmann::json& j, Layer& l);

}  // namespace tilescope::workload

namespace tilescope::worker {

/// The kernel and tile for one step of the layer; empty for steps that are no GEMM.
struct StepChoice {
  std::string kernel;
  TileConfig tile;
  bool operator==(const StepChoice&) const = default;
};

struct LayerRequest {
  workload::Layer layer;
  std::vector<StepChoice> choices;  // one per step
  int sms = DeviceLimits().sm_count;
  int spare_sms =
      0;  // that kernels which stay on their SMs leave to transfers, if any run beside them
  uint64_t seed = 1;
  bool measure = true;     // a card's times; else the result is verified alone
  double seconds = 2;      // of taking samples
  double time_limit = 60;  // seconds that one run of the layer may take
};

/// One result of the layer against double precision, over all ranks.
struct MatrixCheck {
  std::string name;
  Verification verified;
};

/// The result that is furthest off; one with NaN before all others. Null if there are none.
const Verification* worst_of(const std::vector<MatrixCheck>& checks);

/// When a rank worked on a chunk of a step: microseconds from the beginning of the run.
struct LayerBar {
  int step = 0, chunk = 0, rank = 0;
  double begin_us = 0, end_us = 0;
};

struct StepTime {
  double us = 0;        // in the layer without overlap, median over samples, slowest rank
  double alone_us = 0;  // the same launches by themselves; 0 = not measured
};

/// What one rank measured in a run, or one card that ran the parts of all ranks.
struct RankRun {
  std::string device, collective;
  std::vector<MatrixCheck> checks;
  std::vector<double> alone_us;                // by step; 0 = not measured
  std::vector<std::vector<LayerBar>> serial;   // samples in which nothing ran beside another
  std::vector<std::vector<LayerBar>> samples;  // as asked for
  /// From runs without an event between steps, microseconds: until the forward pass had ended, and
  /// until all had ended.
  std::vector<std::pair<double, double>> totals_us;
  /// Ranks ran side by side: their times are the layer's.
  bool together = true;
};

struct LayerResult {
  std::string device;      // "NVIDIA H200", "emulator"
  std::string collective;  // who moved what between ranks: "NCCL 2.28.9", or what stood for it
  bool whole = true;       // every product was computed whole, and the sums over ranks were run
  std::vector<MatrixCheck> checks;
  std::vector<LayerBar> bars;           // of a usual run; its events between steps take time, too
  std::vector<StepTime> steps;          // empty if nothing was measured
  double forward_us = 0, total_us = 0;  // medians; 0 = not measured
  double spread = 0;
  int samples = 0;
  double seconds = 0;  // that the emulator took

  bool ok() const;
};

/// A run on cards, as it is kept from session to session.
struct KeptLayer {
  LayerRequest request;
  std::string card;    // the name that the driver gives each of them
  int cards = 1;       // that the ranks ran on
  std::string date;    // the day in UTC, "2026-11-22"
  LayerResult result;  // right, with times
};

/// One result of what all ranks tell.
LayerResult merge(const workload::Workload& w, const std::vector<RankRun>& ranks);

/// What a call for a layer answers: the emulator a result, cards what each rank has to tell, which
/// is merged by who asked.
struct LayerAnswer {
  std::optional<LayerResult> whole = {};
  std::vector<RankRun> ranks = {};
};
LayerResult layer_result(const workload::Layer& layer, const LayerAnswer& answer);

void to_json(nlohmann::json& j, const RankRun& r);
void from_json(const nlohmann::json& j, RankRun& r);
void to_json(nlohmann::json& j, const LayerRequest& r);
void from_json(const nlohmann::json& j, LayerRequest& r);
void to_json(nlohmann::json& j, const LayerResult& r);
void from_json(const nlohmann::json& j, LayerResult& r);
/// A LayerResult, or {"ranks": [RankRun]}.
void to_json(nlohmann::json& j, const LayerAnswer& a);
void from_json(const nlohmann::json& j, LayerAnswer& a);
void to_json(nlohmann::json& j, const KeptLayer& k);
/// Throws std::invalid_argument, too, where request and result are not of the layer's steps.
void from_json(const nlohmann::json& j, KeptLayer& k);

}  // namespace tilescope::worker
