// emulate --ptx: arguments, dumps, faults. Needs no compiler.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;

// out[i] = in[i] * scale + offset for i < n
constexpr const char* kScale = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(
  .param .u64 scale_in, .param .u64 scale_out, .param .u32 scale_n,
  .param .f32 scale_factor, .param .align 4 .b8 scale_more[8])
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .f32 %f<6>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [scale_in];
  ld.param.u64 %rd2, [scale_out];
  ld.param.u32 %r1, [scale_n];
  ld.param.f32 %f1, [scale_factor];
  ld.param.f32 %f2, [scale_more+4];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f3, [%rd6];
  fma.rn.f32 %f4, %f3, %f1, %f2;
  st.global.f32 [%rd7], %f4;
DONE:
  ret;
}
)";

class Ptx : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(file_) << kScale;
    std::vector<float> in(100);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    std::ofstream(in_, std::ios::binary)
        .write(reinterpret_cast<const char*>(in.data()), static_cast<long>(in.size() * 4));
  }
  CliResult run(const std::string& n, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"emulate",
                                          "--ptx",
                                          file_,
                                          "--entry",
                                          "scale",
                                          "--grid",
                                          "2",
                                          "--block",
                                          "64",
                                          "--json",
                                          "--arg",
                                          "in:" + in_,
                                          "out:400",
                                          "--arg",
                                          "u32:" + n,
                                          "f32:2",
                                          "bytes:000000000000803f"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments);
  }
  const std::string file_ = scratch_folder() + "/scale.ptx";
  const std::string in_ = scratch_folder() + "/in.bin", out_ = scratch_folder() + "/out.bin";
};

TEST_F(Ptx, RunsAndDumps) {
  const CliResult r = run("100", {"--dump", "1=" + out_});
  ASSERT_EQ(r.code, 0) << r.err;
  const json e = r.json();
  EXPECT_EQ(e["status"], "ok");
  EXPECT_EQ(e["ctas"], 2);
  EXPECT_EQ(e["global"]["load"]["bytes"], 400);
  EXPECT_EQ(e["global"]["load"]["requests"], 4);
  EXPECT_EQ(e["global"]["load"]["sectors"], 13);
  EXPECT_EQ(e["global"]["store"]["bytes"], 400);
  std::ifstream in(out_, std::ios::binary);
  const std::string raw((std::istreambuf_iterator<char>(in)), {});
  ASSERT_EQ(raw.size(), 400u);
  for (size_t i = 0; i < 100; ++i) {
    float value;
    std::memcpy(&value, raw.data() + i * 4, 4);
    EXPECT_EQ(value, static_cast<float>(i) * 2 + 1);
  }
}

TEST_F(Ptx, SomeCtas) {
  const CliResult r = run("100", {"--ctas", "1..1"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json()["ctas"], 1);
  EXPECT_EQ(run("100", {"--ctas", "0..2"}).code, 2);
}

TEST_F(Ptx, OutOfBoundsNamesThePlace) {
  const CliResult r = run("101");
  EXPECT_EQ(r.code, 4);
  const json error = r.json()["error"];
  EXPECT_EQ(error["code"], 4);
  EXPECT_EQ(error["fault"]["cta"], json({1, 0, 0}));
  EXPECT_EQ(error["fault"]["lane"], 4);
  EXPECT_GT(error["fault"]["ptx_line"], 0);
}

TEST_F(Ptx, ChecksReportAllThatTheyFind) {
  const CliResult r = run("101", {"--check"});
  EXPECT_EQ(r.code, 4);
  const json error = r.json()["error"];
  EXPECT_EQ(error["fault"]["kind"], "out_of_bounds");
  ASSERT_EQ(error["findings"].size(), 2u);  // the load, and then the store
  EXPECT_LT(error["findings"][0]["ptx_line"], error["findings"][1]["ptx_line"]);
  EXPECT_EQ(error["findings"][1]["lane"], 4);
  EXPECT_EQ(error["findings"][1]["remark"], false);
  const CliResult clean = run("100", {"--check"});
  ASSERT_EQ(clean.code, 0) << clean.err;
  EXPECT_EQ(clean.json()["findings"], json::array());
}

// A grid that is no multiple of the cluster is refused before anything runs.
TEST_F(Ptx, ClustersOfAKernelThatAsksForThem) {
  std::string text = kScale;
  text.replace(text.find("\n{\n"), 3, "\n.explicitcluster\n.reqnctapercluster 3, 1, 1\n{\n");
  std::ofstream(file_) << text;
  for (const char* more : {"--check", "--provenance"}) {
    const CliResult r = run("100", {more});
    EXPECT_EQ(r.code, 2);
    EXPECT_NE(r.err.find("no multiple of the cluster of 3×1×1"), r.err.npos) << r.err;
    const CliResult other = run("100", {more, "--cluster", "2"});
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.err.find("The cluster is 2×1×1; .reqnctapercluster of scale says 3×1×1"),
              other.err.npos)
        << other.err;
  }
}

