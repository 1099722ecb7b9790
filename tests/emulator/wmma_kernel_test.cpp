// Whole products by nvcc's wmma (kernels/wmma_gemm.cu): load, mma and store have to fit together.
#include "matrix_support.h"

namespace tilescope::emulator::test::wmma_kernel_file {
namespace {

struct Entry {
  const char* name;
  uint32_t tile_m, tile_n;
  const char *inputs, *sums;  // types
};

// Small whole numbers, exact in every type.
uint64_t bits_of_whole(const std::string& type, int v) {
  if (type == "f16") return half_of(v * 512);
  if (type == "f64") return bits(static_cast<double>(v));
  if (type == "bf16") return bits(static_cast<float>(v)) >> 16;
  if (type == "f32" || type == "tf32") return bits(static_cast<float>(v));
  return static_cast<uint32_t>(v);
}

TEST(WmmaKernels, Products) {
  constexpr uint32_t m = 64, n = 96, k = 48;
  const auto program = parse(read_kernel("wmma_gemm.ptx"));
  ASSERT_TRUE(program);
  for (const Entry& e :
       {Entry{"f16_f32", 16, 16, "f16", "f32"}, Entry{"f16_f16", 32, 8, "f16", "f16"},
        Entry{"bf16_f32", 8, 32, "bf16", "f32"}, Entry{"s8_s32", 32, 8, "s8", "s32"},
        Entry{"u8_s32", 8, 32, "u8", "s32"}, Entry{"tf32_f32", 16, 16, "tf32", "f32"},
        Entry{"f64_f64", 8, 8, "f64", "f64"}}) {
    const bool is_unsigned = e.inputs[0] == 'u';
    Memory memory;
    auto fill = [&](const char* name, const std::string& type, uint32_t count, uint32_t seed) {
      // tf32 lies in memory as f32 does.
      const size_t bytes = type == "tf32" ? 4 : static_cast<size_t>(bits_of(type)) / 8;
      const uint64_t at = memory.allocate(name, count * bytes);
      for (uint32_t i = 0; i < count; ++i) {
        const int v = small_value(i, seed) + (is_unsigned ? 8 : 0);
        const uint64_t element = bits_of_whole(type, v);
        std::memcpy(memory.bytes(at).data() + i * bytes, &element, bytes);
      }
      return at;
    };
    const uint64_t a = fill("A", e.inputs, m * k, 1), b = fill("B", e.inputs, k * n, 2),
                   c = fill("C", e.sums, m * n, 3);
    const Launch launch{{n / e.tile_n, m / e.tile_m, 1}, {32, 1, 1}, 0, parameters(a, b, c, n, k)};
    const RunResult r = run(*program, e.name, launch, memory);
    ASSERT_FALSE(r.fault) << e.name << ": " << r.fault->message;
    const int offset = is_unsigned ? 8 : 0;
    const size_t bytes = static_cast<size_t>(bits_of(e.sums)) / 8;
    for (uint32_t row = 0; row < m; ++row) {
      for (uint32_t col = 0; col < n; ++col) {
        int sum = small_value(row * n + col, 3) + offset;
        for (uint32_t i = 0; i < k; ++i) {
          sum += (small_value(row * k + i, 1) + offset) * (small_value(i * n + col, 2) + offset);
        }
        uint64_t got = 0;
        std::memcpy(&got, memory.bytes(c).data() + (row * n + col) * bytes, bytes);
        ASSERT_EQ(value_of(e.sums, got), sum) << e.name << " at " << row << ", " << col;
      }
    }
    EXPECT_EQ(r.counts.mma, uint64_t{m / e.tile_m} * (n / e.tile_n) *
                                (k / (e.inputs[0] == 't'   ? 8
                                      : e.inputs[1] == '6' ? 4
                                                           : 16)))
        << e.name;
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::wmma_kernel_file
