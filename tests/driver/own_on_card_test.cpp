// Kernels of somebody's own on cuda:N, through the real processes: what is computed is judged, and
// what goes wrong is one sentence.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/driver/card.h"

namespace tilescope {
namespace {

using nlohmann::json;

/// One thread per element; `sum` can be replaced by something wrong.
std::string gemm_text(const std::string& sum = "sum += A[row * K + k] * B[k * N + col];",
                      const std::string& before = "") {
  return R"(#include <cstdio>
__global__ void own_gemm(int M, int N, int K, float alpha, const float* A, const float* B,
                         float beta, float* C) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  )" + before +
         R"(
  float sum = 0;
  for (int k = 0; k < K; ++k) { )" +
         sum + R"( }
  if (row < M && col < N) C[row * N + col] = alpha * sum + beta * C[row * N + col];
}
int main() {
  int M = 64, N = 64, K = 64;
  own_gemm<<<dim3(N / 16, M / 16), dim3(16, 16)>>>(M, N, K, 1.0f, 0, 0, 0.0f, 0);
}
)";
}

std::string own_file(const std::string& name, const std::string& text) {
  const std::string file = scratch_folder() + "/" + name;
  std::ofstream(file) << text;
  return file;
}

std::vector<std::string> on_card(const std::string& file, std::vector<std::string> more = {}) {
  std::vector<std::string> all = {"bench", "--cu", file, "--device", "cuda:0", "--seconds", "0.01"};
  if (more.empty()) more = {"--gemm", "64", "--no-counts"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

CliResult bench_own_of(const std::string& file, std::vector<std::string> more = {}) {
  std::vector<std::string> all = on_card(file, std::move(more));
  all.push_back("--json");
  return run_cli(all);
}

TEST(OwnOnCard, AGemmIsVerifiedTimedCountedAndChecked) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const CliResult r =
      bench_own_of(own_file("right.cu", gemm_text()), {"--gemm", "64x32x48", "--beta", "0.5"});
  ASSERT_EQ(r.code, 0) << r.err;
  const json one = r.json()[0];
  EXPECT_EQ(one["kernel"], "own_gemm");
  EXPECT_EQ(one["device"], "Emulated GPU");
  EXPECT_EQ(one["standing"], "measured");
  EXPECT_EQ(one["driver"], "CUDA 13.9");
  EXPECT_EQ(one["arch"], "sm_99");
  EXPECT_EQ(one["size"], json({64, 32, 48}));
  EXPECT_EQ(one["verified"]["ok"], true) << one.dump();
  EXPECT_EQ(one["verified"]["right"], 64 * 32);
  EXPECT_EQ(one["verified"]["of_ctas"], 8);
  EXPECT_GT(one["tflops"], 0);
  EXPECT_GT(one["time_us"], 0);
  EXPECT_NEAR(one["tflops"].get<double>() * one["time_us"].get<double>() * 1e6, 2.0 * 64 * 32 * 48,
              1);
  EXPECT_GE(one["samples"], 10);
  EXPECT_GT(one["registers"], 0);
  EXPECT_GT(one["compile_ms"], 0);
  EXPECT_TRUE(one["bytes"]["counted"].is_object()) << r.err;
  EXPECT_EQ(one["checks"]["findings"], json::array());
  EXPECT_NE(r.err.find("Not compared with a library: TILESCOPE_CUBLASLT names no library"),
            std::string::npos)
      << r.err;
  // All that a rung's has and a figure needs.
  const CliResult rung =
      bench({"--device", "cuda:0", "--kernel", "naive", "--size", "64", "--no-counts"});
  const json whole = rung.json()[0];
  for (const auto& [key, value] : whole.items()) {
    const bool problem = key == "alpha" || key == "beta";  // arguments of the sheet's
    if (!problem) {
      EXPECT_TRUE(one.contains(key)) << "no " << key;
    }
  }
}

TEST(OwnOnCard, AWrongCIsNotTimedAndItsInputsAreTheEmulators) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string file =
      own_file("wrong.cu", gemm_text("if (k != 7) sum += A[row * K + k] * B[k * N + col];"));
  const CliResult r = bench_own_of(file);
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_NE(r.err.find("wrong result: "), std::string::npos) << r.err;
  const json on_card = r.json()[0];
  EXPECT_TRUE(on_card["tflops"].is_null());
  EXPECT_TRUE(on_card["time_us"].is_null());
  // A first wrong element with the same digits: the same A and B, and the same judge.
  const CliResult emulated = run_cli({"emulate", "--cu", file, "--gemm", "64", "--json"});
  const json there = emulated.json();
  EXPECT_EQ(on_card["verified"]["first"], there["verified"]["first"]);
  EXPECT_EQ(on_card["verified"]["right"], there["verified"]["right"]);
  EXPECT_NEAR(on_card["verified"]["norm"].get<double>(), there["verified"]["norm"].get<double>(),
              1e-6);
}

