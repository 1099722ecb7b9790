// Launches in host code, and the numbers in them.
#include "worker/engine/own/found_launches.h"

#include <gtest/gtest.h>

#include "core/sheet/expression.h"

namespace tilescope::worker {
namespace {

std::vector<sheet::FoundLaunch> launches(const std::string& source) {
  return found_launches(tokens_of(source));
}
int64_t value(const std::string& expression, const sheet::Names& names = {}) {
  return sheet::evaluate(expression, names).value_or(-1);
}

TEST(FoundLaunches, ConstantsMacrosAndFunctionsArePutIn) {
  const auto all = launches(R"(
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define THREADS 256
int up(int a, int b) { return (a + b - 1) / b; }
void run(int M, int N, float *A) {
  const uint BM = 128, BN = 64;
  constexpr int twice = 2 * BM;
  dim3 grid(CEIL_DIV(N, BN), up(M, BM), 3);
  auto block = dim3(THREADS);
  size_t bytes = twice * sizeof(float);
  ns::f<BM, BN, float><<<grid, THREADS, bytes, stream>>>(M, N + 1, A);
  g<<<dim3(grid.x, 2), {16, 16}>>>(A);
}
)");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].kernel, "ns::f<128, 64, float>");
  EXPECT_EQ(all[0].line, 11);
  EXPECT_TRUE(is_instance(all[0]));
  const sheet::Names names = {{"M", 1000}, {"N", 100}};
  EXPECT_EQ(value(all[0].grid[0], names), 2);
  EXPECT_EQ(value(all[0].grid[1], names), 8);
  EXPECT_EQ(value(all[0].grid[2], names), 3);
  EXPECT_EQ(value(all[0].block[0]), 256);
  EXPECT_EQ(value(all[0].shared), 1024);
  EXPECT_EQ(all[0].arguments[0], "M");
  EXPECT_EQ(value(all[0].arguments[1], names), 101);
  EXPECT_EQ(value(all[1].grid[0], names), 2);
  EXPECT_EQ(value(all[1].grid[1]), 2);
  EXPECT_EQ(value(all[1].block[1]), 16);
}

// With another N the grid is another one.
TEST(FoundLaunches, WhatTheKernelIsToldStaysAName) {
  const auto all =
      launches("int main() { const int N = 512, T = 32; dim3 grid(N / T); f<<<grid, T>>>(a, N); }");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(value(all[0].grid[0], {{"N", 64}}), 2);
  EXPECT_EQ(value(all[0].block[0]), 32);
  EXPECT_EQ(all[0].values, (std::map<std::string, int64_t, std::less<>>{{"N", 512}}));
}

TEST(FoundLaunches, WhatChangesOrIsNotKnownStaysOpen) {
  const auto all = launches(R"(
const int fixed = 7;
void a(int fixed) { f<<<fixed, 32>>>(); }
void b() { int n = 1; n *= 2; f<<<n, 32>>>(); }
void c() { f<<<fixed, blockSize(3)>>>(); }
void d() { dim3 g(4); g.x = h(); f<<<g, 32>>>(); }
template <int B> void e() { f<B><<<1, B>>>(); }
)");
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(sheet::evaluate(all[0].grid[0]), std::nullopt) << all[0].grid[0];
  EXPECT_EQ(sheet::evaluate(all[1].grid[0]), std::nullopt) << all[1].grid[0];
  EXPECT_EQ(value(all[2].grid[0]), 7);
  EXPECT_EQ(sheet::evaluate(all[2].block[0]), std::nullopt);
  EXPECT_EQ(sheet::evaluate(all[3].grid[0]), std::nullopt) << all[3].grid[0];
  EXPECT_FALSE(is_instance(all[4]));
}

// As in C a macro's own name stays in it; and of what would double 40 times nothing is known, which
// takes no longer than the rest.
TEST(FoundLaunches, MacrosOfThemselvesAndOfOthersEnd) {
  std::string chain = "#define A0 1\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string before = "A" + std::to_string(i - 1);
    chain += "#define A" + std::to_string(i) + " (" + before + " + " + before + ")\n";
  }
  const auto all = launches(chain + R"(
#define N N
#define LIKE(x) LIKE(x + 1)
void run(int N) {
  f<<<N / 2, A3>>>(N);
  g<<<A40, LIKE(2)>>>(N);
}
)");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(value(all[0].grid[0], {{"N", 64}}), 32);
  EXPECT_EQ(value(all[0].block[0]), 8);
  EXPECT_EQ(value(all[1].grid[0]), -1);
  EXPECT_EQ(value(all[1].block[0]), -1);
}

TEST(FoundLaunches, OtherTextsHaveNone) {
  EXPECT_TRUE(launches("x = a <<< b;").empty());
  EXPECT_TRUE(launches("// f<<<1, 2>>>()\nconst char* s = \"f<<<1, 2>>>()\";").empty());
  EXPECT_TRUE(launches("f<<<1, 2").empty());
  EXPECT_TRUE(launches("<<<1, 2>>>()").empty());
}

}  // namespace
}  // namespace tilescope::worker
