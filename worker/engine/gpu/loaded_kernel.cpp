#include "worker/engine/gpu/loaded_kernel.h"

#include "worker/engine/compile/source.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/card_tensor_map.h"

namespace tilescope::worker {

LoadedKernel::LoadedKernel(const Gpu& gpu, const BufferAddresses& given,
                           const KernelRequest& request, const KernelEntry& kernel,
                           const Code& code)
    : gpu_(gpu),
      name_(request.kernel),
      module_(gpu, code.cubin, code.ptx, "NVRTC for " + code.compiled.arch),
      function_(module_.function(kEntryName)) {
  const Problem& p = request.problem;
  const KernelPlan plan = plan_of(request, kernel);
  const Launch launch = launch_of(plan);
  shape_ = {.grid_x = static_cast<unsigned>(launch.grid_x),
            .grid_y = static_cast<unsigned>(launch.grid_y),
            .grid_z = static_cast<unsigned>(launch.grid_z),
            .threads = static_cast<unsigned>(launch.threads),
            .shared_bytes = static_cast<unsigned>(launch.shared_bytes)};
  constexpr int kWithoutAsking = 48 << 10;  // more dynamic shared memory must be asked for
  if (launch.shared_bytes > kWithoutAsking) {
    gpu.driver().check(gpu.driver().call().set_function_attribute(
                           function_, cuda::kMaxDynamicSharedBytes, launch.shared_bytes),
                       "to reserve " + std::to_string(launch.shared_bytes) + " B of shared memory",
                       name_);
  }
  if (launch.workspace_bytes > 0) {
    workspace_ = allocate(launch.workspace_bytes);
    // Kernels leave its counters at zero.
    gpu.driver().check(gpu.driver().call().set_words(workspace_.address(), 0,
                                                     workspace_.bytes() / 4, gpu.stream()),
                       "to clear the workspace", name_);
  }
  BufferAddresses read = given;
  read.workspace = workspace_.address();
  if (packs_any(plan.spec)) {
    if (plan.spec.pack_a) packed_a_ = allocate(packing_of(plan, p, Operand::a).bytes());
    if (plan.spec.pack_b) packed_b_ = allocate(packing_of(plan, p, Operand::b).bytes());
    if (plan.spec.pack_a) read.a = packed_a_.address();
    if (plan.spec.pack_b) read.b = packed_b_.address();
    const Launch pass = pack_launch(plan, p);
    pack_ = module_.function(kPackEntryName);
    pack_shape_ = {.grid_x = static_cast<unsigned>(pass.grid_x),
                   .grid_y = static_cast<unsigned>(pass.grid_y),
                   .threads = static_cast<unsigned>(pass.threads)};
    pack_args_ = make_pack_args(plan, p, given, read);
  }
  args_ = make_args(problem_read(plan, p), read);
  has_more_ = kernel.more_args != nullptr;
  if (has_more_) more_ = kernel.more_args(plan, p);
  if (has_tensor_maps(plan)) maps_ = make_tensor_maps(plan, p, args_, card_encoder(gpu));
}

GpuBuffer LoadedKernel::allocate(long long bytes) const {
  const auto free = static_cast<double>(gpu_.free_bytes());
  if (static_cast<double>(bytes) > free) {
    fail(kMissing, memory_sentence(gpu_.name(), static_cast<double>(bytes), free));
  }
  return GpuBuffer(gpu_, static_cast<size_t>(bytes));
}

void LoadedKernel::enqueue(cuda::Stream stream) {
  if (pack_ != nullptr) {
    void* pass[] = {&pack_args_};
    launch(gpu_, pack_, pack_shape_, pass, name_, stream);
  }
  // As many as the kernel has are read.
  void* parameters[] = {&args_, has_more_ ? static_cast<void*>(more_.data) : &maps_, &maps_};
  launch(gpu_, function_, shape_, parameters, name_, stream);
}

}  // namespace tilescope::worker