TEST(OwnOnCard, AnotherLayoutThatWouldBeRightIsNamed) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const CliResult r =
      bench_own_of(own_file("turned.cu", gemm_text("sum += A[row * K + k] * B[col * K + k];")));
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_EQ(r.json()[0]["verified"]["layout"], "TN") << r.out;
}

TEST(OwnOnCard, WhatIsNeverWrittenIsToldFromZero) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string file = own_file("half.cu", R"(
__global__ void half_of_it(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
  if (row < 32) C[row * N + col] = sum;
}
)");
  const CliResult r =
      bench_own_of(file, {"--gemm", "64", "--no-counts", "--grid", "4,4", "--block", "16,16"});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_EQ(r.json()[0]["verified"]["untouched"], 32 * 64) << r.err;
}

TEST(OwnOnCard, AFaultIsNamed) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  expect_sentence(
      on_card(own_file("far.cu", gemm_text("sum += A[(row << 20) + k];"))), 4,
      "Kernel faulted: illegal address in own_gemm. GPU process restarted; your session "
      "is intact");
  expect_sentence(
      on_card(own_file("odd.cu", gemm_text("sum += *(const float*)((const char*)A + 2 + 4 * k);"))),
      4, "Kernel faulted: misaligned address in own_gemm");
}

TEST(OwnOnCard, OneThatNeverEndsIsStopped) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string file = own_file(
      "endless.cu", gemm_text("sum += ((volatile const float*)A)[0]; if (sum != -77) k = 0;"));
  expect_sentence(on_card(file, {"--gemm", "64", "--no-counts", "--time-limit", "0.3"}), 4,
                  "Kernel stopped: own_gemm was not done after 0.3 s, the limit of a launch; look "
                  "for a loop or a barrier that never ends, or allow more with --time-limit "
                  "SECONDS. GPU process restarted");
}

TEST(OwnOnCard, ALostCardAndMemoryThatDoesNotSuffice) {
  TILESCOPE_NEED_NVRTC();
  const std::string file = own_file("lost.cu", gemm_text());
  {
    const Card card{{"TILESCOPE_EMULATED_FAULT", "lost:3"}};
    expect_sentence(on_card(file), 4,
                    "The GPU does not answer any more (CUDA_ERROR_DEVICE_UNAVAILABLE)");
  }
  const Card card{{"TILESCOPE_EMULATED_MEMORY", "100000000"}};
  expect_sentence(on_card(file, {"--gemm", "4096", "--no-counts"}), 3,
                  "Emulated GPU: needs 268.4 MB, ");
}

// The library's operands beside the kernel's are no reason to time nothing.
TEST(OwnOnCard, WithoutMemoryForTheLibraryItIsTimedAlone) {
  TILESCOPE_NEED_NVRTC();
  const Card card{{"TILESCOPE_EMULATED_FAULT", "out_of_memory_above:60000000"}};
  const CliResult r = bench_own_of(own_file("alone.cu", gemm_text()));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_GT(r.json()[0]["tflops"], 0);
  EXPECT_NE(r.err.find("Not compared with a library: Emulated GPU: no piece of 67.1 MB"),
            std::string::npos)
      << r.err;
}

TEST(OwnOnCard, WhatItPrintsIsShownAndDisturbsNothing) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string file = own_file(
      "prints.cu",
      gemm_text("sum += A[row * K + k] * B[k * N + col];",
                "if (row == 3 && col == 5) printf(\"Content-Length: %d \\xff\\n\", row * 10);"));
  const CliResult r = bench_own_of(file);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json()[0]["verified"]["ok"], true);
  const size_t first = r.err.find("Content-Length: 30 ");
  ASSERT_NE(first, std::string::npos) << r.err;
  EXPECT_EQ(r.err.find("Content-Length: 30 ", first + 1), std::string::npos)
      << "of the first launch alone";
  EXPECT_NE(r.err.find("own_gemm prints, which takes time"), std::string::npos) << r.err;
}

