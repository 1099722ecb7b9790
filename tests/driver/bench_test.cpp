// Everything that measures on cuda:N, through the real processes: figures are not looked at, what
// was computed is.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernels/registry.h"
#include "tests/driver/card.h"
#include "tests/planted.h"
#include "tests/sampled.h"

namespace tilescope {
namespace {

using nlohmann::json;

void expect_measured(const json& result) {
  std::vector<std::string> expected = {
      "alpha",    "arch",       "beta",    "bytes",       "checks",  "clock_mhz",
      "cold",     "compile_ms", "date",    "device",      "driver",  "hot",
      "kernel",   "layout",     "library", "of_library",  "power_w", "registers",
      "revision", "samples",    "size",    "spill_bytes", "spread",  "standing",
      "tflops",   "throttle",   "tile",    "time_us",     "types",   "verified"};
  const KernelEntry* kernel = find_kernel(result["kernel"].get<std::string>().c_str());
  ASSERT_NE(kernel, nullptr);
  const KernelPlan plan = kernel->plan(kernel->sliders.defaults(), default_problem(kernel->info));
  if (stays(plan.work) && result["tile"].value("splits", 0) == 0) {  // its grid is the card's
    expected.insert(std::ranges::find(expected, "spill_bytes"), "sms");
  }
  EXPECT_EQ(keys(result), expected);
  EXPECT_EQ(result["revision"].get<std::string>().size(), 32u) << "so that it can be recorded";
  EXPECT_EQ(result["standing"], "measured");
  EXPECT_EQ(result["device"], "Emulated GPU");
  EXPECT_EQ(result["driver"], "CUDA 13.9");
  EXPECT_EQ(result["verified"]["ok"], true) << result.dump();
  EXPECT_GT(result["verified"]["tolerance"], 0);
  EXPECT_LT(result["verified"]["norm"], result["verified"]["tolerance"]);
  EXPECT_GT(result["tflops"], 0);
  EXPECT_GE(result["samples"], 10);
  EXPECT_GT(result["registers"], 0);
  EXPECT_TRUE(result["bytes"]["counted"].is_object()) << "by the emulator, on the same PTX";
  EXPECT_TRUE(result["bytes"]["measured"].is_null());
}

TEST(BenchOnCard, EveryKernelIsRight) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  for (const json& kernel : sampled(kernels_listed().get<std::vector<json>>(), 5)) {
    const std::string id = kernel["id"];
    const CliResult result = bench({"--device", "cuda:0", "--kernel", id, "--size", "128", "--size",
                                    "72x40x136", "--beta", "0.5"});
    if (const KernelEntry* rung = find_kernel(id.c_str()); rung && rung->info.only_sm != 0) {
      EXPECT_EQ(result.code, 2) << id;
      EXPECT_NE(result.err.find("exist on 9.0 alone"), std::string::npos) << result.err;
      continue;
    }
    ASSERT_EQ(result.code, 0) << id << ": " << result.err;
    const json all = result.json();
    ASSERT_EQ(all.size(), 2u) << result.out;
    for (const json& one : all) expect_measured(one);
    EXPECT_EQ(all[1]["size"], json({72, 40, 136}));
  }
}

TEST(BenchOnCard, SaysWhatIsLeftOutWithoutTheLibraryAndNvml) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const CliResult result = bench({"--device", "cuda:0", "--kernel", "naive", "--size", "64"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("Not compared with a library: TILESCOPE_CUBLASLT names no library; "
                            "install it"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("Clock and power are unknown: NVML"), std::string::npos) << result.err;
  const json one = result.json()[0];
  EXPECT_EQ(one["library"], json({{"name", nullptr}, {"tflops", nullptr}}));
  for (const char* name : {"of_library", "clock_mhz"}) EXPECT_TRUE(one[name].is_null()) << name;
}

// The card computes what is right, as most cards would most of the time.
TEST(BenchOnCard, ARaceIsFoundBesideARightResult) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string racy = racy_kernels(TILESCOPE_SOURCE_DIR, scratch_folder() + "/racy");
  const CliResult result =
      bench({"--device", "cuda:0", "--size", "128x128x256", "--kernel-dir", racy});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_NE(result.err.find("racy: line "), std::string::npos) << result.err;
  const json one = result.json()[0];
  EXPECT_EQ(one["verified"]["ok"], true);
  EXPECT_GT(one["tflops"], 0);
  EXPECT_FALSE(one["checks"]["findings"].empty());
}

TEST(BenchOnCard, FindsAWrongKernel) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const CliResult result = bench(
      {"--device", "cuda:0", "--kernel", "naive", "--size", "64", "--kernel-dir", wrong_kernels()});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_NE(result.err.find("wrong result"), std::string::npos) << result.err;
  const json one = result.json()[0];
  EXPECT_EQ(one["verified"]["ok"], false);
  // One of 64 products is missing: the error's norm is √(1/64) of the result's, more or less.
  EXPECT_NEAR(one["verified"]["norm"].get<double>(), 0.125, 0.05);
  EXPECT_TRUE(one["tflops"].is_null()) << "a wrong result is not timed";
}

