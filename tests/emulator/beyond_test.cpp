// Kernels beyond GEMM from nvcc (-O3 and -G, five architectures) and clang, against CPU references.
#include <cmath>
#include <numeric>

#include "support.h"
#include "wide_reference.h"

namespace tilescope::emulator::test::beyond_file {
namespace {

struct Source {
  const char* file;
  const char* target;  // of the file's `.target` line
  const char* as;      // what is put there
  bool check = false;  // all of these kernels are clean: the checks must find nothing
};

class Beyond : public testing::TestWithParam<Source> {
 protected:
  void SetUp() override {
    std::string ptx = read_kernel(GetParam().file);
    const std::string target = std::string(".target ") + GetParam().target;
    const size_t at = ptx.find(target);
    ASSERT_NE(at, std::string::npos);
    ptx.replace(at, target.size(), std::string(".target ") + GetParam().as);
    program_ = parse(ptx);
    ASSERT_TRUE(program_);
  }
  template <class T>
  uint64_t buffer(const char* name, const std::vector<T>& values) {
    const uint64_t a = memory_.allocate(name, values.size() * sizeof(T));
    std::memcpy(memory_.bytes(a).data(), values.data(), values.size() * sizeof(T));
    return a;
  }
  template <class... T>
  RunResult launch(const char* entry, Dim3 grid, Dim3 block, uint32_t shared, T... arguments) {
    RunOptions options;
    options.threads = 2;
    options.check = GetParam().check;
    options.max_warp_instructions = 20'000'000;
    return run(*program_, entry, {grid, block, shared, parameters(arguments...)}, memory_, options);
  }
  std::shared_ptr<const Program> program_;
  Memory memory_;
};
#define RUNS(...)                                        \
  do {                                                   \
    const RunResult result = launch(__VA_ARGS__);        \
    ASSERT_FALSE(result.fault) << result.fault->message; \
  } while (false)

std::vector<float> eighths(int n, uint32_t seed) {  // sums of them are exact in any order
  std::vector<float> v;
  for (int i = 0; i < n; ++i) {
    v.push_back(static_cast<float>(small_value(static_cast<uint32_t>(i), seed)) / 8);
  }
  return v;
}

using Nvcc = Beyond;

TEST_P(Nvcc, Reduces) {
  const auto in = eighths(5000, 3);
  const uint64_t a = buffer("in", in), b = memory_.allocate("out", 4);
  RUNS("reduce", {3, 1, 1}, {256, 1, 1}, 0, a, b, 5000);
  EXPECT_EQ(data<float>(memory_, b)[0], std::accumulate(in.begin(), in.end(), 0.0f));
}

TEST_P(Nvcc, Transposes) {
  const int rows = 70, cols = 45;
  const auto in = eighths(rows * cols, 5);
  const uint64_t a = buffer("in", in), b = memory_.allocate("out", in.size() * 4);
  RUNS("transpose", {2, 3, 1}, {32, 8, 1}, 0, a, b, rows, cols);
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < cols; ++x) {
      ASSERT_EQ(data<float>(memory_, b)[x * rows + y], in[static_cast<size_t>(y * cols + x)]);
    }
  }
}

TEST_P(Nvcc, Softmax) {
  const int rows = 3, cols = 77;
  const auto in = eighths(rows * cols, 9);
  const uint64_t a = buffer("in", in), b = memory_.allocate("out", in.size() * 4);
  RUNS("softmax", {3, 1, 1}, {32, 1, 1}, 0, a, b, cols);
  for (int y = 0; y < rows; ++y) {
    double sum = 0;
    for (int x = 0; x < cols; ++x) sum += std::exp(in[static_cast<size_t>(y * cols + x)]);
    for (int x = 0; x < cols; ++x) {
      const double expected = std::exp(in[static_cast<size_t>(y * cols + x)]) / sum;
      ASSERT_NEAR(data<float>(memory_, b)[y * cols + x], expected, 1e-5 * expected + 1e-9);
    }
  }
}

TEST_P(Nvcc, Histogram) {
  std::vector<uint8_t> in;
  std::vector<uint32_t> expected(256);
  for (uint32_t i = 0; i < 3000; ++i) {
    in.push_back(static_cast<uint8_t>((i * 2654435761u) >> 25));
    ++expected[in.back()];
  }
  const uint64_t a = buffer("in", in), b = memory_.allocate("out", 1024);
  RUNS("histogram", {4, 1, 1}, {128, 1, 1}, 0, a, b, 3000);
  for (size_t i = 0; i < 256; ++i) ASSERT_EQ(data<uint32_t>(memory_, b)[i], expected[i]) << i;
}