// A counter that a launch leaves behind would let the next one do something else: here, trap.
TEST(OwnOnCard, EachTimedLaunchFindsItsBuffersAsTheSheetFillsThem) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string file = own_file("ticket.cu", R"(
extern "C" __global__ void tickets(unsigned* next, const float* in, float* out, int* table) {
  extern __shared__ float held[];
  __shared__ unsigned mine;
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) mine = atomicAdd(next, 1);
  __syncthreads();
  if (mine >= gridDim.x || table[0] != 0 || table[5] != 5) __trap();
  const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  held[12000 + t] = in[mine * 64 + t];
  out[mine * 64 + t] = held[12000 + t];
  __syncthreads();  // all have looked at the table
  if (mine == gridDim.x - 1 && t == 0) table[5] = 6;
}
)");
  const std::string sheet = own_file("ticket.sheet.json", R"({"entry": "tickets",
  "grid": [4, 1, 1], "block": [4, 4, 4], "shared": 49152,
  "args": ["buf:u32:1x1:zeros:out", "buf:f32:1x256:random:in", "buf:f32:1x256:zeros:out",
           "buf:i32:1x6:index:inout"]})");
  const CliResult r = bench_own_of(file, {"--sheet", sheet});
  ASSERT_EQ(r.code, 0) << r.err;
  const json one = r.json()[0];
  EXPECT_GT(one["time_us"], 0);
  EXPECT_TRUE(one["tflops"].is_null());
  EXPECT_TRUE(one["verified"].is_null());
  EXPECT_TRUE(one["library"]["name"].is_null());
  EXPECT_EQ(one["cold"], true);
  EXPECT_FALSE(one.contains("hot"));
  EXPECT_EQ(r.err.find("Not compared"), std::string::npos) << r.err;

  const CliResult text = run_cli(on_card(file, {"--sheet", sheet, "--no-counts"}));
  EXPECT_NE(text.out.find("tickets on Emulated GPU: "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(" (measured), C is compared with nothing"), std::string::npos)
      << text.out;
  expect_sentence(
      on_card(file, {"--sheet", sheet, "--shared", "232448"}), 2,
      " bytes of shared memory, 232,448 of them dynamic; a block of Emulated GPU has 232,448");
}

// What the sheet expects is compared with what the card wrote, and what differs is not timed.
TEST(OwnOnCard, IsComparedWithAnotherKernelAndAFile) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string file = own_file("doubles.cu", R"(
extern "C" __global__ void doubles(const float* in, float* out, int* ticks) {
  out[blockIdx.x * 32 + threadIdx.x] = 2 * in[blockIdx.x * 32 + threadIdx.x];
  if (threadIdx.x == 0) ticks[blockIdx.x] += 3;
}
extern "C" __global__ void adds(float* out, const float* in, int* ticks) {
  const int i = threadIdx.x + 32 * blockIdx.x;
  out[i] = in[i] + in[i];
  if (threadIdx.x == 0) ticks[blockIdx.x] = ticks[blockIdx.x] + 3;
}
extern "C" __global__ void forgets(const float* in, float* out, int* ticks) {
  const int i = threadIdx.x + 32 * blockIdx.x;
  out[i] = i == 35 ? 7 : 2 * in[i];
}
int main() {
  adds<<<4, 32>>>(nullptr, nullptr, nullptr);
  forgets<<<4, 32>>>(nullptr, nullptr, nullptr);
}
)");
  std::ofstream(scratch_folder() + "/ticks.bin", std::ios::binary)
      .write("\3\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0", 16);
  const std::vector<std::string> launch = {"--entry",
                                           "doubles",
                                           "--grid",
                                           "4",
                                           "--block",
                                           "32",
                                           "--arg",
                                           "buf:f32:4x32:random:in",
                                           "buf:f32:4x32:zeros:out",
                                           "buf:i32:1x4:index:inout",
                                           "--expect",
                                           "2=" + scratch_folder() + "/ticks.bin"};
  const auto against = [&](const char* kernel) {
    auto words = launch;
    words.insert(words.end(), {"--expect-kernel", kernel, "--no-counts"});
    return words;
  };
  const CliResult right = bench_own_of(file, against("adds"));
  ASSERT_EQ(right.code, 0) << right.err;
  const json one = right.json()[0];
  EXPECT_EQ(one["standing"], "measured");
  EXPECT_GT(one["time_us"], 0);
  ASSERT_EQ(one["expected"].size(), 3u)
      << one["expected"];  // the file's, and both that are written
  for (const json& verdict : one["expected"]) EXPECT_EQ(verdict["ok"], true) << verdict;
  EXPECT_NE(run_cli(on_card(file, against("adds"))).out.find("out is as adds has it"),
            std::string::npos);

  const CliResult wrong = bench_own_of(file, against("forgets"));
  EXPECT_EQ(wrong.code, 1) << wrong.err;
  EXPECT_NE(wrong.err.find("wrong result: "), std::string::npos) << wrong.err;
  const json other = wrong.json()[0];
  EXPECT_TRUE(other["time_us"].is_null());
  EXPECT_EQ(other["expected"][1]["wrong"], 1) << other["expected"];
  EXPECT_EQ(other["expected"][1]["first"]["col"], 3);
  EXPECT_EQ(other["expected"][2]["wrong"], 4);

  auto small = launch;
  std::ofstream(scratch_folder() + "/few.bin", std::ios::binary).write("\3\0\0\0", 4);
  small.back() = "2=" + scratch_folder() + "/few.bin";
  small.push_back("--no-counts");
  expect_sentence(on_card(file, small), 2, "few.bin holds 4 bytes; 1 × 4 of i32 are 16");
}

