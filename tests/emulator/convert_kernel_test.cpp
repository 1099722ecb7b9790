// CUDA's own conversions to 16 and 8 bits: in software for sm_75, by instructions from sm_89 on.
// Both must give the same, and what the tables of the types' values say.
#include <cmath>

#include "exact_reference.h"
#include "support.h"

namespace tilescope::emulator::test::convert_kernel_file {
namespace {

std::vector<float> inputs() {
  std::vector<float> v = {0.0f, -0.0f,    1.0f,  -1.5f, 0.1f,   448.0f,        465.0f,   -500.0f,
                          6e4f, 65519.0f, 1e-6f, 3e-8f, -2e-3f, 0.0146484375f, 57344.0f, -61440.0f};
  for (uint32_t i = 0; v.size() < 64; ++i) {
    v.push_back(static_cast<float>(small_value(i, 77)) *
                std::ldexp(1.03125f, static_cast<int>(i % 13) - 9));
  }
  return v;
}
std::vector<uint32_t> run_convert(const char* file) {
  auto program = parse(read_kernel(file));
  if (!program) return {};
  const std::vector<float> in = inputs();
  Memory memory;
  const uint64_t a = memory.allocate("in", in.size() * 4), b = memory.allocate("out", 32 * 32);
  std::memcpy(memory.bytes(a).data(), in.data(), in.size() * 4);
  const RunResult r =
      run(*program, "convert", {{1, 1, 1}, {32, 1, 1}, 0, parameters(a, b)}, memory);
  EXPECT_FALSE(r.fault) << r.fault->message;
  return {data<uint32_t>(memory, b), data<uint32_t>(memory, b) + 256};
}

TEST(ConvertKernel, SoftwareAndInstructionsAgree) {
  const auto sm75 = run_convert("convert_75.ptx"), sm80 = run_convert("convert_80.ptx");
  const auto sm89 = run_convert("convert_89.ptx");
  ASSERT_EQ(sm89.size(), 256u);
  const std::vector<float> in = inputs();
  auto pair = [](const SmallReal& type, double low, double high, int bits, bool saturate) {
    return type.round({Wide(low), 0}, Mode::nearest, saturate) |
           type.round({Wide(high), 0}, Mode::nearest, saturate) << bits;
  };
  for (size_t i = 0; i < 32; ++i) {
    for (size_t k = 0; k < 8; ++k) {
      // CUDA's maximum of ±0 in software looks at no sign.
      if (i != 0 || k != 6) {
        EXPECT_EQ(sm75[8 * i + k], sm89[8 * i + k]) << i << " " << k;
      }
      EXPECT_EQ(sm80[8 * i + k], sm89[8 * i + k]) << i << " " << k;
    }
    const float a = in[2 * i], b = in[2 * i + 1];
    const uint32_t half = pair(f16(), a, b, 16, false);
    EXPECT_EQ(sm89[8 * i], half) << i;
    EXPECT_EQ(sm89[8 * i + 1], pair(bf16(), a, b, 16, false)) << i;
    const uint32_t e4 = pair(e4m3(), a, b, 8, true);
    EXPECT_EQ(sm89[8 * i + 2], e4) << i;
    EXPECT_EQ(sm89[8 * i + 3],
              pair(e5m2(), f16().value(half & 0xffff), f16().value(half >> 16), 8, true))
        << i;
    EXPECT_EQ(sm89[8 * i + 4],
              pair(f16(), e4m3().value(e4 & 255), e4m3().value(e4 >> 8), 16, false))
        << i;
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::convert_kernel_file