TEST_P(Nvcc, Scans) {
  std::vector<int> in(250), expected(250);
  for (uint32_t i = 0; i < 250; ++i) in[i] = small_value(i, 17);
  std::partial_sum(in.begin(), in.end(), expected.begin());
  const uint64_t a = buffer("in", in), b = memory_.allocate("out", 1000);
  RUNS("scan", {1, 1, 1}, {256, 1, 1}, 1024, a, b, 250);
  for (size_t i = 0; i < 250; ++i) ASSERT_EQ(data<int>(memory_, b)[i], expected[i]) << i;
}

TEST_P(Nvcc, LanesWaitForEachOther) {
  const uint64_t lock = memory_.allocate("lock", 4), counter = memory_.allocate("counter", 4);
  RUNS("spin_lock", {4, 1, 1}, {96, 1, 1}, 0, lock, counter);
  EXPECT_EQ(data<int>(memory_, counter)[0], 384);
  const uint64_t flag = memory_.allocate("flag", 4), out = memory_.allocate("out", 33 * 4);
  RUNS("hand_over", {1, 1, 1}, {32, 1, 1}, 0, flag, out);
  EXPECT_EQ(data<int>(memory_, out)[0], 42);
  EXPECT_EQ(data<int>(memory_, out)[32], 31);
}

int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int ackermann(int m, int n) {
  return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

TEST_P(Nvcc, Recursion) {
  const uint64_t out = memory_.allocate("out", 64 * 12);
  RUNS("recursion", {1, 1, 1}, {64, 1, 1}, 0, out);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(data<int>(memory_, out)[3 * i], fibonacci(i % 13)) << i;
    EXPECT_EQ(data<int>(memory_, out)[3 * i + 1], i % 2 == 0) << i;
    EXPECT_EQ(data<int>(memory_, out)[3 * i + 2], ackermann(i % 3, i % 5)) << i;
  }
}

TEST_P(Nvcc, IndirectCalls) {
  const uint64_t out = memory_.allocate("out", 64 * 4);
  RUNS("indirect", {1, 1, 1}, {64, 1, 1}, 0, out);
  auto apply = [](int k, float a, float b) { return k == 0 ? a + b : k == 1 ? a - b : a * b; };
  for (int i = 0; i < 64; ++i) {
    const float f = static_cast<float>(i), a = 2 * f, b = f / 2;
    const float area = i % 2 ? f * f : 3.0f * f * f;
    EXPECT_EQ(data<float>(memory_, out)[i], apply(i % 3, f, 2.0f) + (i % 2 ? a + b : a * b) + area)
        << i;
  }
}

TEST_P(Nvcc, AddressesInInitialisers) {
  const uint64_t out = memory_.allocate("out", 32 * 4);
  RUNS("pointers", {1, 1, 1}, {32, 1, 1}, 0, out);
  const int table[5] = {3, 1, 4, 1, 5};
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(data<int>(memory_, out)[i], table[i % 5] + (i % 2 ? 'd' : 'v')) << i;
  }
}

TEST_P(Nvcc, JumpTables) {
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i) in[static_cast<size_t>(i)] = (i * 7) % 10;
  const uint64_t a = buffer("in", in), out = memory_.allocate("out", 256);
  RUNS("jump_table", {1, 1, 1}, {64, 1, 1}, 0, a, out);
  for (int i = 0; i < 64; ++i) {
    const int by_case[10] = {i * 3, i - 7, i ^ 21, i * i, -i, i * 8, i / 3, i % 7, -1, -1};
    EXPECT_EQ(data<int>(memory_, out)[i], by_case[in[static_cast<size_t>(i)]]) << i;
  }
}

TEST_P(Nvcc, PrintsAndAsserts) {
  const RunResult all = launch("print", {2, 1, 1}, {32, 1, 1}, 0, 32);
  ASSERT_FALSE(all.fault) << all.fault->message;
  std::string expected;
  for (int b = 0; b < 2; ++b) {
    expected += "block " + std::to_string(b) + " thread  3: text  0.75 -1234567890123 x%\n";
    expected += "block " + std::to_string(b) + " thread 19: text  4.75 -1234567890123 x%\n";
  }
  EXPECT_EQ(all.output, expected);
  const RunResult failed = launch("print", {2, 1, 1}, {32, 1, 1}, 0, 20);
  ASSERT_TRUE(failed.fault);
  EXPECT_EQ(failed.fault->kind, Fault::Kind::trap);
  EXPECT_EQ(failed.fault->lane, 20u);
  EXPECT_NE(failed.output.find("Assertion `(int)threadIdx.x < limit` failed."), std::string::npos)
      << failed.output;
}

