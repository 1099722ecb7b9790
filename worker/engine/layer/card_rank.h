// One rank of a layer on a card: its parts of the matrices, and its products and column sums loaded
// and ready to be launched.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "kernels/common/column_sum_args.h"
#include "worker/engine/gpu/gpu_problem.h"
#include "worker/engine/gpu/loaded_kernel.h"
#include "worker/messages/messages_layer.h"

namespace tilescope::worker {

struct CardLayerOptions {
  std::string kernel_dir;
  const std::atomic<bool>* cancelled = nullptr;
};

/// Sums of columns, loaded by what they are of.
class CardSums {
 public:
  CardSums(const Gpu& gpu, const CardLayerOptions& options) : gpu_(gpu), options_(options) {}
  /// Compiles and loads what enqueue() will need.
  void prepare(ElementType type, const ColumnSum& sum);
  /// The caller has room for sum.parts lines of floats at `to`.
  void enqueue(ElementType type, const ColumnSumArgs& args, cuda::Stream stream);

 private:
  const Gpu& gpu_;
  const CardLayerOptions& options_;
  std::map<std::pair<ElementType, int>, std::unique_ptr<GpuModule>> modules_;
};

class CardRank {
 public:
  CardRank(const Gpu& gpu, const GpuTools& tools, const workload::Workload& w,
           const LayerRequest& request, int rank, const CardLayerOptions& options);

  int rank() const { return rank_; }
  /// Of this rank's part.
  cuda::DevicePointer address(int matrix) const;
  /// A product or a column sum, on the card's usual stream.
  void enqueue(int step, int chunk);
  /// Results are NaN until they are computed.
  void poison() const;

 private:
  struct Sum {
    ElementType type = ElementType::f16;
    ColumnSumArgs first, second;  // the second only if the first has several parts
    GpuBuffer parts;
  };
  void load_product(int step, const LayerRequest& request, const CardLayerOptions& options);
  void load_sum(int step);

  const Gpu& gpu_;
  const workload::Workload& w_;
  const int rank_;
  std::vector<GpuBuffer> buffers_;  // by matrix; empty where another's place is taken
  CardSums sums_;
  std::map<std::pair<int, int>, std::unique_ptr<LoadedKernel>> products_;  // by step and chunk
  std::map<int, Sum> column_sums_;
};

}  // namespace tilescope::worker
