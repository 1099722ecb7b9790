// Probes of wgmma on a stand-in that computes what the ISA says, register by register and byte by
// byte of shared memory: what surrounds the instruction is right before a GPU sees it.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <cstring>

#include "tests/sampled.h"
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
    const std::string end = ptx.substr(ptx.find("%p1", ptx.find("%descriptor_b, %p1", name)));
    int turned[2] = {0, 0};
    const int flags = std::sscanf(end.c_str(), "%%p1, 1, 1, %d, %d;", &turned[0], &turned[1]);
    a_ = Place::of(ptx, 'a', flags == 2 && turned[0]);
    b_ = Place::of(ptx, 'b', flags > 0 && turned[flags - 1]);
  }

  void run(std::span<const ProbeRun> runs, std::vector<std::byte>& output) override {
    output.assign(runs.size() * output_bytes_, std::byte{0xff});
    for (size_t r = 0; r < runs.size(); ++r) one(runs[r], output.data() + r * output_bytes_);
  }

 private:
  using Line = std::array<uint32_t, kRowBytes / 4>;
  /// An operand in shared memory, as its descriptor says; MN-major ones have elements of 2 bytes.
  struct Place {
    bool there = false, turned = false;
    size_t leading = 0, stride = 0, start = 0, span = 16;
    static Place of(const std::string& ptx, char operand, bool turned) {
      const std::string name = std::string("ld.global.u64 %descriptor_") + operand;
      return {ptx.find(name) != std::string::npos, turned};
    }
    /// An image: the descriptor of a tile at 0, and behind 16 bytes the tile.
    void take(const std::byte*& image) {
      uint64_t bits = 0;
      std::memcpy(&bits, image, sizeof bits);
      constexpr size_t kSpans[] = {16, 128, 64, 32};
      leading = (bits >> 16 & 0x3fff) << 4, stride = (bits >> 32 & 0x3fff) << 4;
      start = (bits & 0x3fff) << 4, span = kSpans[bits >> 62];
      image += 16;
    }
    /// Byte `k_byte` along k of line `line`, by the ISA's words.
    size_t at(size_t line, size_t k_byte) const {
      size_t plain;
      if (!turned) {
        plain = span == 16 ? line % 8 * 16 + line / 8 * stride + k_byte % 16 + k_byte / 16 * leading
                           : line % 8 * span + line / 8 * stride + k_byte;
      } else {
        const size_t k = k_byte / 2, wide = span / 2;
        plain = span == 16
                    ? line % 8 * 2 + line / 8 * stride + k % 8 * 16 + k / 8 * leading
                    : line % wide * 2 + line / wide * leading + k % 8 * span + k / 8 * stride;
        plain += k_byte % 2;
      }
      const size_t address = start + plain;
      return address ^ ((address >> 7 & (span / 16 - 1)) << 4);
    }
    void read(Line& to, size_t line, const std::byte* from) const {
      auto* bytes = reinterpret_cast<std::byte*>(to.data());
      for (size_t i = 0; i < kRowBytes; ++i) bytes[i] = from[at(line, i)];
    }
  };

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
    Place at_a = a_, at_b = b_;
    if (at_a.there) at_a.take(a);
    at_b.take(b);
    for (int row = 0; a_.there && row < kRows; ++row) at_a.read(rows[row], row, a);
    for (int thread = 0; !a_.there && thread < 128; ++thread) {
      for (int r = 0; r < 4; ++r) {
        const int row = thread / 32 * 16 + thread % 32 / 4 + 8 * (r % 2);
        std::memcpy(&rows[row][thread % 4 + 4 * (r / 2)], a + (thread * 4 + r) * 4, 4);
      }
    }
    for (int n = 0; n < n_; ++n) at_b.read(columns[n], n, b);
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
  Place a_, b_;
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
  const std::vector<const char*> tails = {
      "m64n8k16.f32.f16.f16",   "m64n24k16.f16.f16.f16", "m64n256k16.f32.f16.f16",
      "m64n40k8.f32.tf32.tf32", "m64n48k32.s32.u8.u8",   "m64n16k256.s32.b1.b1.and.popc"};
  for (const char* tail : sampled(tails, 3)) {
    const model::Instruction instruction = wgmma_named(tail);
    const Proof proof = prove(instruction, machine);
    EXPECT_TRUE(proof.ok) << tail << ": " << proof.first_wrong << proof.failed;
    const auto n = static_cast<uint64_t>(instruction.mma.n),
               k = static_cast<uint64_t>(instruction.mma.k);
    // As it was, then A in each layout and step, then B in each but the first.
    const bool half = instruction.mma.type_a == ElementType::f16;
    const uint64_t places = half ? 12 : 8;
    EXPECT_EQ(proof.compared, 64 * n * (2 * k + 1) + 64 * n * k * (2 * places - 1));
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
