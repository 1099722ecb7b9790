// Probes of wgmma on a stand-in that computes what the ISA says, register by register and byte by
// byte of shared memory: what surrounds the instruction is right before a GPU sees it.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <cstring>

#include "worker/engine/emulate/half.h"
#include "worker/engine/probe/probe.h"

namespace tilescope::worker {
namespace {

constexpr int kRows = 64, kRowBytes = 32;

/// Reads n, the types and the descriptor from the PTX and knows nothing of core/layout.
class StandInJob : public ProbeJob {
 public:
  StandInJob(const ProbeKernel& kernel, const ProbeInputs& inputs)
      : inputs_(inputs), output_bytes_(kernel.output_bytes) {
    const std::string& ptx = kernel.ptx;
    const size_t name = ptx.find("wgmma.mma_async.sync.aligned.m64n");
    int k = 0;
    EXPECT_EQ(std::sscanf(ptx.c_str() + name, "wgmma.mma_async.sync.aligned.m64n%dk%d", &n_, &k),
              2);
    bits_ = 8 * kRowBytes / k;
    half_result_ = ptx.find(".f16.", name) < ptx.find('{', name) &&
                   ptx.substr(name, 60).find(".f32.") == std::string::npos;
    const size_t at = ptx.find("or.b64 %descriptor, %descriptor, ");
    const uint64_t descriptor = std::stoull(ptx.substr(at + 33));
    leading_ = (descriptor >> 16 & 0x3fff) << 4, stride_ = (descriptor >> 32 & 0x3fff) << 4;
  }

  void run(std::span<const ProbeRun> runs, std::vector<std::byte>& output) override {
    output.assign(runs.size() * output_bytes_, std::byte{0xff});
    for (size_t r = 0; r < runs.size(); ++r) one(runs[r], output.data() + r * output_bytes_);
  }

 private:
  using Line = std::array<uint32_t, kRowBytes / 4>;

  double dot(const Line& a, const Line& b) const {
    double sum = 0;
    for (int word = 0; word < kRowBytes / 4; ++word) {
      if (a[word] == 0 || b[word] == 0) continue;
      if (bits_ == 1) sum += std::popcount(a[word] & b[word]);
      for (int i = 0; bits_ > 1 && i < 32 / bits_; ++i) {
        sum += value(a[word] >> (i * bits_ % 32)) * value(b[word] >> (i * bits_ % 32));
      }
    }
    return sum;
  }
  double value(uint32_t bits) const {
    if (bits_ == 8) return bits & 0xffu;  // u8
    if (bits_ == 16) return static_cast<double>(half_value(static_cast<uint16_t>(bits)));
    return static_cast<double>(std::bit_cast<float>(bits));
  }

  void one(const ProbeRun& run, std::byte* output) const {
    const std::byte *a = inputs_[0].data.data() + run[0] * inputs_[0].bytes,
                    *b = inputs_[1].data.data() + run[1] * inputs_[1].bytes,
                    *c = inputs_[2].data.data() + run[2] * inputs_[2].bytes;
    std::vector<Line> rows(kRows), columns(static_cast<size_t>(n_));
    for (int thread = 0; thread < 128; ++thread) {
      for (int r = 0; r < 4; ++r) {
        const int row = thread / 32 * 16 + thread % 32 / 4 + 8 * (r % 2);
        std::memcpy(&rows[row][thread % 4 + 4 * (r / 2)], a + (thread * 4 + r) * 4, 4);
      }
    }
    for (int n = 0; n < n_; ++n) {
      for (int word = 0; word < kRowBytes / 4; ++word) {
        const size_t at = n / 8 * stride_ + word / 4 * leading_ + n % 8 * 16 + word % 4 * 4;
        std::memcpy(&columns[n][word], b + at, 4);
      }
    }
    const int values = n_ / 2, bytes = half_result_ ? 2 : 4;
    for (int thread = 0; thread < 128; ++thread) {
      for (int v = 0; v < values; ++v) {
        const int row = thread / 32 * 16 + thread % 32 / 4 + 8 * (v / 2 % 2);
        const int col = 8 * (v / 4) + 2 * (thread % 4) + v % 2;
        const size_t at = static_cast<size_t>(thread * values + v) * bytes;
        const double sum = dot(rows[row], columns[col]);
        if (half_result_) {
          uint16_t before;
          std::memcpy(&before, c + at, 2);
          const uint16_t after = half_bits(half_value(before) + static_cast<float>(sum));
          std::memcpy(output + at, &after, 2);
        } else if (bits_ == 1 || bits_ == 8) {
          int32_t before;
          std::memcpy(&before, c + at, 4);
          before += static_cast<int32_t>(sum);
          std::memcpy(output + at, &before, 4);
        } else {
          float before;
          std::memcpy(&before, c + at, 4);
          before += static_cast<float>(sum);
          std::memcpy(output + at, &before, 4);
        }
      }
    }
  }