TEST_F(Ptx, ProvenanceOfWhatIsStored) {
  const CliResult r = run("100", {"--provenance"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json stores = r.json()["provenance"]["stores"];
  ASSERT_EQ(stores.size(), 1u);  // all elements alike
  EXPECT_EQ(stores[0]["arg"], 1);
  EXPECT_EQ(stores[0]["count"], 100);
  EXPECT_EQ(stores[0]["step"], 4);
  EXPECT_EQ(stores[0]["moves"], json({4}));
  const json value = stores[0]["value"];
  EXPECT_EQ(value["kind"], "sum");
  EXPECT_EQ(value["products"][0]["a"]["arg"], 0);
  EXPECT_EQ(value["products"][0]["a"]["offset"], 0);
}

TEST_F(Ptx, ARegisterIsAskedWhereItCameFrom) {
  const CliResult r = run("100", {"--ask", "w1.l2.%f3", "w1.l2.%f4", "w0.l0.%f3@29", "s+0"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json answers = r.json()["answers"];
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_NE(answers[0].get<std::string>().find("[+136]"), std::string::npos) << answers[0];
  EXPECT_NE(answers[1].get<std::string>().find("[+136]"), std::string::npos) << answers[1];
  EXPECT_NE(answers[2].get<std::string>().find("[+0]"), std::string::npos) << answers[2];
  EXPECT_NE(answers[3].get<std::string>().find("nothing of a buffer"), std::string::npos);
  const auto refused = [&](const char* spec, const char* part) {
    const CliResult bad = run("100", {"--ask", spec});
    EXPECT_EQ(bad.code, 2);
    EXPECT_NE(bad.err.find(part), std::string::npos) << bad.err;
  };
  refused("w1.l2.%f99", "has no register %f99");
  refused("w1.l32.%f3", "lanes 0 to 31");
  refused("%f3", "is none of C[ROW,COL]");
  refused("w0.l0.%f3@29#2", "runs 2 times");
  refused("C[0,0]", "belongs to --kernel");
}

// struct { const float* in; float* out; float factor; }, by value.
TEST_F(Ptx, AStructHoldsAddresses) {
  const std::string file = scratch_folder() + "/struct.ptx";
  std::ofstream(file) << R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .align 8 .b8 all[24], .param .u32 n)
{
  .reg .f32 %f<4>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [all];
  ld.param.u64 %rd2, [all+8];
  ld.param.f32 %f1, [all+16];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  mul.f32 %f3, %f2, %f1;
  st.global.f32 [%rd5], %f3;
  ret;
}
)";
  const auto with = [&](std::vector<std::string> specs, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"emulate", "--ptx",   file,  "--grid",
                                          "1",       "--block", "100", "--arg"};
    arguments.insert(arguments.end(), specs.begin(), specs.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments);
  };
  const CliResult r = with({"bytes:@2,@3,0000004000000000", "u32:100", "in:" + in_, "out:400"},
                           {"--dump", "3=" + out_, "--check"});
  ASSERT_EQ(r.code, 0) << r.err;
  std::ifstream in(out_, std::ios::binary);
  for (size_t i = 0; i < 100; ++i) {
    float value = 0;
    in.read(reinterpret_cast<char*>(&value), 4);
    EXPECT_EQ(value, static_cast<float>(i) * 2);
  }
  const auto refused = [&](std::vector<std::string> specs, const char* part) {
    const CliResult bad = with(std::move(specs));
    EXPECT_EQ(bad.code, 2) << bad.err;
    EXPECT_NE(bad.err.find(part), std::string::npos) << bad.err;
  };
  refused({"bytes:@2,@3,0000004000000000", "u32:1", "in:" + in_},
          "@3 is not there: 3 arguments are given");
  refused({"bytes:@1,@1,0000004000000000", "u32:1"}, "@1 is a value, not a buffer");
  refused({"bytes:@2,@2,00000040", "u32:1", "in:" + in_}, "has 20 bytes");
  refused({"bytes:@2,@2,0000004000000000", "u32:1", "in:" + in_, "out:4"}, "takes 2 parameters");
  refused({"bytes:@x", "u32:1"}, "not a whole number");
}

TEST_F(Ptx, WrongArguments) {
  const auto refused = [&](std::vector<std::string> specs, const char* part) {
    std::vector<std::string> arguments = {"emulate", "--ptx", file_, "--grid", "1", "--arg"};
    arguments.insert(arguments.end(), specs.begin(), specs.end());
    const CliResult r = run_cli(arguments);
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
  };
  refused({"u32:1"}, "takes 5 parameters");
  refused({"u32:1", "out:4", "u32:1", "f32:1", "bytes:0000000000000000"}, "has 4 bytes");
  refused({"x:1"}, "not one of i8");
  refused({"i32:"}, "not a whole number");
  refused({"u32:-1"}, "does not fit");
  refused({"bytes:0"}, "hexadecimal");
  refused({"in:/nowhere", "out:4", "u32:1", "f32:1", "bytes:0000000000000000"}, "cannot be read");
}

TEST_F(Ptx, UnknownInstruction) {
  const std::string bad = scratch_folder() + "/bad.ptx";
  std::string text = kScale;
  text.replace(text.find("fma.rn.f32"), 10, "fizzle.f32");
  std::ofstream(bad) << text;
  const CliResult r = run_cli({"emulate", "--ptx", bad, "--json", "--arg", "in:" + in_, "out:400",
                               "u32:1", "f32:2", "bytes:0000000000000000"});
  EXPECT_EQ(r.code, 4);
  EXPECT_NE(r.json()["error"]["message"].get<std::string>().find("fizzle"), std::string::npos);
}

/// One thread reads the last float of the first buffer and stores it in the last of the second.
constexpr const char* kLast = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry last(.param .u64 in, .param .u64 out, .param .u64 at)
{
  .reg .f32 %f<2>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [at];
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  st.global.f32 [%rd5], %f1;
  ret;
}
)";