// What is no number has no error: it is counted, and no figure stands for it.
TEST(BenchOnCard, WhatWasNeverWrittenAndWhatIsNaNIsCounted) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const auto run = [](const std::string& folder) {
    return bench(
        {"--device", "cuda:0", "--kernel", "naive", "--size", "64", "--kernel-dir", folder});
  };
  const CliResult nothing =
      run(kernels_with("if ((S.edge_m", "if (row >= 8) return;\n  if ((S.edge_m"));
  EXPECT_EQ(nothing.code, 1) << nothing.err;
  EXPECT_NE(nothing.err.find("WRONG (3,584 elements were never written, the first at C[8, 0])"),
            std::string::npos)
      << nothing.err;
  const json unwritten = nothing.json()[0]["verified"];
  EXPECT_TRUE(unwritten["norm"].is_null());
  EXPECT_EQ(unwritten["untouched"], 56 * 64);
  EXPECT_EQ(unwritten["nan"], 0);
  EXPECT_EQ(unwritten["first"], json({8, 0}));
  EXPECT_EQ(unwritten["elements"], 64 * 64);
  EXPECT_EQ(unwritten["of"], 64 * 64);

  const CliResult nan =
      run(kernels_with("float sum[1] = {};", "float sum[1] = {col == 9 ? 0.0f / 0.0f : 0.0f};"));
  EXPECT_NE(nan.err.find("WRONG (64 elements are NaN, the first at C[0, 9])"), std::string::npos)
      << nan.err;
  EXPECT_EQ(nan.json()[0]["verified"]["nan"], 64);

  // What arithmetic makes of a C that was never written is NaN, and was written.
  const CliResult read = run(kernels_with(
      "float sum[1] = {};",
      "float sum[1] = {0.0f * global_pointer<const float>(args.c)[row * args.ldc + col]};"));
  EXPECT_NE(read.err.find("WRONG (4,096 elements are NaN, the first at C[0, 0])"),
            std::string::npos)
      << read.err;
}

// 9.9 is in no NVRTC's list: the driver gets PTX. At 9.0 it gets the cubin, which this one refuses,
// and the PTX then.
TEST(BenchOnCard, ACardThatNvrtcDoesNotListGetsPtx) {
  TILESCOPE_NEED_NVRTC();
  const std::vector<std::string> arguments = {"--device", "cuda:0", "--kernel",
                                              "naive",    "--size", "64"};
  {
    const Card card{{"TILESCOPE_EMULATED_CAPABILITY", "13.7"}};
    EXPECT_EQ(bench(arguments).code, 0);
    EXPECT_FALSE(card.has_mark("refused-cubin"));
  }
  const Card card{{"TILESCOPE_EMULATED_CAPABILITY", "9.0"}};
  const CliResult cubin = bench(arguments);
  EXPECT_EQ(cubin.code, 0) << cubin.err;
  EXPECT_TRUE(card.has_mark("refused-cubin"));
}

TEST(BenchOnCard, ATileThatTheCardCannotHoldIsRefused) {
  const Card card{{"TILESCOPE_EMULATED_CAPABILITY", "7.5"}};
  expect_sentence({"bench", "--device", "cuda:0", "--size", "128"}, 2, "compute capability");
}

TEST(SweepOnCard, SavesAndResumes) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string out = scratch_folder() + "/sweep.jsonl";
  std::filesystem::remove(out);
  const std::vector<std::string> arguments = {
      "sweep", "--json", "--device",       "cuda:0", "--kernel",       "naive", "--size",
      "64",    "--axis", "block_n=4,8,16", "--axis", "block_m=32,128", "--out", out};
  const CliResult first = run_cli(arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  const json results = first.json();
  ASSERT_EQ(results.size(), 5u) << "128 × 16 threads are more than a block has: " << first.err;
  for (const json& one : results) EXPECT_EQ(one["verified"]["ok"], true);
  EXPECT_NE(first.err.find("1 illegal"), std::string::npos) << first.err;
  const CliResult second = run_cli(arguments);
  EXPECT_EQ(second.json(), results) << "from the file, not measured again";
  EXPECT_NE(second.err.find("(5 from an earlier run)"), std::string::npos) << second.err;

  // As recordings are kept: without keys. Those of this card are gone on with, another's are not.
  std::string recorded, of_another;
  for (json one : results) {
    one.erase("sweep_key");
    recorded += one.dump() + "\n";
    one["device"] = "Another card";
    of_another += one.dump() + "\n";
  }
  const auto again = [&](const std::string& text) {
    std::ofstream(out, std::ios::trunc) << text;
    return run_cli(arguments).err;
  };
  EXPECT_NE(again(recorded).find("(5 from an earlier run)"), std::string::npos);
  EXPECT_NE(again(of_another).find("(0 from an earlier run)"), std::string::npos);
}

