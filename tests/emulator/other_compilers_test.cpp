// PTX of Triton and Numba, kept beside the other kernels: right and clean. Written by
// tests/compilers/compiled_ptx_test.py --keep from the kernels there; many more of them run in
// ./test --long.
#include <cmath>
#include <numeric>
#include <random>

#include "support.h"

namespace tilescope::emulator::test::other_compilers_file {
namespace {

class Buffers {
 public:
  template <class T>
  uint64_t add(const char* name, const std::vector<T>& values, bool read_only = true) {
    const uint64_t at = memory.allocate(name, values.size() * sizeof(T), read_only);
    std::memcpy(memory.bytes(at).data(), values.data(), values.size() * sizeof(T));
    return at;
  }
  template <class T>
  std::vector<T> read(uint64_t at) {
    const auto bytes = memory.bytes(at);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  Memory memory;
};

/// Runs the file's only entry with checks: nothing may be found, but `equal_stores` remarks.
void run_clean(const std::string& file, Dim3 grid, Dim3 block, uint32_t shared,
               const std::vector<std::byte>& parameters, Buffers& buffers,
               size_t equal_stores = 0) {
  const auto program = parse(read_kernel(file));
  ASSERT_TRUE(program) << file;
  RunOptions options;
  options.check = true;
  const RunResult r = run(*program, program->entries()[0].name, {grid, block, shared, parameters},
                          buffers.memory, options);
  ASSERT_FALSE(r.fault) << file << ": " << r.fault->message;
  size_t equal = 0;
  for (const Finding& f : r.findings) {
    EXPECT_TRUE(f.remark) << f.fault.message;
    equal += f.fault.kind == Fault::Kind::equal_stores;
  }
  EXPECT_EQ(equal, equal_stores) << file;
}

std::vector<float> random_reals(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& v : values) v = normal(random);
  return values;
}

/// As Numba passes an array: owner, parent, items, bytes of one, data, shape, strides.
void append_array(std::vector<std::byte>& block, uint64_t data, std::vector<uint64_t> shape) {
  const uint64_t items =
      std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<>());
  for (const uint64_t v : {uint64_t{0}, uint64_t{0}, items, uint64_t{4}, data}) append(block, v);
  for (const uint64_t n : shape) append(block, n);
  uint64_t stride = 4 * items;
  for (const uint64_t n : shape) append(block, stride /= n);
}

TEST(OtherCompilers, TritonSoftmax) {
  constexpr uint32_t kRows = 6, kColumns = 190, kStride = 192;
  const auto x = random_reals(kRows * kStride, 1);
  Buffers b;
  const uint64_t in = b.add("x", x), out = b.memory.allocate("y", x.size() * 4);
  run_clean("triton_softmax.ptx", {kRows, 1, 1}, {128, 1, 1}, 16,
            parameters(in, out, kColumns, kStride, uint64_t{0}, uint64_t{0}), b);
  const auto y = b.read<float>(out);
  for (size_t row = 0; row < kRows; ++row) {
    double sum = 0;
    for (size_t i = 0; i < kColumns; ++i) sum += std::exp(double{x[row * kStride + i]});
    for (size_t i = 0; i < kStride; ++i) {
      const double truth = i < kColumns ? std::exp(double{x[row * kStride + i]}) / sum : 0.0;
      ASSERT_NEAR(y[row * kStride + i], truth, 1e-5);
    }
  }
}

// All four warps compute and store the same 16 × 16 elements.
TEST(OtherCompilers, TritonMatmulThatAllWarpsRepeat) {
  constexpr uint32_t kSize = 16, kDepth = 64;
  std::vector<uint16_t> a(kSize * kDepth), b(kDepth * kSize);
  std::vector<int> wide_a, wide_b;
  for (uint32_t i = 0; i < a.size(); ++i) {
    wide_a.push_back(small_value(i, 1));
    wide_b.push_back(small_value(i, 2));
    a[i] = half_of(512 * wide_a[i]);
    b[i] = half_of(512 * wide_b[i]);
  }
  Buffers buffers;
  const uint64_t pa = buffers.add("a", a), pb = buffers.add("b", b),
                 pc = buffers.memory.allocate("c", kSize * kSize * 4);
  run_clean("triton_matmul_16x16.ptx", {1, 1, 1}, {128, 1, 1}, 2048,
            parameters(pa, pb, pc, kSize, kSize, kDepth, uint64_t{0}, uint64_t{0}), buffers, 2);
  const auto c = buffers.read<float>(pc);
  for (size_t m = 0; m < kSize; ++m) {
    for (size_t n = 0; n < kSize; ++n) {
      int sum = 0;
      for (size_t k = 0; k < kDepth; ++k) sum += wide_a[m * kDepth + k] * wide_b[k * kSize + n];
      ASSERT_EQ(c[m * kSize + n], static_cast<float>(sum)) << m << ", " << n;
    }
  }
}

TEST(OtherCompilers, TritonHistogram) {
  constexpr uint32_t kBins = 64, kValues = 2048;
  std::mt19937 random(3);
  std::vector<uint32_t> x(kValues), bins(kBins);
  for (uint32_t& v : x) ++bins[v = static_cast<uint32_t>(random() % kBins)];
  Buffers b;
  const uint64_t in = b.add("x", x), out = b.memory.allocate("bins", kBins * 4);
  run_clean("triton_histogram.ptx", {2, 1, 1}, {128, 1, 1}, 256,
            parameters(in, out, uint64_t{0}, uint64_t{0}), b, 1);
  EXPECT_EQ(b.read<uint32_t>(out), bins);
}

TEST(OtherCompilers, NumbaBlockSums) {
  const auto x = random_reals(1000, 4);
  Buffers b;
  const uint64_t in = b.add("x", x), out = b.add("out", std::vector<float>(1), false);
  std::vector<std::byte> block;
  append_array(block, in, {x.size()});
  append_array(block, out, {1});
  run_clean("numba_block_sums.ptx", {4, 1, 1}, {256, 1, 1}, 0, block, b);
  EXPECT_NEAR(b.read<float>(out)[0], std::accumulate(x.begin(), x.end(), 0.0), 1e-3);
}

TEST(OtherCompilers, NumbaTiledMatmul) {
  constexpr size_t kM = 40, kN = 35, kK = 50;
  const auto a = random_reals(kM * kK, 5), b = random_reals(kK * kN, 6);
  Buffers buffers;
  const uint64_t pa = buffers.add("a", a), pb = buffers.add("b", b),
                 pc = buffers.memory.allocate("c", kM * kN * 4);
  buffers.memory.expect_written_first(pc);
  std::vector<std::byte> block;
  append_array(block, pa, {kM, kK});
  append_array(block, pb, {kK, kN});
  append_array(block, pc, {kM, kN});
  run_clean("numba_matmul.ptx", {3, 3, 1}, {16, 16, 1}, 0, block, buffers);
  const auto c = buffers.read<float>(pc);
  for (size_t m = 0; m < kM; ++m) {
    for (size_t n = 0; n < kN; ++n) {
      double sum = 0;
      for (size_t k = 0; k < kK; ++k) sum += double{a[m * kK + k]} * b[k * kN + n];
      ASSERT_NEAR(c[m * kN + n], sum, 1e-4) << m << ", " << n;
    }
  }
}

TEST(OtherCompilers, NumbaCompactByBallot) {
  std::vector<int32_t> x(128), kept;
  for (uint32_t i = 0; i < x.size(); ++i) {
    x[i] = small_value(i, 7);
    if (x[i] > 0) kept.push_back(x[i]);
  }
  Buffers b;
  const uint64_t in = b.add("x", x), out = b.add("out", std::vector<int32_t>(128), false),
                 count = b.add("count", std::vector<int32_t>(1), false);
  std::vector<std::byte> block;
  for (const uint64_t p : {in, out}) append_array(block, p, {128});
  append_array(block, count, {1});
  run_clean("numba_compact.ptx", {1, 1, 1}, {128, 1, 1}, 0, block, b);
  EXPECT_EQ(b.read<int32_t>(count)[0], static_cast<int32_t>(kept.size()));
  kept.resize(128);
  EXPECT_EQ(b.read<int32_t>(out), kept);
}

}  // namespace
}  // namespace tilescope::emulator::test::other_compilers_file