  const ProbeInputs inputs_;
  size_t output_bytes_;
  int n_ = 0, bits_ = 0;
  bool half_result_ = false;
  uint64_t leading_ = 0, stride_ = 0;
};

class StandIn : public ProbeMachine {
 public:
  std::string device() const override { return "stand-in"; }
  std::string driver() const override { return "none"; }
  int threads() const override { return 1; }
  void require(const ProbeKernel& kernel) const override {
    EXPECT_EQ(kernel.min_sm, 90);
    EXPECT_TRUE(kernel.only_this_sm);
  }
  std::unique_ptr<ProbeJob> load(const ProbeKernel& kernel, const ProbeInputs& inputs) override {
    EXPECT_EQ(kernel.threads, 128u);
    return std::make_unique<StandInJob>(kernel, inputs);
  }
};

model::Instruction wgmma_named(const std::string& tail) {
  const auto* found = model::find_instruction("wgmma.mma_async.sync.aligned." + tail);
  EXPECT_TRUE(found) << tail;
  return found ? *found : model::Instruction();
}

TEST(ProbeWgmma, PassesWhereTheInstructionIsAsTheIsaSays) {
  StandIn machine;
  for (const char* tail :
       {"m64n8k16.f32.f16.f16", "m64n24k16.f16.f16.f16", "m64n256k16.f32.f16.f16",
        "m64n40k8.f32.tf32.tf32", "m64n48k32.s32.u8.u8", "m64n16k256.s32.b1.b1.and.popc"}) {
    const model::Instruction instruction = wgmma_named(tail);
    const Proof proof = prove(instruction, machine);
    EXPECT_TRUE(proof.ok) << tail << ": " << proof.first_wrong << proof.failed;
    const auto n = static_cast<uint64_t>(instruction.mma.n),
               k = static_cast<uint64_t>(instruction.mma.k);
    EXPECT_EQ(proof.compared, 64 * n * (2 * k + 1));
  }
}

TEST(ProbeWgmma, WrongMapsAreFound) {
  StandIn machine;
  const std::string tail = "m64n24k16.f32.f16.f16";
  model::Instruction wrong = wgmma_named(tail);
  wrong.mma.a.value = make_layout({2, 64}, {2, 8 * 64}, {2, 8});
  EXPECT_GT(prove(wrong, machine).wrong, 0u) << "a1 and a2 exchanged";
  wrong = wgmma_named(tail);
  wrong.mma.a.thread = make_layout({4, 2 * 64}, {8, 1}, {2, 32}, {2, 16});
  EXPECT_GT(prove(wrong, machine).wrong, 0u) << "warps exchanged in A";
  wrong = wgmma_named(tail);
  wrong.mma.c.value = wrong.mma.d.value = make_layout({2, 64}, {3, 8 * 64}, {2, 8});
  EXPECT_GT(prove(wrong, machine).wrong, 0u) << "D: columns before rows";
}

}  // namespace
}  // namespace tilescope::worker