TEST(FragmentsOnCard, AreProven) {
  const Card card;
  const CliResult proofs =
      run_cli({"fragments", "--prove", "--device", "cuda:0", "--json", "--search", "m16n8k8"});
  ASSERT_EQ(proofs.code, 0) << proofs.err;
  ASSERT_GT(proofs.json().size(), 1u);
  for (const json& proof : proofs.json()) {
    EXPECT_EQ(proof["ok"], true) << proof.dump();
    EXPECT_EQ(proof["device"], "Emulated GPU");
  }
  const CliResult wgmma = run_cli({"fragments", "--prove", "--device", "cuda:0", "--atom",
                                   "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"});
  EXPECT_EQ(wgmma.code, 3) << wgmma.out;
  EXPECT_NE(wgmma.out.find("needs a GPU of compute capability 9.0; Emulated GPU has 9.9"),
            std::string::npos)
      << wgmma.out;
}

/// What doctor opens stays open, and GCC 12's search for leaks ends by a signal of its own in what
/// one of these libraries keeps for each thread.
class NoSearchForLeaks {
 public:
  NoSearchForLeaks() {
    const char* given = getenv("ASAN_OPTIONS");
    if (given) before_ = given;
    setenv("ASAN_OPTIONS", (before_ + ":detect_leaks=0").c_str(), 1);
  }
  ~NoSearchForLeaks() { setenv("ASAN_OPTIONS", before_.c_str(), 1); }
  NoSearchForLeaks(const NoSearchForLeaks&) = delete;
  NoSearchForLeaks& operator=(const NoSearchForLeaks&) = delete;

 private:
  std::string before_;
};

TEST(DoctorOnCard, NamesTheDriver) {
  const Card card;
  const NoSearchForLeaks sanitized;
  const CliResult result = run_cli({"doctor", "--json"});
  EXPECT_EQ(result.code, can_compile() ? 0 : 3) << result.err;
  for (const json& finding : result.json()) {
    if (finding["what"] == "driver") {
      EXPECT_EQ(finding["state"], "ok");
      EXPECT_EQ(finding["version"], "CUDA 13.9 (Emulated GPU)");
    }
    if (finding["what"] == "cuBLASLt") {
      EXPECT_EQ(finding["state"], "missing");
      EXPECT_NE(finding["fix"].get<std::string>().find("/nowhere/libcublasLt"), std::string::npos);
    }
  }
}

TEST(VerifyOnCard, JudgesEachKernelByItsOwnNumbers) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  worker::RealWorker right, wrong(wrong_kernels());
  const worker::Reply good = right.call("cuda:0", "verify", worker::request("naive", 64));
  ASSERT_TRUE(good.ok) << good.error.message;
  EXPECT_EQ(good.result["ok"], true);
  EXPECT_EQ(good.result["elements"], 64 * 64);
  const worker::Reply bad = wrong.call("cuda:0", "verify", worker::request("naive", 64));
  ASSERT_TRUE(bad.ok) << bad.error.message;
  EXPECT_EQ(bad.result["ok"], false);
}

TEST(DevicesOnCard, AreListedWithTheirLimits) {
  const Card card{{"TILESCOPE_EMULATED_DEVICES", "2"}};
  worker::RealWorker worker;
  const json devices = worker.call("", "devices").result.at("devices");
  ASSERT_EQ(devices.size(), 3u) << devices.dump();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(devices[i]["id"], "cuda:" + std::to_string(i));
    EXPECT_EQ(devices[i]["available"], true);
    EXPECT_EQ(devices[i]["limits"]["sm"], 99);
    EXPECT_EQ(devices[i]["limits"]["shared_per_block"], 227 << 10);
  }
  EXPECT_EQ(devices[2]["id"], "emulator");
}

}  // namespace
}  // namespace tilescope