class LargeBuffers : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(file_) << kLast; }
  CliResult run(const std::string& in, const std::string& out, const std::string& at,
                std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"emulate", "--ptx",   file_,        "--grid",
                                          "1",       "--block", "1",          "--json",
                                          "--arg",   in,        "out:" + out, "u64:" + at};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments);
  }
  const std::string file_ = scratch_folder() + "/last.ptx";
};

// No message of the worker's may be as long.
TEST_F(LargeBuffers, TravelBothWays) {
  const std::string in = scratch_folder() + "/large.bin", out = scratch_folder() + "/large.out";
  constexpr size_t kCount = 10u << 20;
  std::vector<float> values(kCount, 1.0f);
  values.back() = 42.0f;
  std::ofstream(in, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<long>(kCount * 4));
  const CliResult r = run("in:" + in, std::to_string(kCount * 4), std::to_string(kCount * 4 - 4),
                          {"--dump", "1=" + out, "0=" + in + ".again"});
  ASSERT_EQ(r.code, 0) << r.err;
  std::ifstream dumped(out, std::ios::binary), again(in + ".again", std::ios::binary);
  std::vector<float> stored(kCount, -1.0f), same(kCount);
  dumped.read(reinterpret_cast<char*>(stored.data()), kCount * 4);
  again.read(reinterpret_cast<char*>(same.data()), kCount * 4);
  ASSERT_TRUE(dumped && again);
  EXPECT_EQ(stored.front(), 0.0f);
  EXPECT_EQ(stored.back(), 42.0f);
  EXPECT_EQ(same, values);
}

TEST_F(LargeBuffers, TakeNoMoreMemoryThanTheyMay) {
  TILESCOPE_NEED_MEMORY_LIMIT();
  const CliResult r = run("out:1500000000", "1500000000", "1499999996");
  EXPECT_EQ(r.code, 3) << r.err;
  EXPECT_NE(r.err.find("needs 3.0 GB of memory for the buffers, and it may take 2.0 GB; choose "
                       "smaller ones, or allow more with --max-memory GB"),
            std::string::npos)
      << r.err;
  EXPECT_EQ(run("out:1000000", "1000000", "8", {"--max-memory", "0.001"}).code, 3);
  EXPECT_EQ(run("out:1000000", "1000000", "8", {"--max-memory", "0.003"}).code, 0);
  EXPECT_EQ(run("out:1000000", "1000000", "8", {"--max-memory", "-1"}).code, 2);
}

// What cannot be known before: 400 MB of local memory.
TEST_F(LargeBuffers, MemoryThatTheRunItselfTakesIsBounded) {
  TILESCOPE_NEED_MEMORY_LIMIT();
  const std::string file = scratch_folder() + "/local.ptx";
  std::ofstream(file) << R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry deep(.param .u64 out)
{
  .local .align 4 .b8 frame[400000];
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  mov.u64 %rd1, frame;
  mov.u32 %r1, 7;
  st.local.u32 [%rd1], %r1;
  ret;
}
)";
  const CliResult r = run_cli({"emulate", "--ptx", file, "--grid", "1", "--block", "1024", "--arg",
                               "out:4", "--max-memory", "0.05"});
  EXPECT_EQ(r.code, 3) << r.err;
  EXPECT_NE(r.err.find("it may take 50 MB; choose a smaller problem, or allow more with "
                       "--max-memory GB"),
            std::string::npos)
      << r.err;
}

}  // namespace
}  // namespace tilescope