TEST_P(Nvcc, ChecksFindNothingInCleanKernels) {
  RunOptions options;
  options.check = true;
  options.max_warp_instructions = 20'000'000;
  const uint64_t a = memory_.allocate("in", 1 << 16), b = memory_.allocate("out", 1 << 16);
  auto clean = [&](const char* entry, uint32_t threads, uint32_t shared, auto... arguments) {
    const RunResult r =
        run(*program_, entry, {{2, 1, 1}, {threads, 1, 1}, shared, parameters(arguments...)},
            memory_, options);
    EXPECT_FALSE(r.fault) << entry << ": " << r.fault->message;
  };
  clean("reduce", 256, 0, a, b, 5000);
  clean("softmax", 32, 0, a, b, 77);
  clean("histogram", 128, 0, a, b, 3000);
  const uint64_t lock = memory_.allocate("lock", 8);
  clean("spin_lock", 64, 0, lock, lock + 4);
  const std::string target = GetParam().as;
  if (target.substr(0, 5) != "sm_75") {
    options.ctas = {{0, 0, 0}};
    clean("pipeline", 64, 0, a, b, 7);
  }
}

TEST_P(Nvcc, PipelineOfCopiesAndBarriers) {
  if (std::string(GetParam().as).find("sm_75") == 0) GTEST_SKIP() << "cp.async is sm_80's";
  const int steps = 7;
  std::vector<int> in(64 * 4 * steps);
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = small_value(i, 23);
  const uint64_t a = buffer("in", in), out = memory_.allocate("out", 256);
  RUNS("pipeline", {1, 1, 1}, {64, 1, 1}, 0, a, out, steps);
  for (int t = 0; t < 64; ++t) {
    int sum = 0;
    for (int k = 0; k < steps; ++k) {
      for (int j = 0; j < 4; ++j)
        sum += (j + 1) * in[static_cast<size_t>((k * 64 + 63 - t) * 4 + j)];
    }
    EXPECT_EQ(data<int>(memory_, out)[t], sum) << t;
  }
}

uint64_t mixed(const std::vector<uint32_t>& in, uint32_t i) {
  const uint32_t a = in[i], b = in[i + 32];
  UInt128 wide = UInt128(uint64_t{a} << 32 | b) * UInt128(0x123456789abcdefull);
  wide += UInt128(a) << 70;
  uint64_t r = static_cast<uint64_t>(wide >> 64) ^ static_cast<uint64_t>(wide);
  uint32_t reversed = 0, permuted = 0, dot = 5, sums = 0, votes = 0, same = 0, seven = 0;
  for (uint32_t k = 0; k < 32; ++k) reversed |= (b >> k & 1u) << (31 - k);
  const uint64_t both = uint64_t{b} << 32 | a;
  for (uint32_t k = 0; k < 4; ++k) {
    const uint32_t byte = 0x5140u >> (4 * k) & 7u;
    permuted |= static_cast<uint32_t>(both >> (8 * byte) & 255u) << (8 * k);
    dot += static_cast<uint32_t>(static_cast<int8_t>(a >> (8 * k)) *
                                 static_cast<int8_t>(b >> (8 * k)));
    sums |= (((a >> (8 * k)) + (b >> (8 * k))) & 255u) << (8 * k);
  }
  for (uint32_t k = 0; k < 32; ++k) {
    votes |= (in[k] & 1u) << k;
    seven |= in[k] == 7;
    same |= static_cast<uint32_t>(in[k] % 3 == a % 3) << k;
  }
  const uint32_t shifted = i == 0 ? b : b << i | a >> (32 - i);
  // as the kernel's own expressions: sums of 32-bit values before they are widened
  r += static_cast<uint64_t>(
      static_cast<uint32_t>(std::popcount(a)) + static_cast<uint32_t>(std::countl_zero(b)) +
      (a ? static_cast<uint32_t>(std::countr_zero(a)) + 1 : 0) + reversed + permuted);
  r += static_cast<uint64_t>(shifted + static_cast<uint32_t>(uint64_t{a} * b >> 32) + dot + sums);
  r += static_cast<uint64_t>(votes + seven + same);
  r += static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(a)) /
                                 static_cast<int64_t>(static_cast<int32_t>(b | 1)) +
                             static_cast<int64_t>(a) % static_cast<int64_t>(b | 1));
  return r;
}

TEST_P(Nvcc, MixedArithmetic) {
  std::vector<uint32_t> in;
  for (uint32_t i = 0; i < 64; ++i) in.push_back((i * 2654435761u) ^ (i << 7));
  in[3] = 7;
  const uint64_t a = buffer("in", in), out = memory_.allocate("out", 256);
  RUNS("mixed", {1, 1, 1}, {32, 1, 1}, 0, a, out);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(data<uint64_t>(memory_, out)[i], mixed(in, i)) << i;
  }
}

