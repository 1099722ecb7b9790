// Probes through the driver API, on a driver whose GPU is the emulator.
#include <gtest/gtest.h>

#include <cstdlib>

#include "worker/engine/gpu/gpu.h"
#include "worker/engine/probe/probe.h"
#include "worker/service.h"

namespace tilescope::worker {
namespace {

/// The driver is named for as long as this lives.
class EmulatedDriver {
 public:
  EmulatedDriver() {
    setenv("TILESCOPE_CUDA_DRIVER", TILESCOPE_TEST_DRIVER, 1);
    setenv("TILESCOPE_EMULATED_CAPABILITY", "9.0", 1);  // wgmma runs on nothing else
    setenv("TILESCOPE_EMULATED_DRIVER", "13.0", 1);
  }
  ~EmulatedDriver() {
    for (const char* name : {"TILESCOPE_CUDA_DRIVER", "TILESCOPE_EMULATED_CAPABILITY",
                             "TILESCOPE_EMULATED_DRIVER", "TILESCOPE_EMULATED_FAULT"}) {
      unsetenv(name);
    }
  }
};

std::vector<const model::Instruction*> some_instructions() {
  std::vector<const model::Instruction*> some;
  for (const char* name :
       {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
        "stmatrix.sync.aligned.m8n8.x1.shared.b16", "movmatrix.sync.aligned.m8n8.trans.b16",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"}) {
    some.push_back(model::find_instruction(name));
    EXPECT_TRUE(some.back()) << name;
  }
  return some;
}

TEST(ProbeDriver, ProvesSideBySide) {
  const EmulatedDriver driver;
  const Gpu gpu(0);
  const auto machine = gpu_probe_machine(gpu);
  const std::vector<Proof> proofs = prove(some_instructions(), *machine);
  for (const Proof& proof : proofs) {
    EXPECT_EQ(proof.device, "Emulated GPU");
    EXPECT_EQ(proof.driver, "13.0");
    EXPECT_TRUE(proof.ok) << proof.atom << proof.first_wrong << proof.unsupported << proof.failed;
  }
}

TEST(ProbeDriver, AFaultEndsTheProcessAndSaysSo) {
  // A fault outlives its test in the driver: it gets a process of its own, and not a fork of this
  // one, which would lack the driver's threads.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const EmulatedDriver driver;
        setenv("TILESCOPE_EMULATED_FAULT", "illegal_instruction:m8n8k4", 1);
        const Gpu gpu(0);
        const auto machine = gpu_probe_machine(gpu);
        try {
          prove(some_instructions(), *machine);
        } catch (const RpcError& error) {
          const bool fatal = error.data.value("fatal", false);
          std::fprintf(stderr, "%s\n", error.message.c_str());
          std::_Exit(fatal ? 7 : 1);
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(7), "illegal instruction");
}

}  // namespace
}  // namespace tilescope::worker
