// "It is a GEMM": which parameter is what, in any order, by names or by types.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/sheet/check_sheet.h"
#include "core/sheet/guess_sheet.h"
#include "core/sheet/sheet_error.h"
#include "tests/sheet/random_signature.h"

namespace tilescope::sheet {
namespace {

Parameter parameter(const char* name, const char* ptx, uint32_t bytes, const std::string& cpp) {
  Parameter p;
  p.name = name, p.ptx = ptx, p.bytes = bytes, p.cpp = cpp;
  p.is_const = cpp.find("const") != std::string::npos;
  return p;
}
Parameter pointer(const char* name, const char* type, bool is_const) {
  return parameter(name, ".u64", 8, std::string(type) + (is_const ? " const*" : "*"));
}
Parameter integer(const char* name) { return parameter(name, ".u32", 4, "int"); }
Parameter real(const char* name) { return parameter(name, ".f32", 4, "float"); }

std::string args_of(const LaunchSheet& s) {
  std::string all;
  for (const std::string& a : s.args) all += a + " ";
  return all;
}

TEST(GemmSheet, AsManyWriteIt) {
  Signature s;
  s.entry = s.demangled = "sgemm";
  s.parameters = {integer("M"),
                  integer("N"),
                  integer("K"),
                  real("alpha"),
                  pointer("A", "float", true),
                  pointer("B", "float", true),
                  real("beta"),
                  pointer("C", "float", false)};
  FoundLaunch launch;
  launch.kernel = "sgemm";
  launch.grid = {"(N + 31) / 32", "(m + 31) / 32", ""};
  launch.block = {"32 * 32", "", ""};
  launch.arguments = {"m", "N", "K", "alpha", "A", "B", "beta", "C"};
  const LaunchSheet sheet = gemm_sheet(s, {&launch, 1}, {100, 200, 64});
  EXPECT_EQ(args_of(sheet),
            "i32:100 i32:200 i32:64 f32:1.5 buf:f32:100x64:random:in buf:f32:64x200:random:in "
            "f32:0.5 buf:f32:100x200:random:inout ");
  EXPECT_EQ(sheet.grid, (Extent{7, 4, 1}));
  EXPECT_EQ(sheet.block, (Extent{1024, 1, 1}));
  EXPECT_TRUE(sheet.guesses.empty());
  ASSERT_TRUE(sheet.gemm);
  EXPECT_EQ(sheet.gemm->alpha, 3);
  EXPECT_EQ(sheet.gemm->c, 7);
  EXPECT_TRUE(faults_of(s, sheet).empty());
}

// A grid of numbers alone is that of one size.
TEST(GemmSheet, AGridForAnotherSizeIsNotTaken) {
  Signature s;
  s.entry = s.demangled = "f";
  s.parameters = {pointer("a", "float", true), pointer("b", "float", true),
                  pointer("c", "float", false), integer("n")};
  FoundLaunch launch{"f", 1, {"8", "8", ""}, {"16", "16", ""}, "", {"a", "b", "c", "256"}};
  EXPECT_TRUE(gemm_sheet(s, {&launch, 1}, {256, 256, 256}).guesses.empty());
  // Its block is of numbers, and stays.
  const LaunchSheet other = gemm_sheet(s, {&launch, 1}, {128, 128, 128});
  EXPECT_EQ(other.guesses, std::vector<std::string>{"grid"});
  EXPECT_EQ(other.block, (Extent{16, 16, 1}));
  EXPECT_THROW(gemm_sheet(s, {&launch, 1}, {128, 128, 64}), SheetError);
}

TEST(GemmSheet, LeadingDimensionsAndColumns) {
  Signature s;
  s.entry = s.demangled = "f";
  s.parameters = {pointer("d_A", "__half", true),
                  integer("lda"),
                  pointer("d_B", "__half", true),
                  integer("ldb"),
                  pointer("d_C", "float", false),
                  integer("ldc"),
                  integer("m"),
                  integer("n"),
                  integer("k")};
  GemmQuestion q{10, 20, 30};
  q.layout = "TN";
  q.column_c = true;
  EXPECT_EQ(args_of(gemm_sheet(s, {}, q)),
            "buf:f16:10x30:random:in i32:30 buf:f16:20x30:random:in i32:30 buf:f32:20x10:zeros:out "
            "i32:10 i32:10 i32:20 i32:30 ");
}

TEST(GemmSheet, RandomOrdersAndNames) {
  const unsigned seed = 1234;
  std::mt19937 random(seed);
  const std::vector<std::array<const char*, 3>> pointers = {
      {"A", "B", "C"}, {"d_A", "d_B", "d_C"}, {"a_ptr", "b_ptr", "c_ptr"}, {"lhs", "rhs", "out"}};
  const std::vector<std::array<const char*, 3>> extents = {{"M", "N", "K"}, {"m", "n", "k"}};
  for (int i = 0; i < 3000; ++i) {
    const auto& p = pointers[size_t(pick(random, 0, 3))];
    const auto& e = extents[size_t(pick(random, 0, 1))];
    const bool factors = pick(random, 0, 1) == 1;
    const char* type = pick(random, 0, 1) == 0 ? "float" : "__half";
    Signature s;
    s.entry = s.demangled = "f";
    s.parameters = {pointer(p[0], type, true),
                    pointer(p[1], type, true),
                    pointer(p[2], "float", false),
                    integer(e[0]),
                    integer(e[1]),
                    integer(e[2])};
    if (factors) s.parameters.push_back(real("alpha")), s.parameters.push_back(real("beta"));
    std::shuffle(s.parameters.begin(), s.parameters.end(), random);
    GemmQuestion q{pick(random, 1, 999), pick(random, 1, 999), pick(random, 1, 999)};
    const LaunchSheet sheet = gemm_sheet(s, {}, q);
    const auto named = [&](int at) { return s.parameters[size_t(at)].name; };
    EXPECT_EQ(named(sheet.gemm->a), p[0]);
    EXPECT_EQ(named(sheet.gemm->b), p[1]);
    EXPECT_EQ(named(sheet.gemm->c), p[2]);
    EXPECT_EQ(sheet.gemm->beta.has_value(), factors);
    EXPECT_TRUE(faults_of(s, sheet).empty());
    for (size_t j = 0; j < s.parameters.size(); ++j) {
      const int sizes[] = {q.m, q.n, q.k};
      for (size_t axis = 0; axis < 3; ++axis) {
        if (s.parameters[j].name == e[axis]) {
          EXPECT_EQ(sheet.args[j], "i32:" + std::to_string(sizes[axis]));
        }
      }
    }
  }
}

// Without names: the PTX's types and their order, and what is not const.
TEST(GemmSheet, WithoutNames) {
  Signature s;
  s.entry = s.demangled = "f";
  s.parameters = {pointer("", "float", false),
                  pointer("", "float", true),
                  pointer("", "float", true),
                  integer(""),
                  integer(""),
                  integer("")};
  const LaunchSheet sheet = gemm_sheet(s, {}, {1, 2, 3});
  EXPECT_EQ(sheet.gemm->c, 0);
  EXPECT_EQ(sheet.gemm->a, 1);
  EXPECT_EQ(sheet.args[5], "i32:3");
}

TEST(GemmSheet, WhatCannotBeToldIsSaid) {
  Signature s;
  s.entry = s.demangled = "f";
  const auto refused = [&](const std::string& part) {
    try {
      gemm_sheet(s, {}, {8, 8, 8});
      ADD_FAILURE() << part;
    } catch (const SheetError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  s.parameters = {pointer("x", "float", true), pointer("y", "float", false)};
  refused("is A of f(float const* x, float* y)");
  s.parameters = {pointer("A", "float", true), pointer("B", "float", true),
                  pointer("C", "float", false), pointer("workspace", "float", false)};
  refused("float* workspace");
  s.parameters = {parameter("params", ".b8", 64, "Params")};
  refused("neither a buffer nor a number");
}

// Whatever a kernel takes: a sheet that fits, or a sentence.
TEST(GemmSheet, RandomSignatures) {
  const unsigned seed = 99;
  std::mt19937 random(seed);
  int told = 0;
  for (int i = 0; i < 20000; ++i) {
    const Signature s = random_signature(random);
    try {
      const LaunchSheet sheet = gemm_sheet(s, {}, {16, 16, 16});
      EXPECT_EQ(sheet.args.size(), s.parameters.size());
      ++told;
    } catch (const SheetError& error) {
      EXPECT_GT(std::string(error.what()).size(), 20u);
    }
  }
  EXPECT_GT(told, 20);
}

}  // namespace
}  // namespace tilescope::sheet
