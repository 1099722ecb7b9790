// trace --ptx: launch and arguments alone. Needs no compiler.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <vector>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;

// out[i] = in[i] + in[i + 32] + … over n rows of 32.
constexpr const char* kRows = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry rows(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  mov.f32 %f1, 0f00000000;
ROW:
  ld.global.f32 %f2, [%rd1];
  add.f32 %f1, %f1, %f2;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 add.s64 %rd1, %rd1, 128;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra ROW;
  st.global.f32 [%rd2], %f1;
  ret;
}
)";

class TracePtx : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(file_) << kRows;
    std::ofstream(in_, std::ios::binary) << std::string(32 * 4 * 20, '\0');
  }
  CliResult run(std::vector<std::string> more, const std::string& n = "20") const {
    std::vector<std::string> arguments = {"trace", "--ptx",     file_,     "--grid",  "2",
                                          "--arg", "in:" + in_, "out:128", "u32:" + n};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments);
  }
  const std::string file_ = scratch_folder() + "/rows.ptx", in_ = scratch_folder() + "/rows.bin";
};

TEST_F(TracePtx, TellsBuffersAndIterations) {
  const CliResult r = run({"--k-step", "12", "--cta", "1", "--lanes", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json t = r.json();
  EXPECT_EQ(t["kernel"], "rows");
  EXPECT_EQ(t["cta"], json({1, 0, 0}));
  EXPECT_EQ(t["buffers"], json({"argument 0", "argument 1"}));
  EXPECT_EQ(t["k_slices"], 20);
  EXPECT_EQ(t["recorded_k_steps"], json({0, 1, 2, 3, 11, 12, 13, 19}));
  EXPECT_EQ(t["loops"][0]["iterations"], 20);
  EXPECT_EQ(t["loops"][0]["ptx_line"], 19);
  EXPECT_EQ(t["truncated"], false);
  ASSERT_EQ(t["events"].size(), 9u);
  for (size_t i = 0; i < 8; ++i) {
    const json& e = t["events"][i];
    EXPECT_EQ(e["kind"], "load");
    EXPECT_EQ(e["matrix"], "argument 0");
    EXPECT_EQ(e["k_step"], t["recorded_k_steps"][i]);
    EXPECT_EQ(e["address"][1], e["k_step"].get<int>() * 128 + 4);
  }
  EXPECT_EQ(t["events"][8]["kind"], "store");
  EXPECT_EQ(t["events"][8]["matrix"], "argument 1");
  EXPECT_TRUE(t["events"][8]["k_step"].is_null());
  const CliResult table = run({});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("loop 0 at PTX line 19: 20 iterations, the k steps"), std::string::npos)
      << table.out;
}

TEST_F(TracePtx, RefusesInOneSentence) {
  const auto refused = [&](std::vector<std::string> more, const char* part, int code = 2) {
    const CliResult r = run(std::move(more));
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  };
  refused({"--cta", "2"}, "--cta 2 lies outside of the grid of 2×1×1 CTAs");
  refused({"--k-step", "20"}, "The k step is 20; this launch has 0 to 19");
  refused({"--k-step", "-1"}, "--k-step");
  refused({"--entry", "columns"}, "there is no 'columns'; the file has rows");
  refused({"--item", "1"}, "--item belongs to --kernel ID");
  refused({"--block", "2048"}, "a block has at most 1,024");
  refused({"--block", "64"}, "out of bounds", 4);
  const CliResult kernel = run_cli({"trace", "--entry", "rows"});
  EXPECT_EQ(kernel.code, 2);
  EXPECT_NE(kernel.err.find("--entry belongs to --ptx FILE"), std::string::npos) << kernel.err;
}

TEST_F(TracePtx, AKernelThatNeverEndsIsNotWaitedFor) {
  std::string text = kRows;
  text.replace(text.find("setp.ne.u32 %p1, %r1, 0;\n  @%p1 bra"), 24, "setp.eq.u32 %p1, %r1, %r1;");
  text.replace(text.find("  @%p1 add.s64"), 14, "  //");
  std::ofstream(file_) << text;
  const CliResult r = run({"--max-instructions", "1000000"});
  EXPECT_EQ(r.code, 4) << r.err;
  EXPECT_NE(r.err.find("--max-instructions"), std::string::npos) << r.err;
  if (!can_compile()) return;
  EXPECT_EQ(run_cli({"trace", "--size", "256", "--max-instructions", "1000"}).code, 4);
}

}  // namespace
}  // namespace tilescope