std::string name_of(const testing::TestParamInfo<Source>& info) {
  std::string name = std::string(info.param.as).substr(0, 5);
  const std::string file = info.param.file;
  return name + file.substr(file.rfind('_'), file.size() - 4 - file.rfind('_'));
}

INSTANTIATE_TEST_SUITE_P(
    Toolkit, Nvcc,
    testing::Values(Source{"beyond_75_O3.ptx", "sm_75", "sm_75", true},
                    Source{"beyond_75_G.ptx", "sm_75, debug", "sm_75, debug", true},
                    Source{"beyond_80_O3.ptx", "sm_80", "sm_80"},
                    Source{"beyond_80_G.ptx", "sm_80, debug", "sm_80, debug"},
                    Source{"beyond_80_O3.ptx", "sm_80", "sm_86", true},
                    Source{"beyond_80_G.ptx", "sm_80, debug", "sm_86, debug", true},
                    Source{"beyond_80_O3.ptx", "sm_80", "sm_89"},
                    Source{"beyond_80_G.ptx", "sm_80, debug", "sm_89, debug"},
                    Source{"beyond_80_O3.ptx", "sm_80", "sm_90", true},
                    Source{"beyond_80_G.ptx", "sm_80, debug", "sm_90, debug", true}),
    name_of);

class Clang : public Beyond {};

TEST_P(Clang, Reduces) {
  const auto in = eighths(1000, 3);
  const uint64_t a = buffer("in", in), b = memory_.allocate("out", 4);
  RUNS("clang_reduce", {1, 1, 1}, {128, 1, 1}, 0, a, b, 1000);
  EXPECT_EQ(data<float>(memory_, b)[0], std::accumulate(in.begin(), in.end(), 0.0f));
}

TEST_P(Clang, CallsAndLocks) {
  const uint64_t out = memory_.allocate("out", 64 * 4);
  RUNS("clang_recursion", {1, 1, 1}, {64, 1, 1}, 0, out);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(data<int>(memory_, out)[i], ackermann(i % 3, i % 5)) << i;
  RUNS("clang_indirect", {1, 1, 1}, {64, 1, 1}, 0, out);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(data<int>(memory_, out)[i], i % 3 == 0 ? i + 5 : i % 3 == 1 ? i - 5 : i * 5) << i;
  }
  const uint64_t lock = memory_.allocate("lock", 4), counter = memory_.allocate("counter", 4);
  RUNS("clang_lock", {2, 1, 1}, {64, 1, 1}, 0, lock, counter);
  EXPECT_EQ(data<int>(memory_, counter)[0], 128);
}

struct alignas(8) Shape {  // as the device aligns its double
  double weight;
  int16_t sides[5];
  char name;
};

TEST_P(Clang, MixedWithAStructByValue) {
  std::vector<int> in;
  for (uint32_t i = 0; i < 64; ++i) in.push_back(static_cast<int>(i * 2654435761u) >> (i % 20));
  const Shape shape{1.5, {2, -3, 5, -7, 11}, 'q'};
  const uint64_t a = buffer("in", in), out = memory_.allocate("out", 64 * 8);
  RUNS("clang_mixed", {1, 1, 1}, {64, 1, 1}, 0, a, out, shape);
  const int factors[8] = {7, 1, 3, 5, 9, 2, 4, 8};
  for (int i = 0; i < 64; ++i) {
    const int v = in[static_cast<size_t>(i)];
    int64_t r = (v >> (v & 15)) * int64_t{factors[i & 7]} + shape.sides[i % 5] + shape.name;
    const int64_t by_case[10] = {r + 3, r * 5, r ^ 77, r - i, -r, r / 3, r % 11, 0, 0, r << 3};
    const int k = v & 15;
    r = k < 7 || k == 9 ? by_case[k] : r + static_cast<int64_t>(shape.weight * i);
    const float f = static_cast<float>(v) * 0.25f;
    r += static_cast<int64_t>(std::floor(f)) + (f < 0 ? 1 : 0) +
         std::popcount(static_cast<uint32_t>(v)) + std::countl_zero(static_cast<uint32_t>(v | 1));
    EXPECT_EQ(data<int64_t>(memory_, out)[i], r) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Debian, Clang,
                         testing::Values(Source{"clang_75_O3.ptx", "sm_75", "sm_75", true},
                                         Source{"clang_86_O0.ptx", "sm_86", "sm_86", true}),
                         name_of);

}  // namespace
}  // namespace tilescope::emulator::test::beyond_file
