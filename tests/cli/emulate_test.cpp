// emulate, trace, bench, sweep: through the worker, compared with the model.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/cli/run_cli.h"
#include "tests/planted.h"
#include "tests/sampled.h"

namespace tilescope {
namespace {

using nlohmann::json;

TEST(Emulate, CountsEqualTheModel) {
  TILESCOPE_NEED_NVRTC();
  for (const json& of : sampled(kernels_listed().get<std::vector<json>>(), 5)) {
    const std::string kernel = of["id"];
    for (const char* size : {"256", "200x136x72"}) {
      const CliResult r = run_cli({"emulate", "--kernel", kernel, "--size", size, "--json"});
      ASSERT_EQ(r.code, 0) << r.err;
      const json e = r.json();
      for (const char* key :
           {"status", "ctas", "warp_instructions", "lane_instructions", "by_opcode", "global",
            "shared", "mma", "barriers", "threads", "seconds"}) {
        EXPECT_TRUE(e.contains(key)) << key;
      }
      EXPECT_EQ(e["status"], "ok");
      EXPECT_TRUE(e["verified"]["ok"].get<bool>());
      const json levels =
          run_cli({"model", "--kernel", kernel, "--size", size, "--json"}).json()["levels"];
      const json &g = e["global"], &s = e["shared"];
      EXPECT_EQ(levels["l1"]["read"].get<double>(), g["load"]["bytes"].get<double>());
      EXPECT_EQ(levels["l1"]["write"].get<double>(), g["store"]["bytes"].get<double>());
      EXPECT_EQ(levels["l1"]["sectors"].get<uint64_t>(),
                g["load"]["sectors"].get<uint64_t>() + g["store"]["sectors"].get<uint64_t>());
      EXPECT_EQ(levels["shared"]["load_wavefronts"], s["load"]["wavefronts"]);
      EXPECT_EQ(levels["shared"]["store_wavefronts"], s["store"]["wavefronts"]);
      EXPECT_EQ(levels["shared"]["conflicts"].get<uint64_t>(),
                s["load"]["conflicts"].get<uint64_t>() + s["store"]["conflicts"].get<uint64_t>());
    }
  }
}

TEST(Emulate, ValuesOfAKernelAreAskedWhereTheyCameFrom) {
  TILESCOPE_NEED_NVRTC();
  const CliResult r = run_cli({"emulate", "--kernel", "thread_tile_2d", "--size", "136", "--json",
                               "--provenance", "--ask", "C[131,9]", "s+0:4"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json e = r.json();
  const json& origins = e["origins"];
  ASSERT_EQ(origins.size(), 2u);
  EXPECT_EQ(origins[0]["of"], "C[131, 9]");
  EXPECT_EQ(origins[0]["terms"], 136);
  EXPECT_TRUE(origins[0]["wrong"].is_null());
  EXPECT_EQ(origins[1]["kind"], "element");
  EXPECT_EQ(e["provenance"]["ctas"], json::parse("[[0, 0, 0]]"));
  EXPECT_EQ(e["provenance"]["stores"].size(), 128u);  // a row of C is one
  for (const auto& [spec, part] : {std::pair{"C[136,0]", "The row is 136; here are 0 to 135"},
                                   {"w9.l0.%f1", "The warp is 9; here are 0 to 7"},
                                   {"w0.l0.%nothing", "no register %nothing"}}) {
    const CliResult bad =
        run_cli({"emulate", "--kernel", "thread_tile_2d", "--size", "136", "--ask", spec});
    EXPECT_EQ(bad.code, 2);
    EXPECT_NE(bad.err.find(part), std::string::npos) << bad.err;
  }
}

/// A folder with a copy of the multi-stage kernel in which the last `right` is replaced.
std::string changed_kernels(const std::string& right, const std::string& wrong) {
  const std::string name = "11_mma_multistage.cuh";
  std::ifstream in(std::string(TILESCOPE_SOURCE_DIR "/kernels/") + name);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const size_t at = text.rfind(right);
  EXPECT_NE(at, text.npos);
  if (at != text.npos) text.replace(at, right.size(), wrong);
  std::string folder = scratch_folder() + "/changed";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/" + name) << text;
  return folder;
}

/// Right in the emulator, which copies at once, and a race on a card.
std::string racy_kernels() {
  return tilescope::racy_kernels(TILESCOPE_SOURCE_DIR, scratch_folder() + "/racy");
}

// Of a large C a few CTAs are verified, which is what is said; --whole verifies all.
TEST(Bench, SaysHowMuchIsVerified) {
  TILESCOPE_NEED_NVRTC();
  const std::string kernels = changed_kernels(
      "  Ring<P> ring(", "  if (blockIdx.x == 3 && blockIdx.y == 5) return;\n  Ring<P> ring(");
  std::vector<std::string> arguments = {"bench", "--size", "2176x2048x2048", "--kernel-dir",
                                        kernels};
  const CliResult text = run_cli(arguments);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find(", 4 of 272 CTAs right so far (error "), std::string::npos) << text.out;
  arguments.push_back("--json");
  const json few = run_cli(arguments).json()[0]["verified"];
  EXPECT_EQ(few["ok"], true);
  EXPECT_EQ(few["elements"], 4 * 128 * 128);
  EXPECT_EQ(few["of"], 2176 * 2048);
  EXPECT_EQ(few["ctas"], 4);
  EXPECT_EQ(few["of_ctas"], 272);
  arguments.push_back("--whole");
  const CliResult all = run_cli(arguments);
  EXPECT_EQ(all.code, 1);
  EXPECT_NE(all.err.find("WRONG (16,384 elements were never written, the first at C["),
            std::string::npos)
      << all.err;
  const json whole = all.json()[0]["verified"];
  EXPECT_EQ(whole["ok"], false);
  EXPECT_TRUE(whole["norm"].is_null());
  EXPECT_EQ(whole["untouched"], 128 * 128);
  EXPECT_EQ(whole["elements"], 2176 * 2048);
  EXPECT_EQ(whole["ctas"], 272);
}

TEST(Emulate, ARaceIsNoRightResult) {
  TILESCOPE_NEED_NVRTC();
  const std::vector<std::string> arguments = {"emulate",      "--size",       "256x128x1024",
                                              "--kernel-dir", racy_kernels(), "--json"};
  const CliResult r = run_cli(arguments);
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_NE(r.err.find("right here, but racy: line "), std::string::npos) << r.err;
  const json e = r.json();
  EXPECT_EQ(e["verified"]["ok"], true);
  EXPECT_EQ(e["checks"]["ctas"], 2);
  EXPECT_LT(e["checks"]["k"], 1024);
  ASSERT_FALSE(e["checks"]["findings"].empty());
  for (const char* key : {"kind", "cta", "warp", "lane", "ptx_line", "line", "sentence"})
    EXPECT_TRUE(e["checks"]["findings"][0].contains(key)) << key;
  EXPECT_GT(e["checks"]["findings"][0]["line"], 40);
  std::vector<std::string> in_full = arguments;
  in_full.push_back("--check");
  EXPECT_EQ(run_cli(in_full).code, 4) << "a fault of what ran";
  std::vector<std::string> bench = arguments;
  bench[0] = "bench";
  const CliResult b = run_cli(bench);
  EXPECT_EQ(b.code, 1);
  EXPECT_NE(b.err.find("racy: line "), std::string::npos) << b.err;
  EXPECT_EQ(b.json()[0]["checks"], e["checks"]);
  const CliResult right = run_cli({"emulate", "--size", "256x128x1024", "--json"});
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_EQ(right.json()["checks"]["findings"], json::array());
}

TEST(Emulate, InstructionsAreLimited) {
  TILESCOPE_NEED_NVRTC();
  const std::vector<std::string> arguments = {"emulate", "--kernel",           "naive", "--size",
                                              "64",      "--max-instructions", "1000"};
  const CliResult r = run_cli(arguments);
  EXPECT_EQ(r.code, 4) << r.err;
  EXPECT_NE(r.err.find("had not ended after as many instructions"), std::string::npos) << r.err;
  std::vector<std::string> without = arguments;
  without.back() = "0";
  EXPECT_EQ(run_cli(without).code, 0);
  without.back() = "-1";
  EXPECT_EQ(run_cli(without).code, 2);
}

TEST(Trace, EventsHaveTheKeysOfTheContract) {
  TILESCOPE_NEED_NVRTC();
  const CliResult r = run_cli({"trace", "--size", "256", "--cta", "1,0", "--lanes", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json t = r.json();
  EXPECT_EQ(t["kernel"], "mma_multistage");
  EXPECT_EQ(t["cta"][0], 1);
  ASSERT_FALSE(t["events"].empty());
  bool addressed = false;
  for (const json& event : t["events"]) {
    for (const char* key : {"epoch", "index", "warp", "kind", "count", "line", "ptx_line", "k_step",
                            "stage", "lanes", "matrix", "elements", "address", "bytes"}) {
      EXPECT_TRUE(event.contains(key)) << key;
    }
    addressed |= event["address"].is_array() && event["address"].size() == 32;
  }
  EXPECT_TRUE(addressed);
}

TEST(Trace, CtaOutsideOfTheGrid) {
  const CliResult r = run_cli({"trace", "--size", "256", "--cta", "9,0"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("outside of the grid"), std::string::npos);
}

// Of 64 tiles of 16 slices on 132 SMs: CTA 1 has slices 7 to 14 of tile 0.
TEST(Trace, IsOfAWorkItem) {
  TILESCOPE_NEED_NVRTC();
  const std::vector<std::string> asked = {"trace", "--kernel", "mma_stream_k", "--size", "1024",
                                          "--cta", "1"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = asked;
    all.insert(all.end(), more.begin(), more.end());
    return run_cli(all);
  };
  const CliResult r = with({"--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json t = r.json();
  EXPECT_EQ(t["cta"], (json{1, 0, 0}));
  EXPECT_EQ(t["block_tile"], (json{0, 0}));
  EXPECT_EQ(t["recorded_k_steps"].front(), 7);
  EXPECT_EQ(t["recorded_k_steps"].back(), 14);
  EXPECT_NE(run_cli(asked).out.find("k slices 7 to 14 of 16"), std::string::npos);
  const CliResult item = with({"--item", "1"});
  EXPECT_EQ(item.code, 2);
  EXPECT_NE(item.err.find("--item is 1; choose 0 to 0"), std::string::npos) << item.err;
  const CliResult slice = with({"--k-step", "15"});
  EXPECT_EQ(slice.code, 2);
  EXPECT_NE(slice.err.find("--k-step is 15; choose 7 to 14"), std::string::npos) << slice.err;
}

TEST(Bench, OnTheEmulatorMeasuresNoTflops) {
  TILESCOPE_NEED_NVRTC();
  const CliResult r = run_cli({"bench", "--size", "256,384", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json all = r.json();
  ASSERT_EQ(all.size(), 2u);
  for (const json& b : all) {
    for (const char* key :
         {"kernel",      "tile",       "size",    "types",      "layout",    "device",
          "standing",    "date",       "driver",  "verified",   "tflops",    "spread",
          "samples",     "time_us",    "library", "of_library", "clock_mhz", "registers",
          "spill_bytes", "compile_ms", "bytes",   "checks"}) {
      EXPECT_TRUE(b.contains(key)) << key;
    }
    EXPECT_EQ(b["standing"], "emulated");
    EXPECT_TRUE(b["tflops"].is_null());
    EXPECT_TRUE(b["verified"]["ok"].get<bool>());
    EXPECT_EQ(b["bytes"]["counted"]["l1"]["sectors"], b["bytes"]["model"]["l1"]["sectors"]);
    EXPECT_TRUE(b["bytes"]["measured"].is_null());
  }
  EXPECT_EQ(all[1]["size"], json({384, 384, 384}));
}

TEST(Bench, LinesThatLieApartAreNamed) {
  TILESCOPE_NEED_NVRTC();
  const auto bench = [](const char* lda) {
    return run_cli({"bench", "--kernel", "naive", "--size", "40x33x24", "--lda", lda, "--json"});
  };
  const CliResult padded = bench("31"), dense = bench("24"), too_few = bench("23");
  ASSERT_EQ(padded.code, 0) << padded.err;
  EXPECT_EQ(padded.json()[0]["lda"], 31);
  EXPECT_EQ(padded.json()[0]["verified"]["ok"], true);
  ASSERT_EQ(dense.code, 0) << dense.err;
  EXPECT_FALSE(dense.json()[0].contains("lda"));
  EXPECT_EQ(too_few.code, 2);
  EXPECT_NE(too_few.err.find("leading dimension of A is 23; a line of it needs 24"),
            std::string::npos)
      << too_few.err;
}

TEST(Bench, NoRecordingSaysSo) {
  const CliResult r = run_cli({"bench", "--size", "17x19x23", "--device", "recorded"});
  EXPECT_EQ(r.code, 3);
  EXPECT_NE(r.err.find("no recording"), std::string::npos);
}

TEST(Bench, ARecordingIsShownWithItsDayAndCard) {
  const std::string folder = scratch_folder();
  std::ofstream(folder + "/card.json")
      << R"({"kernel":"naive","tile":{"block_m":32,"block_n":8},"size":[64,64,64],)"
         R"("types":["f32","f32","f32"],"layout":"TT","device":"NVIDIA H200","standing":"measured",)"
         R"("date":"2026-11-20","driver":"1","verified":{"norm":1e-7,"tolerance":1e-5,"ok":true},)"
         R"("tflops":0.25,"spread":0.01,"samples":20,"time_us":2,"library":{"name":"L","tflops":1},)"
         R"("clock_mhz":1000,"registers":32,"spill_bytes":0,"compile_ms":9,"bytes":{},"arch":"sm_90",)"
         R"("revision":"00"})"
         "\n";
  setenv("TILESCOPE_RECORDINGS", folder.c_str(), 1);
  const CliResult r = run_cli(
      {"bench", "--kernel", "naive", "--size", "64", "--device", "recorded:H200", "--json"});
  const CliResult other =
      run_cli({"bench", "--kernel", "naive", "--size", "64", "--device", "recorded:A100"});
  unsetenv("TILESCOPE_RECORDINGS");
  ASSERT_EQ(r.code, 0) << r.err;
  const json b = r.json().at(0);
  EXPECT_EQ(b["standing"], "recorded");
  EXPECT_EQ(b["device"], "NVIDIA H200");
  EXPECT_EQ(b["date"], "2026-11-20");
  EXPECT_EQ(b["tflops"], 0.25);
  EXPECT_EQ(b["of_library"], 0.25);
  if (can_compile()) {
    EXPECT_EQ(b["older_kernel"], true) << "no revision is \"00\"";
  } else {
    EXPECT_TRUE(b["older_kernel"].is_null());
  }
  EXPECT_EQ(other.code, 3);
}

TEST(Bench, SaysOnceWhichRecordedLinesAreLeftOut) {
  const std::string folder = scratch_folder() + "/damaged";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/card.jsonl") << "{\"kernel\":\"naive\",\nno line\n";
  setenv("TILESCOPE_RECORDINGS", folder.c_str(), 1);
  const CliResult one = run_cli({"bench", "--size", "17x19x23", "--device", "recorded"});
  const CliResult two =
      run_cli({"bench", "--size", "4096", "--size", "8192", "--device", "recorded:H200", "--json"});
  unsetenv("TILESCOPE_RECORDINGS");
  const std::string said =
      "tilescope-cli: 2 lines of " + folder + "/card.jsonl are left out; correct or remove them";
  for (const CliResult* r : {&one, &two}) {
    const size_t at = r->err.find(said);
    ASSERT_NE(at, r->err.npos) << r->err;
    EXPECT_EQ(r->err.find(said, at + 1), r->err.npos) << "once: " << r->err;
  }
  EXPECT_EQ(one.code, 3) << "and there is no recording";
}

TEST(Sweep, SavesAndResumes) {
  TILESCOPE_NEED_NVRTC();
  const std::string out = scratch_folder() + "/sweep.jsonl";
  const std::vector<std::string> arguments = {
      "sweep",         "--kernel", "naive",        "--size", "64", "--axis",
      "block_m=32,64", "--axis",   "block_n=8,32", "--out",  out};
  const CliResult first = run_cli(arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.err.find("3 results"), std::string::npos) << first.err;  // 64×32 has 2048 threads
  EXPECT_NE(first.err.find("1 illegal"), std::string::npos) << first.err;
  std::ofstream(out, std::ios::app) << "{\"half a line";
  const CliResult second = run_cli(arguments);
  EXPECT_EQ(second.code, 0);
  EXPECT_NE(second.err.find("3 from an earlier run"), std::string::npos) << second.err;
  EXPECT_EQ(first.out, second.out);
  // C in the other order is another problem.
  std::vector<std::string> turned = arguments;
  turned.insert(turned.end(), {"--c", "col"});
  const CliResult third = run_cli(turned);
  EXPECT_EQ(third.code, 0) << third.err;
  EXPECT_NE(third.err.find("(0 from an earlier run"), std::string::npos) << third.err;
  EXPECT_NE(third.out.find("\"order_c\":\"column_major\""), std::string::npos) << third.out;
}

// A whole run touches all of its matrices, one of some CTAs next to nothing of them.
TEST(Emulate, TakesNoMoreMemoryThanItMay) {
  TILESCOPE_NEED_MEMORY_LIMIT();
  TILESCOPE_NEED_NVRTC();
  const CliResult whole =
      run_cli({"emulate", "--kernel", "naive", "--size", "1024x1024x8", "--max-memory", "0.002"});
  EXPECT_EQ(whole.code, 3) << whole.err;
  EXPECT_NE(whole.err.find("for A, B and C, and it may take 2 MB; choose a smaller problem, or "
                           "allow more with --max-memory GB"),
            std::string::npos)
      << whole.err;
  const CliResult some = run_cli({"emulate", "--kernel", "naive", "--size", "16384x16384x64"});
  EXPECT_EQ(some.code, 0) << some.err;
}

}  // namespace
}  // namespace tilescope