TEST(OwnOnCard, APtxRunsAsItIs) {
  const Card card;
  const std::string file = std::string(TILESCOPE_SOURCE_DIR) + "/tests/own/sources/scale.ptx";
  const CliResult r =
      run_cli({"bench", "--ptx", file, "--device", "cuda", "--seconds", "0.01", "--grid", "2",
               "--arg", "buf:f32:1x128:index:in", "out:512", "f32:2", "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_GT(r.json()[0]["time_us"], 0);
  EXPECT_TRUE(r.json()[0]["compile_ms"].is_null());
}

// The cluster's size is the launch's (cuLaunchKernelEx), or the kernel's own.
TEST(OwnOnCard, KernelsAreLaunchedInClusters) {
  const Card card{{"TILESCOPE_EMULATED_CAPABILITY", "9.0"}};  // as the PTX is for sm_90a
  const std::string file =
      std::string(TILESCOPE_SOURCE_DIR) + "/tests/emulator/kernels/cluster.ptx";
  const auto on = [&](const std::string& command, std::vector<std::string> more) {
    std::vector<std::string> all = {command, "--ptx", file, "--block", "64"};
    all.insert(all.end(), more.begin(), more.end());
    return run_cli(all);
  };
  const std::string sums = scratch_folder() + "/sums.bin";
  const std::vector<std::string> sum = {"--entry",
                                        "cluster_sum",
                                        "--grid",
                                        "8",
                                        "--cluster",
                                        "4",
                                        "--arg",
                                        "buf:f32:8x100:index:in",
                                        "buf:f32:1x8:zeros:inout",
                                        "i32:100"};
  auto made = sum;
  made.insert(made.end(), {"--dump", "1=" + sums});
  ASSERT_EQ(on("emulate", made).code, 0);
  auto measured = sum;
  measured.insert(measured.end(),
                  {"--expect", "1=" + sums, "--device", "cuda:0", "--seconds", "0.01", "--json"});
  const CliResult r = on("bench", measured);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json()[0]["expected"][0]["ok"], true) << r.out;
  EXPECT_GT(r.json()[0]["time_us"], 0);
  measured[5] = "2";  // other sums
  const CliResult other = on("bench", measured);
  EXPECT_EQ(other.code, 1) << other.err;
  const CliResult own =
      on("bench", {"--entry", "histogram", "--grid", "4", "--shared", "64", "--arg",
                   "buf:i32:1x100:zeros:in", "buf:i32:1x64:zeros:inout", "i32:100", "i32:16",
                   "--device", "cuda:0", "--seconds", "0.01", "--json"});
  EXPECT_EQ(own.code, 0) << own.err;
}

TEST(OwnOnCard, DevicesThatCannotRunItAreRefused) {
  const Card card;
  const std::string file = own_file("refused.cu", gemm_text());
  for (const char* device : {"recorded", "ssh:host/cuda:0"}) {
    expect_sentence({"bench", "--cu", file, "--gemm", "64", "--device", device}, 2,
                    "a kernel of your own runs in the emulator and on this machine's cards");
  }
  expect_sentence({"bench", "--cu", file, "--gemm", "64", "--device", "cuda:3"}, 3,
                  "there is no device cuda:3");
}

// What it would take to count a large one is known from one of its CTAs.
TEST(OwnOnCard, WhatTheEmulatorWouldTakeTooLongForIsNotCounted) {
  TILESCOPE_NEED_NVRTC();
  const Card card;
  const std::string file =
      own_file("long.cu",
               "extern \"C\" __global__ void spin(float* out, int n) {\n"
               "  float sum = 0;\n  for (int i = 0; i < n; ++i) sum = sum * 1.5f + 1;\n"
               "  if (blockIdx.x < 2) out[threadIdx.x] = sum;\n}\n");
  const CliResult r =
      bench_own_of(file, {"--entry", "spin", "--grid", "60000", "--block", "32", "--arg",
                          "buf:f32:1x32:zeros:out", "i32:1", "--max-instructions", "1000"});
  EXPECT_NE(r.err.find("not counted: "), std::string::npos) << r.err;
  EXPECT_TRUE(r.json()[0]["bytes"]["counted"].is_null());
  EXPECT_GT(r.json()[0]["time_us"], 0);
}

}  // namespace
}  // namespace tilescope
