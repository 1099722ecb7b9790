// A layer as it is to be run on a card: which rung and tile computes each of its products, and what
// the model expects of it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/model/formulas.h"
#include "core/workload/schedule.h"
#include "kernels/registry.h"
#include "worker/messages/messages_layer.h"

namespace tilescope {

/// A tile of a rung for a problem, and what the model says of it.
struct RungChoice {
  const KernelEntry* kernel = nullptr;  // null: no rung computes this problem on this card
  TileConfig tile;
  double us = 0;
};

struct RungWish {
  std::string kernel;  // this one alone; empty: any
  bool lets_others =
      false;  // its CTAs end one after the other, so that a transfer gets SMs at once
};

/// The fastest by the model, of the tiles that climbing from each rung's default comes by.
RungChoice best_rung(const Problem& problem, const model::DeviceRow& device,
                     const RungWish& wish = {});

struct LayerStep {
  RungChoice choice;                      // of a GEMM
  bool beside = false;                    // a transfer may run beside it
  std::string why_not;                    // no rung computes it: a sentence
  std::optional<model::Traffic> traffic;  // of a GEMM, rank 0, all its chunks
  double dram_read = 0;                   // of that, as the L2 lets it through
  double us = 0;                          // alone, all chunks, the slowest rank
};

struct LayerPlan {
  workload::Workload workload;
  std::vector<LayerStep> steps;
  workload::Schedule schedule;  // empty if a step has no rung

  bool complete() const { return !schedule.bars.empty(); }
};

/// `choices`: kernels and tiles that somebody chose, one per step; those without a kernel, and all
/// if it is empty, are chosen here. Must be legal. `kernel`: of those that are chosen here, this
/// one alone; empty: any.
LayerPlan plan_layer(const workload::Layer& layer, const model::DeviceRow& device,
                     const std::vector<worker::StepChoice>& choices = {},
                     const std::string& kernel = {});

/// What is asked of the worker.
worker::LayerRequest layer_request(const LayerPlan& plan, int sms);

}  // namespace tilescope
