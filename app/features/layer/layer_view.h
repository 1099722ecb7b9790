// The layer that the window shows: what is known of it and what is being asked. Each part carries
// the question that it answers, so that nothing is shown beside a choice it is not of.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/common/layer_plan.h"

namespace tilescope {

/// As at first start: a linear layer, column-parallel over two ranks.
inline workload::Layer first_layer() {
  return {.kind = workload::LayerKind::column, .ranks = 2, .chunks = 4};
}

/// Part of the edit: undo goes back over it.
struct ChosenLayer {
  workload::Layer layer = first_layer();
};

/// What a layer's modelled figures follow from.
struct LayerQuestion {
  workload::Layer layer;
  std::string gpu;  // row of the device table
  int sms = 0;
  bool operator==(const LayerQuestion&) const = default;
};

/// The same layer over another number of ranks.
struct ScalingModel {
  int ranks = 1;
  std::vector<worker::StepChoice> choices = {};  // of the plan; empty: not known
  double forward_us = 0, total_us = 0;           // 0: not modelled
  std::string why_not = {};                      // there is none: a sentence
};

/// What the model says. `scaling` comes a number of ranks at a time.
struct LayerModel {
  LayerQuestion of;
  LayerPlan plan;
  std::vector<ScalingModel> scaling;
};

/// Where a layer's ranks run.
struct LayerPlace {
  std::vector<std::string> devices;  // one for each rank, or one that stands for all
  bool operator==(const LayerPlace&) const = default;
};

/// A run that came to its end, in this session or one before.
struct LayerMeasured {
  LayerQuestion of;
  LayerPlace place;
  std::string date;  // the day in UTC, "2026-11-22"
  std::vector<worker::StepChoice> choices;
  worker::LayerResult result;
};

/// A layer on its way to being run, by hand alone.
struct LayerRun {
  bool wanted = false;  // asked for, not yet begun
  bool running = false;
  bool stop = false;      // asked for while it runs
  LayerQuestion of = {};  // what runs, or what the error is of
  LayerPlace place = {};
  double since = 0;                            // seconds
  std::string stage = {};                      // "Y = X·Wᵀ + b"
  std::string error = {}, error_details = {};  // why there is no result, one sentence
};

struct LayerView {
  bool wanted = false;                // this frame: somebody looks, so the model is asked
  bool looked_at = false;             // the last frame
  int step = 0;                       // that is chosen
  int hover = -1, hover_before = -1;  // step under the pointer: this frame's, and the last frame's
  std::shared_ptr<const LayerModel> model;  // null: nothing was modelled yet
  std::vector<LayerMeasured> measured;      // the newest last
  LayerRun run;
};

}  // namespace tilescope
