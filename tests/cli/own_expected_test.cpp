// A sheet that lies beside the kernel's file, and what a run is compared with.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;

std::string placed(const std::string& name, const std::string& text) {
  const std::string file = scratch_folder() + "/" + name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}
std::string text_of_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {(std::istreambuf_iterator<char>(in)), {}};
}

// out[i] = in[i] * factor
constexpr const char* kDoubles = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry times(.param .u64 in, .param .u64 out, .param .f32 factor)
.maxntid 64, 1, 1
{
  .reg .b32 %r<5>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.f32 %f1, [factor];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  mul.f32 %f3, %f2, %f1;
  st.global.f32 [%rd5], %f3;
  ret;
}
)";

TEST(OwnExpected, ASheetBesideTheFileIsTaken) {
  const std::string file = placed("kept.ptx", kDoubles);
  const std::string sheet = placed("kept.sheet.json", R"({
  "entry": "times", "grid": [2], "block": [64], "shared": 0,
  "args": ["buf:f32:2x64:kept.in:in", "buf:f32:2x64:zeros:out", "f32:2"],
  "expect": {"files": {"1": "kept.out"}}
})");
  const auto numbers = [](float factor) {
    std::string bytes;
    for (int i = 0; i < 128; ++i) {
      const float value = static_cast<float>(i) * factor;
      bytes.append(reinterpret_cast<const char*>(&value), 4);
    }
    return bytes;
  };
  placed("kept.in", numbers(1));
  placed("kept.out", numbers(2));
  const CliResult r = run_cli({"emulate", "--ptx", file, "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find("launched as kept.sheet.json says"), std::string::npos) << r.err;
  EXPECT_EQ(r.json()["ctas"], 2);
  ASSERT_EQ(r.json()["expected"].size(), 1u);
  EXPECT_EQ(r.json()["expected"][0]["against"], "kept.out");
  placed("kept.out", numbers(3));
  const CliResult wrong = run_cli({"check", file, "--json"});
  EXPECT_EQ(wrong.code, 1) << wrong.err;
  EXPECT_EQ(wrong.json()["expected"][0]["wrong"], 127);
  EXPECT_EQ(wrong.json()["lines"][0]["findings"][0]["kind"], "wrong_result");
  // What is given counts alone; a guess is nobody's word.
  EXPECT_EQ(
      run_cli({"emulate", "--ptx", file, "--grid", "1", "--arg", "out:512", "out:512", "f32:1"})
          .err.find("launched as"),
      std::string::npos);
  placed("kept.sheet.json", text_of_file(sheet).insert(1, "\"guesses\": [\"grid\"],"));
  EXPECT_EQ(run_cli({"emulate", "--ptx", file}).code, 2);
}

TEST(OwnExpected, WhatIsRightIsSaidByAnotherKernelOrAFile) {
  std::string adds = kDoubles;
  adds.replace(adds.find("mul.f32 %f3, %f2, %f1"), 21, "add.f32 %f3, %f2, %f2");
  adds.replace(adds.find("entry times"), 11, "entry twice");
  const std::string file = placed("first.ptx", kDoubles), other = placed("second.ptx", adds);
  const auto run = [&](const std::string& factor, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"emulate",
                                          "--ptx",
                                          file,
                                          "--grid",
                                          "2",
                                          "--json",
                                          "--arg",
                                          "buf:f32:2x64:random:in",
                                          "buf:f32:2x64:zeros:out",
                                          "f32:" + factor};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments);
  };
  const CliResult without = run("2", {"--expect-kernel", other + ":twice"});
  EXPECT_EQ(without.code, 2);
  EXPECT_NE(without.err.find("write expect.kernel.grid"), std::string::npos) << without.err;
  const std::string sheet = placed("twice.sheet.json", R"({
  "entry": "times", "grid": [2], "block": [64],
  "args": ["buf:f32:2x64:random:in", "buf:f32:2x64:zeros:out", "f32:2"],
  "expect": {"kernel": {"file": "second.ptx", "grid": [2], "block": [64]}, "tolerance": 0}
})");
  const CliResult right = run_cli({"emulate", "--ptx", file, "--sheet", sheet, "--json"});
  ASSERT_EQ(right.code, 0) << right.err;
  EXPECT_EQ(right.json()["expected"][0]["name"], "argument 1");
  EXPECT_EQ(right.json()["expected"][0]["against"], "twice");
  const CliResult missing = run("2", {"--expect", "1=" + scratch_folder() + "/none.bin"});
  EXPECT_EQ(missing.code, 2) << missing.err;
  EXPECT_EQ(run("2", {"--expect", "0=" + file}).code, 2) << "it is only read";
  EXPECT_EQ(run("2", {"--expect", "1"}).code, 2);
  EXPECT_EQ(run("2", {"--tolerance", "0.1"}).code, 2);
  EXPECT_EQ(run("2", {"--expect", "1=" + file, "--tolerance", "7"}).code, 2);
}

}  // namespace
}  // namespace tilescope
