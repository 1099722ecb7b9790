// Every map of core/layout against the card's own instructions.
#include "worker/engine/probe/probe.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gpu_fixture.h"

namespace tilescope::worker {
namespace {

TEST(ProbeOnGpu, EveryInstructionIsAsTheLayoutSays) {
  TILESCOPE_NEED_GPU(session);
  const auto machine = gpu_probe_machine(session.gpu());
  std::vector<const model::Instruction*> all;
  for (const model::Instruction& i : model::instructions()) all.push_back(&i);
  const std::vector<Proof> proofs = prove(all, *machine);
  size_t proven = 0;
  for (const Proof& proof : proofs) {
    proven += proof.ok;
    EXPECT_TRUE(proof.ok || !proof.unsupported.empty())
        << proof.atom << ": " << proof.first_wrong << proof.failed;
  }
  EXPECT_GT(proven, 0u);
  // On an H100 or H200 nothing may be missing; elsewhere wgmma is.
  if (session.gpu().limits().sm == 90) {
    EXPECT_EQ(proven, all.size());
  }
  if (const char* folder = std::getenv("OUT")) {
    std::ofstream out(std::string(folder) + "/proofs.json");
    for (const Proof& proof : proofs) out << nlohmann::json(proof).dump() << "\n";
  }
}

TEST(ProbeOnGpu, AWrongMapIsFound) {
  TILESCOPE_NEED_GPU(session);
  if (session.gpu().limits().sm < 80) GTEST_SKIP() << "needs compute capability 8.0";
  const auto machine = gpu_probe_machine(session.gpu());
  model::Instruction wrong =
      *model::find_instruction("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  wrong.mma.a.value = make_layout({2, 16}, {2, 8 * 16}, {2, 8});
  const Proof proof = prove(wrong, *machine);
  EXPECT_GT(proof.wrong, 0u) << proof.unsupported << proof.failed;
  EXPECT_FALSE(proof.first_wrong.empty());
}

}  // namespace
}  // namespace tilescope::worker
