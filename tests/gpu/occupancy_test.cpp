// How many CTAs share an SM: the model against the driver, on random tiles of every kernel.
#include <dlfcn.h>
#include <nlohmann/json.hpp>

#include "core/model/occupancy.h"
#include "gpu_fixture.h"
#include "tests/random_tile.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/methods.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

using AskDriver = cuda::Result (*)(int* ctas, cuda::Function function, int threads, size_t shared);

/// Of the driver that is loaded already; null: it has none.
AskDriver ask_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  return library ? reinterpret_cast<AskDriver>(
                       dlsym(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor"))
                 : nullptr;
}

TEST(OccupancyOnGpu, IsTheDriversOwn) {
  TILESCOPE_NEED_GPU(session);
  const AskDriver ask = ask_driver();
  if (!ask) GTEST_SKIP() << "the driver cannot be asked for occupancy";
  const Gpu& gpu = session.gpu();
  constexpr int kTiles = 8;
  int compared = 0;
  for (const KernelEntry& kernel : kernel_table()) {
    std::mt19937 random(1);
    KernelRequest request{kernel.info.id, {}, default_problem(kernel.info)};
    for (int tiles = 0; tiles < kTiles;) {
      request.tile = random_tile(kernel, random);
      if (!kernel.validate(request.tile, request.problem, gpu.limits()).legal()) continue;
      ++tiles;
      const Code code = code_of({}, request, gpu.arch(), {});
      const GpuModule module(gpu, code.cubin, code.ptx, "NVRTC");
      const cuda::Function function = module.function(kEntryName);
      const Launch launch = launch_of(plan_of(request, kernel));
      if (launch.shared_bytes > 48 << 10) {
        gpu.driver().check(gpu.driver().call().set_function_attribute(
                               function, cuda::kMaxDynamicSharedBytes, launch.shared_bytes),
                           "to reserve shared memory", request.kernel);
      }
      int ctas = 0;
      gpu.driver().check(
          ask(&ctas, function, launch.threads, static_cast<size_t>(launch.shared_bytes)),
          "to tell the occupancy", request.kernel);
      const int registers = module.attribute(function, cuda::kRegisters);
      EXPECT_EQ(model::occupancy(launch, gpu.limits(), registers).ctas_per_sm, ctas)
          << nlohmann::json(request).dump() << ", " << registers << " registers";
      ++compared;
    }
  }
  EXPECT_GE(compared, kTiles);
}

}  // namespace
}  // namespace tilescope::worker
