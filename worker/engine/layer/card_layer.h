// A layer on a card: one rank of several that run side by side, or all of them one after another.
#pragma once
#include <functional>
#include <string>

#include "worker/engine/gpu/gpu_session.h"
#include "worker/engine/layer/card_rank.h"

namespace tilescope::worker {

struct CardLayerRun {
  int rank = -1;   // of several cards; −1: all ranks on this one
  std::string id;  // the ranks' common id, of several cards
  CardLayerOptions options;
  std::function<void(std::string stage, int done, int all)> progress = nullptr;
};

/// Verifies, then measures if that is asked for and all is right. Fails with exit code 3 without
/// NCCL where it is needed, or if memory does not suffice.
RankRun run_layer_on_card(const Gpu& gpu, const GpuTools& tools, const LayerRequest& request,
                          const CardLayerRun& run);

}  // namespace tilescope::worker
