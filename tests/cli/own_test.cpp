// Kernels of somebody's own: emulate, trace, bench and check with --cu, --ptx, --sheet and --gemm.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;

std::string own_source(const char* name) {
  return std::string(TILESCOPE_SOURCE_DIR) + "/tests/own/sources/" + name;
}
std::string written(const std::string& name, const std::string& text) {
  const std::string file = scratch_folder() + "/" + name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}
std::string content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {(std::istreambuf_iterator<char>(in)), {}};
}

// out[i] = in[i] * factor
constexpr const char* kTimes = R"(.version 8.0
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

TEST(OwnPtx, TheBlockIsThatOfMaxntid) {
  const std::string file = written("times.ptx", kTimes), out = scratch_folder() + "/times.bin";
  const CliResult r = run_cli({"emulate", "--ptx", file, "--grid", "2", "--json", "--dump",
                               "1=" + out, "--arg", "buf:f32:2x64:index:in", "out:512", "f32:2"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json()["lane_instructions"], 128 * 14);
  std::ifstream in(out, std::ios::binary);
  for (int i = 0; i < 128; ++i) {
    float value = -1;
    in.read(reinterpret_cast<char*>(&value), 4);
    EXPECT_EQ(value, static_cast<float>(i) * 2);
  }
}

TEST(OwnPtx, WithoutASheetWhatIsMissingOrMisfitsIsRefusedWithOne) {
  const std::string file = written("times.ptx", kTimes);
  const auto refused = [&](std::vector<std::string> more, const std::string& part) {
    std::vector<std::string> arguments = {"emulate", "--ptx", file, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CliResult r = run_cli(arguments);
    EXPECT_EQ(r.code, 2) << r.err;
    const json error = r.json()["error"];
    EXPECT_NE(error["message"].get<std::string>().find(part), std::string::npos) << r.err;
    EXPECT_EQ(error["sheet"]["entry"], "times") << r.err;
    EXPECT_EQ(error["sheet"]["args"].size(), 3u);
    EXPECT_NE(r.err.find("\"args\": ["), std::string::npos) << r.err;
    return error["sheet"];
  };
  const std::vector<std::string> args = {"--arg", "buf:f32:2x64:index:in", "out:512", "f32:2"};
  const json sheet = refused(args, "The grid is not given");
  EXPECT_EQ(sheet["args"], json({"buf:f32:2x64:index:in", "out:512", "f32:2"}));
  EXPECT_EQ(sheet["block"], json({64, 1, 1}));
  EXPECT_EQ(sheet["guesses"], json({"grid"}));
  refused({"--grid", "2"},
          "times takes 3 parameters, and 0 arguments are given; it is times(.u64 in, "
          ".u64 out, .f32 factor)");
  refused({"--grid", "2", "--arg", "out:512", "out:512", "i32:2"},
          "(i32:2): is a whole number; the parameter .f32 factor is not; write f32:VALUE");
}

TEST(OwnPtx, ASheetThatWasWrittenRuns) {
  const std::string file = written("times.ptx", kTimes), sheet = scratch_folder() + "/t.sheet.json";
  const CliResult refusal = run_cli({"emulate", "--ptx", file, "--write-sheet", sheet});
  EXPECT_EQ(refusal.code, 2);
  EXPECT_NE(refusal.err.find("give it with --sheet"), std::string::npos) << refusal.err;
  const CliResult r = run_cli({"emulate", "--ptx", file, "--sheet", sheet, "--json"});
  ASSERT_EQ(r.code, 0) << r.err << content(sheet);
  EXPECT_EQ(r.json()["ctas"], 1);
  EXPECT_EQ(
      run_cli({"emulate", "--ptx", file, "--sheet", sheet, "--grid", "4", "--json"}).json()["ctas"],
      4);
  written("bad.sheet.json", "{\"grid\": [0]}");
  const CliResult bad =
      run_cli({"emulate", "--ptx", file, "--sheet", scratch_folder() + "/bad.sheet.json"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("grid[0]: 0 is not a whole number"), std::string::npos) << bad.err;
}

TEST(OwnPtx, AFileThatIsNoPtxIsNamed) {
  const auto told = [](const std::string& file, const std::string& part) {
    const CliResult r = run_cli({"emulate", "--ptx", file, "--grid", "1"});
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  };
  told(own_source("race.cu"), "is CUDA C++, not PTX; give it with --cu");
  told(written("a.cubin", std::string("\x7f"
                                      "ELF\x02\x01\x01\0\0\0",
                                      10)),
       "is machine code");
  told(written("none.ptx", ""), "is empty");
}

TEST(OwnPtx, AllThatIsNotKnownIsNamedInOneRun) {
  std::string text = kTimes;
  text.replace(text.find("mul.f32"), 7, "fizzle.f32");
  text.replace(text.find("st.global"), 9, "tcgen05.wait::ld.sync.aligned;\n  st.global");
  const CliResult r = run_cli({"emulate", "--ptx", written("bad.ptx", text), "--json", "--grid",
                               "1", "--arg", "out:512", "out:512", "f32:1"});
  EXPECT_EQ(r.code, 4);
  const json errors = r.json()["error"]["errors"];
  ASSERT_EQ(errors.size(), 2u) << r.err;
  EXPECT_EQ(errors[0]["opcode"], "fizzle.f32");
  EXPECT_EQ(errors[1]["opcode"], "tcgen05.wait::ld.sync.aligned");
  EXPECT_EQ(errors[1]["ptx_line"], 22);
}

TEST(OwnPtx, NumpyFilesAndWrongSizes) {
  const std::string file = written("times.ptx", kTimes), out = scratch_folder() + "/npy.out";
  std::string npy("\x93NUMPY\x01\x00\x76\x00", 10);
  std::string head = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 32), }";
  head.resize(0x76 - 1, ' ');
  npy += head + "\n";
  for (int col = 0; col < 32; ++col) {
    for (int row = 0; row < 2; ++row) {
      const auto value = static_cast<float>(row * 32 + col);
      npy.append(reinterpret_cast<const char*>(&value), 4);
    }
  }
  const std::string array = written("a.npy", npy);
  const auto with = [&](const std::string& spec) {
    return run_cli({"emulate", "--ptx", file, "--grid", "1", "--dump", "1=" + out, "--arg", spec,
                    "out:256", "f32:1"});
  };
  ASSERT_EQ(with("buf:f32:2x32:" + array + ":in").code, 0);
  std::ifstream in(out, std::ios::binary);
  for (int i = 0; i < 64; ++i) {
    float value = -1;
    in.read(reinterpret_cast<char*>(&value), 4);
    ASSERT_EQ(value, static_cast<float>(i)) << "columns are turned into rows";
  }
  const CliResult type = with("buf:i32:2x32:" + array);
  EXPECT_EQ(type.code, 2);
  EXPECT_NE(type.err.find("its elements are f32, not i32"), std::string::npos) << type.err;
  const CliResult shape = with("buf:f32:2x33:" + array);
  EXPECT_NE(shape.err.find("its shape is 2×32, not 2×33"), std::string::npos) << shape.err;
  const CliResult raw = with("buf:f32:2x32:" + written("raw.bin", "abc"));
  EXPECT_EQ(raw.code, 2);
  EXPECT_NE(raw.err.find("holds 3 bytes; 2 × 32 of f32 are 256"), std::string::npos) << raw.err;
}

// ---- CUDA C++ ----

TEST(OwnCu, AnSgemmOfSomebodyElseFromOneCommand) {
  TILESCOPE_NEED_NVRTC();
  for (const char* entry :
       {"sgemm_naive", "sgemm_shared_block", "sgemm2DBlocktiling<128,128,8,8,8>",
        "sgemm2DBlocktiling<64,64,8,8,8>"}) {
    const CliResult r = run_cli({"emulate", "--cu", own_source("sgemm.cu"), "--entry", entry,
                                 "--gemm", "256x128x64", "--json"});
    ASSERT_EQ(r.code, 0) << entry << r.err;
    const json e = r.json();
    EXPECT_EQ(e["verified"]["ok"], true) << entry;
    EXPECT_EQ(e["verified"]["right"], 256 * 128);
    EXPECT_EQ(e["verified"]["of"], 256 * 128);
  }
}

TEST(OwnCu, TensorCoresThroughWmma) {
  TILESCOPE_NEED_NVRTC();
  const CliResult r =
      run_cli({"emulate", "--cu", own_source("wmma.cu"), "--gemm", "128x64x96", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json()["verified"]["right"], 128 * 64);
  EXPECT_GT(r.json()["mma"], 0);
}

TEST(OwnCu, PrintfConstantsAndSharedMemory) {
  TILESCOPE_NEED_NVRTC();
  const std::string out = scratch_folder() + "/weighed.bin";
  const CliResult r =
      run_cli({"emulate", "--cu", own_source("globals.cu"), "--entry", "weigh", "--grid", "4",
               "--block", "128", "--shared", "512", "--arg", "out:2048", "buf:f32:1x512:index:in",
               "bytes:0000000000020000", "--dump", "0=" + out, "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find("range of 512"), std::string::npos) << r.err;
  std::ifstream in(out, std::ios::binary);
  for (int i = 0; i < 512; ++i) {
    float value = -1;
    in.read(reinterpret_cast<char*>(&value), 4);
    ASSERT_EQ(value, static_cast<float>(i) * 0.25f * static_cast<float>(i % 4 + 1));
  }
}

/// The one with a race, with its barrier.
std::string sound_sgemm() {
  std::string text = content(own_source("race.cu"));
  const std::string product = "sum += As[threadIdx.y][k] * Bs[threadIdx.x][k];\n";
  text.insert(text.find(product) + product.size(), "    __syncthreads();\n");
  return text;
}

TEST(OwnCu, AWrongResultIsNamed) {
  TILESCOPE_NEED_NVRTC();
  std::string text = sound_sgemm();
  text.replace(text.find("sum += As"), 9, "sum += 2 * As");
  const std::string file = written("wrong.cu", text);
  const CliResult r = run_cli({"emulate", "--cu", file, "--gemm", "64", "--json"});
  EXPECT_EQ(r.code, 1) << r.err;
  const json v = r.json()["verified"];
  EXPECT_EQ(v["ok"], false);
  EXPECT_LT(v["right"], 64 * 64);
  EXPECT_TRUE(v["first"]["row"].is_number()) << v;
  // B's columns for its rows: right, but not for what was said.
  text = sound_sgemm();
  text.replace(text.find("B[(t * TILE + threadIdx.y) * N + col]"), 37,
               "B[col * N + t * TILE + threadIdx.y]");
  const CliResult other =
      run_cli({"emulate", "--cu", written("tn.cu", text), "--gemm", "64", "--json"});
  EXPECT_EQ(other.code, 1) << other.err;
  EXPECT_EQ(other.json()["verified"]["layout"], "TN") << other.out;
  EXPECT_EQ(
      run_cli({"emulate", "--cu", written("tn.cu", text), "--gemm", "64", "--layout", "TN"}).code,
      0);
}

// Rows that no thread writes are neither zeros nor NaN.
TEST(OwnCu, WhatIsNeverWrittenIsCounted) {
  TILESCOPE_NEED_NVRTC();
  const CliResult r = run_cli({"emulate", "--cu", written("half.cu", sound_sgemm()), "--gemm", "64",
                               "--grid", "2,1", "--json"});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_EQ(r.json()["verified"]["untouched"], 64 * 32);
  EXPECT_EQ(r.json()["verified"]["right"], 64 * 32);
  EXPECT_TRUE(r.json()["verified"]["norm"].is_null());
}

TEST(OwnCu, EntriesAreNamedInAnyWay) {
  TILESCOPE_NEED_NVRTC();
  const CliResult several = run_cli({"emulate", "--cu", own_source("sgemm.cu"), "--gemm", "64"});
  EXPECT_EQ(several.code, 2);
  EXPECT_NE(several.err.find("several kernels; choose sgemm"), std::string::npos) << several.err;
  const CliResult none = run_cli({"emulate", "--cu", own_source("sgemm.cu"), "--entry", "dgemm"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("there is no 'dgemm'"), std::string::npos) << none.err;
}

TEST(OwnCu, AKernelThatNeverEndsIsStopped) {
  TILESCOPE_NEED_NVRTC();
  const std::string file = written(
      "endless.cu", "__global__ void f(volatile int* a) { while (a[1] == 0) a[0] = a[0] + 1; }\n");
  const CliResult r = run_cli({"emulate", "--cu", file, "--grid", "1", "--arg", "buf:i32:1x2:zeros",
                               "--max-instructions", "100000"});
  EXPECT_EQ(r.code, 4) << r.err;
  EXPECT_NE(r.err.find("--max-instructions"), std::string::npos) << r.err;
}

TEST(OwnCu, Traced) {
  TILESCOPE_NEED_NVRTC();
  const CliResult r = run_cli({"trace", "--cu", own_source("race.cu"), "--gemm", "128", "--cta",
                               "1,2", "--k-step", "2", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json t = r.json();
  EXPECT_EQ(t["kernel"], "sgemm_race");
  EXPECT_EQ(t["buffers"], json({"A", "B", "C"}));
  EXPECT_EQ(t["cta"], json({1, 2, 0}));
  EXPECT_GT(t["events"].size(), 100u);
}

TEST(OwnCu, CheckFindsRaceAndConflict) {
  TILESCOPE_NEED_NVRTC();
  const std::vector<std::string> check = {"check", own_source("race.cu"), "--gemm", "64"};
  const auto with = [&](const char* form) {
    auto arguments = check;
    arguments.emplace_back(form);
    CliResult r = run_cli(arguments);
    EXPECT_EQ(r.code, 1) << r.err;
    return r;
  };
  const json report = with("--json").json();
  EXPECT_GE(report["errors"], 1);
  const json& first = report["lines"][0];
  EXPECT_EQ(first["findings"][0]["kind"], "race") << report.dump(1);
  EXPECT_TRUE(first["file"].get<std::string>().ends_with("race.cu"));
  EXPECT_TRUE(first["line"] == 16 || first["line"] == 17 || first["line"] == 19) << first;
  bool conflict = false, remarks_began = false;
  std::vector<int> lines;
  for (const json& line : report["lines"]) {
    for (const json& f : line["findings"]) conflict = conflict || f["kind"] == "bank_conflict";
    EXPECT_FALSE(remarks_began && line["error"] == true) << "errors come first";
    remarks_began = remarks_began || line["error"] == false;
    lines.push_back(line["line"]);
  }
  EXPECT_TRUE(conflict) << report.dump(1);
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(std::adjacent_find(lines.begin(), lines.end()), lines.end()) << "one entry a line";

  const json sarif = with("--sarif").json();
  EXPECT_EQ(sarif["version"], "2.1.0");
  const json& run = sarif["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "Tilescope");
  ASSERT_FALSE(run["results"].empty());
  for (const json& result : run["results"]) {
    EXPECT_TRUE(result["message"]["text"].is_string());
    EXPECT_TRUE(result["level"] == "error" || result["level"] == "note");
    const json& place = result["locations"][0]["physicalLocation"];
    EXPECT_TRUE(place["artifactLocation"]["uri"].is_string());
    EXPECT_GE(place["region"]["startLine"], 1);
    const auto& rules = run["tool"]["driver"]["rules"];
    EXPECT_TRUE(std::any_of(rules.begin(), rules.end(),
                            [&](const json& rule) { return rule["id"] == result["ruleId"]; }));
  }
  const std::string xml = with("--junit").out;
  EXPECT_TRUE(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\""));
  EXPECT_NE(xml.find("<failure type=\"race\" message=\""), std::string::npos) << xml;
  EXPECT_TRUE(xml.ends_with("</testsuites>\n"));

  std::string clean = content(own_source("race.cu"));
  clean.replace(clean.find("* Bs[threadIdx.x][k];"), 21,
                "* Bs[threadIdx.x][k];\n    __syncthreads();");
  const CliResult mended = run_cli({"check", written("clean.cu", clean), "--gemm", "64"});
  EXPECT_EQ(mended.code, 0) << mended.out << mended.err;
  EXPECT_NE(mended.out.find("0 errors"), std::string::npos) << mended.out;
}

TEST(OwnCu, BenchVerifiesAndMeasuresNothing) {
  TILESCOPE_NEED_NVRTC();
  const CliResult r =
      run_cli({"bench", "--cu", own_source("sgemm.cu"), "--entry", "sgemm_shared_block", "--gemm",
               "64", "--device", "emulator", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json b = r.json()[0];
  EXPECT_EQ(b["kernel"], "sgemm_shared_block<32>");
  EXPECT_EQ(b["size"], json({64, 64, 64}));
  EXPECT_TRUE(b["tflops"].is_null());
  EXPECT_EQ(b["standing"], "emulated");
  EXPECT_EQ(b["verified"]["ok"], true);
  EXPECT_GT(b["bytes"]["counted"]["l1"]["read"], 0);
  const CliResult racy =
      run_cli({"bench", "--cu", own_source("race.cu"), "--gemm", "64", "--json"});
  EXPECT_EQ(racy.code, 1) << racy.err;
  EXPECT_EQ(racy.json()[0]["checks"]["findings"][0]["kind"], "race");
}

}  // namespace
}  // namespace tilescope
