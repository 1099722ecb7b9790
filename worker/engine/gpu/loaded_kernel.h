// A kernel of the ladder at one tile, loaded on a card and ready to be launched on a problem.
#pragma once
#include <string>

#include "kernels/common/pack_args.h"
#include "kernels/common/tensor_maps.h"
#include "kernels/registry.h"
#include "worker/engine/compile/kernel_code.h"
#include "worker/engine/gpu/gpu.h"

namespace tilescope::worker {

class LoadedKernel {
 public:
  /// Fails with exit code 3 if its workspace does not fit into the card's memory.
  /// `given`: where the request's operands lie; the workspace is its own.
  LoadedKernel(const Gpu& gpu, const BufferAddresses& given, const KernelRequest& request,
               const KernelEntry& kernel, const Code& code);
  /// The pass that packs operands, if there is one, and the kernel.
  void enqueue(cuda::Stream stream = nullptr);
  int registers() const { return module_.attribute(function_, cuda::kRegisters); }
  int local_bytes() const { return module_.attribute(function_, cuda::kLocalBytes); }
  const std::string& name() const { return name_; }

 private:
  GpuBuffer allocate(long long bytes) const;

  const Gpu& gpu_;
  std::string name_;
  GpuModule module_;
  cuda::Function function_;
  GpuLaunch shape_;
  GpuBuffer workspace_, packed_a_, packed_b_;
  BiasedArgs args_{};
  cuda::Function pack_ = nullptr;
  GpuLaunch pack_shape_;
  PackArgs pack_args_{};
  MoreArgs more_;
  TensorMaps maps_;
  bool has_more_ = false;
};

}  // namespace tilescope::worker
