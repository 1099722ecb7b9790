// Collectives between the ranks of a layer on cards: by NCCL, or, where one card computes the parts
// of all ranks, by sums and copies on that card.
#pragma once
#include <memory>
#include <string>

#include "worker/engine/gpu/nccl.h"
#include "worker/engine/layer/card_rank.h"

namespace tilescope::worker {

class CardCollective {
 public:
  virtual ~CardCollective() = default;
  virtual std::string name() const = 0;
  /// A chunk of an all-reduce or an all-gather, after what it reads.
  virtual void enqueue(int step, int chunk, cuda::Stream stream) = 0;
  /// Waits until all ranks are here; the greatest of what each says.
  virtual double agree(double value) = 0;
};

/// `mine`: this process's rank of several.
std::unique_ptr<CardCollective> nccl_collective(const Gpu& gpu, const GpuTools& tools,
                                                const workload::Workload& w, const CardRank& mine,
                                                std::shared_ptr<const Nccl> nccl,
                                                const std::string& id);
/// All ranks on one card.
std::unique_ptr<CardCollective> local_collective(
    const Gpu& gpu, const GpuTools& tools, const workload::Workload& w,
    const std::vector<std::unique_ptr<CardRank>>& ranks, const CardLayerOptions& options);

}  // namespace tilescope::worker
