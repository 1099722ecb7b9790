// Whole kernels from nvcc against float64 references, with counts done by hand.
#include "support.h"

namespace tilescope::emulator::test::kernels_file {
namespace {

struct Gemm {
  Memory memory;
  uint64_t a = 0, b = 0, c = 0;
  uint32_t m, n, k;
};

// A is [m, k]; B is [k, n], or [n, k] for half. Values n/512, so that any order of sums is exact.
Gemm make_gemm(uint32_t m, uint32_t n, uint32_t k, bool half) {
  Gemm g{{}, 0, 0, 0, m, n, k};
  const uint64_t bytes = half ? 2 : 4;
  g.a = g.memory.allocate("A", uint64_t{m} * k * bytes, true);
  g.b = g.memory.allocate("B", uint64_t{k} * n * bytes, true);
  g.c = g.memory.allocate("C", uint64_t{m} * n * 4);
  auto fill = [&](uint64_t address, uint32_t count, uint32_t seed) {
    for (uint32_t i = 0; i < count; ++i) {
      if (half) {
        data<uint16_t>(g.memory, address)[i] = half_of(small_value(i, seed));
      } else {
        data<float>(g.memory, address)[i] = static_cast<float>(small_value(i, seed)) / 512;
      }
    }
  };
  fill(g.a, m * k, 1);
  fill(g.b, k * n, 77);
  return g;
}

void expect_product(Gemm& g, bool half, float alpha = 1, float beta_c = 0) {
  const float* c = data<float>(g.memory, g.c);
  for (uint32_t i = 0; i < g.m; ++i) {
    for (uint32_t j = 0; j < g.n; ++j) {
      double sum = 0;
      for (uint32_t k = 0; k < g.k; ++k) {
        sum += static_cast<double>(small_value(i * g.k + k, 1)) *
               small_value(half ? j * g.k + k : k * g.n + j, 77);
      }
      ASSERT_EQ(c[i * g.n + j], static_cast<float>(alpha * (sum / 262144) + beta_c))
          << i << ", " << j;
    }
  }
}

RunResult launch_gemm(Gemm& g, const char* file, const char* entry, Dim3 grid, Dim3 block,
                      uint32_t shared, RunOptions options = {}, bool scaled = false,
                      float alpha = 1, float beta = 0) {
  auto program = parse(read_kernel(file));
  Launch launch{grid, block, shared, parameters(g.a, g.b, g.c, g.m, g.n, g.k)};
  if (scaled) append(launch.parameters, alpha), append(launch.parameters, beta);
  RunResult r = run(*program, entry, launch, g.memory, options);
  EXPECT_FALSE(r.fault) << r.fault->message;
  return r;
}

TEST(Kernels, NaiveGemmWithRaggedEdges) {
  Gemm g = make_gemm(45, 37, 29, false);
  for (uint32_t i = 0; i < 45 * 37; ++i) data<float>(g.memory, g.c)[i] = 3.0f;
  const RunResult r = launch_gemm(g, "gemm_naive.ptx", "gemm_naive", {3, 3, 1}, {16, 16, 1}, 0, {},
                                  true, 2.0f, 0.5f);
  expect_product(g, false, 2.0f, 1.5f);
  EXPECT_EQ(r.counts.ctas, 9u);
  EXPECT_EQ(r.counts.shared_load.requests, 0u);
  // Each of the 45 · 37 threads inside loads 29 of A, 29 of B and its C.
  EXPECT_EQ(r.counts.global_load.bytes, 45u * 37 * (29 + 29 + 1) * 4);
  EXPECT_EQ(r.counts.global_store.bytes, 45u * 37 * 4);
}

TEST(Kernels, NaiveGemmSectors) {
  Gemm g = make_gemm(32, 32, 32, false);
  const RunResult r =
      launch_gemm(g, "gemm_naive.ptx", "gemm_naive", {1, 1, 1}, {32, 32, 1}, 0, {}, true);
  expect_product(g, false);
  // A warp is a row: A is one address (1 sector), B and C are 32 floats in a line (4 sectors).
  EXPECT_EQ(r.counts.global_load.requests, 32u * (32 + 32 + 1));
  EXPECT_EQ(r.counts.global_load.sectors, 32u * (32 * 1 + 32 * 4 + 4));
  EXPECT_EQ(r.counts.global_store.requests, 32u);
  EXPECT_EQ(r.counts.global_store.sectors, 32u * 4);
  EXPECT_EQ(r.counts.by_opcode.at("fma.rn.f32"), 32u * 32 + 32);  // and beta · C
}

TEST(Kernels, TiledSgemm) {
  Gemm g = make_gemm(256, 128, 32, false);
  const RunResult r = launch_gemm(g, "sgemm_tiled.ptx", "sgemm_tiled", {1, 2, 1}, {256, 1, 1}, 0);
  expect_product(g, false);
  const uint64_t ctas = 2, tiles = 4, warps = 8;
  EXPECT_EQ(r.counts.by_opcode.at("fma.rn.f32"), ctas * warps * 32 * 64);
  EXPECT_EQ(r.counts.barriers, ctas * tiles * 2);
  EXPECT_EQ(r.counts.by_opcode.at("bar.sync"), ctas * tiles * 2 * warps);
  // A tile: each warp loads a float4 of 16 rows x 32 bytes (16 sectors) and one row of 512 bytes
  // (16).
  EXPECT_EQ(r.counts.global_load.requests, ctas * tiles * warps * 2);
  EXPECT_EQ(r.counts.global_load.sectors, ctas * tiles * warps * (16 + 16));
  EXPECT_EQ(r.counts.global_load.bytes, ctas * tiles * (128 + 128) * 8 * 4);
  // C: 16 stores per warp; 2 rows x 16 threads, each its 16 of every 32 bytes: 16 + 16 sectors.
  EXPECT_EQ(r.counts.global_store.requests, ctas * warps * 16);
  EXPECT_EQ(r.counts.global_store.sectors, ctas * warps * 16 * 32);
  // Shared loads of k step: A 2 x float4, two addresses per warp, so that neighbours share and half
  // warps are served: 2 wavefronts each; B 2 x float4, 16 threads with stride 32 bytes: a quarter
  // warp's 8 lanes take 8 x 16 bytes of 256, and those fall on the 32 banks twice.
  EXPECT_EQ(r.counts.shared_load.requests, ctas * tiles * warps * 8 * 4);
  EXPECT_EQ(r.counts.shared_load.ideal, ctas * tiles * warps * 8 * (2 * 2 + 2 * 4));
  EXPECT_EQ(r.counts.shared_load.wavefronts, ctas * tiles * warps * 8 * (2 * 2 + 2 * 8));
  // Shared stores: A four scalar ones: lanes 2i and 2i+1 write rows 512 · 4 bytes apart, the same
  // bank: 2 wavefronts; B one float4 in a line: 4.
  EXPECT_EQ(r.counts.shared_store.requests, ctas * tiles * warps * 5);
  EXPECT_EQ(r.counts.shared_store.wavefronts, ctas * tiles * warps * (4 * 2 + 4));
  EXPECT_EQ(r.counts.shared_store.ideal, ctas * tiles * warps * (4 * 1 + 4));
}

TEST(Kernels, MmaMultistage) {
  Gemm g = make_gemm(128, 256, 320, true);
  const RunResult r =
      launch_gemm(g, "hgemm_mma.ptx", "hgemm_mma", {2, 1, 1}, {256, 1, 1}, 3 * 32768);
  expect_product(g, true);
  const uint64_t ctas = 2, tiles = 5, warps = 8;
  EXPECT_EQ(r.counts.mma, ctas * tiles * warps * 4 * 16);
  // Copies: 8 per thread and tile; a warp covers 4 rows of 128 bytes: 16 sectors, and in shared
  // memory 4 wavefronts with the swizzle.
  const uint64_t copies = ctas * tiles * warps * 8;
  EXPECT_EQ(r.counts.global_load.requests, copies);
  EXPECT_EQ(r.counts.global_load.sectors, copies * 16);
  EXPECT_EQ(r.counts.global_load.bytes, ctas * tiles * 32768);
  EXPECT_EQ(r.counts.shared_copy.requests, copies);
  EXPECT_EQ(r.counts.shared_copy.wavefronts, copies * 4);
  EXPECT_EQ(r.counts.shared_copy.conflicts(), 0u);
  // ldmatrix.x4: 4 of A and 2 of B per k step of 16; no conflicts.
  EXPECT_EQ(r.counts.shared_load.requests, ctas * tiles * warps * 4 * 6);
  EXPECT_EQ(r.counts.shared_load.wavefronts, ctas * tiles * warps * 4 * 6 * 4);
  EXPECT_EQ(r.counts.shared_load.conflicts(), 0u);
  // float2 stores: 8 rows x 32 bytes.
  EXPECT_EQ(r.counts.global_store.requests, ctas * warps * 32);
  EXPECT_EQ(r.counts.global_store.sectors, ctas * warps * 32 * 8);
  // Per line: the lines' sum is the whole.
  uint64_t sectors = 0, warp_instructions = 0;
  for (const LineCounts& l : r.counts.lines)
    sectors += l.sectors, warp_instructions += l.warp_instructions;
  EXPECT_EQ(sectors, r.counts.global_load.sectors + r.counts.global_store.sectors);
  EXPECT_EQ(warp_instructions, r.counts.warp_instructions);
}

TEST(Kernels, ThreadsAndChecksChangeNothing) {
  Gemm one = make_gemm(256, 256, 128, true), two = make_gemm(256, 256, 128, true);
  const RunResult r1 =
      launch_gemm(one, "hgemm_mma.ptx", "hgemm_mma", {2, 2, 1}, {256, 1, 1}, 98304);
  RunOptions options;
  options.threads = 3;
  options.check = true;
  const RunResult r2 =
      launch_gemm(two, "hgemm_mma.ptx", "hgemm_mma", {2, 2, 1}, {256, 1, 1}, 98304, options);
  EXPECT_EQ(
      std::memcmp(data<float>(one.memory, one.c), data<float>(two.memory, two.c), 256 * 256 * 4),
      0);
  EXPECT_EQ(r1.counts.by_opcode, r2.counts.by_opcode);
  EXPECT_EQ(r1.counts.lane_instructions, r2.counts.lane_instructions);
  EXPECT_EQ(r1.counts.global_load.sectors, r2.counts.global_load.sectors);
  EXPECT_EQ(r1.counts.shared_load.wavefronts, r2.counts.shared_load.wavefronts);
}

TEST(Kernels, OneClassOfCtasScalesToTheWhole) {
  Gemm whole = make_gemm(256, 256, 64, false), one = make_gemm(256, 256, 64, false);
  const RunResult r1 =
      launch_gemm(whole, "sgemm_tiled.ptx", "sgemm_tiled", {2, 2, 1}, {256, 1, 1}, 0);
  RunOptions options;
  options.ctas = {{1, 1, 0}};
  const RunResult r2 =
      launch_gemm(one, "sgemm_tiled.ptx", "sgemm_tiled", {2, 2, 1}, {256, 1, 1}, 0, options);
  const Counts scaled = r2.counts.scaled(4);
  EXPECT_EQ(scaled.by_opcode, r1.counts.by_opcode);
  EXPECT_EQ(scaled.global_load.sectors, r1.counts.global_load.sectors);
  EXPECT_EQ(scaled.lines.size(), r1.counts.lines.size());
  Counts sum = r2.counts;
  for (int i = 0; i < 3; ++i) sum += r2.counts;
  EXPECT_EQ(sum.warp_instructions, r1.counts.warp_instructions);
  EXPECT_EQ(sum.lines[3].warp_instructions, r1.counts.lines[3].warp_instructions);
}

TEST(Kernels, DivergentLoopsAndEarlyReturn) {
  auto program = parse(read_kernel("divergent.ptx"));
  for (const uint32_t n : {200u, 97u, 1u, 256u}) {
    Memory memory;
    const uint64_t in = memory.allocate("in", 256 * 4), out = memory.allocate("out", 256 * 4);
    for (uint32_t i = 0; i < 256; ++i) data<int>(memory, in)[i] = static_cast<int>(i * 7 % 23);
    std::vector<int> total(256);
    for (uint32_t t = 0; t < n; ++t) {
      int sum = 0;
      for (int i = 0; i < data<int>(memory, in)[t]; ++i) {
        if (i % 3 == 1) continue;
        if (sum > 40) break;
        sum += (i & 1) ? i : 2;
        for (int j = 0; j < static_cast<int>(t & 3); ++j) sum ^= j;
      }
      total[t] = sum;
    }
    Launch launch{{1, 1, 1}, {256, 1, 1}, 0, parameters(in, out, n)};
    RunOptions checked;
    checked.check = true;
    const RunResult r = run(*program, "divergent", launch, memory, checked);
    ASSERT_FALSE(r.fault) << r.fault->message;
    EXPECT_EQ(r.counts.barriers, 1u);
    for (uint32_t t = 0; t < n; ++t) {
      EXPECT_EQ(data<int>(memory, out)[t], total[n - 1 - t] * 2 + (total[t] & 1)) << n << ", " << t;
    }
  }
}

TEST(Kernels, ShuffleReduction) {
  auto program = parse(read_kernel("reduce_shuffle.ptx"));
  Memory memory;
  const uint64_t in = memory.allocate("in", 5000 * 4), out = memory.allocate("out", 4 * 4);
  double whole = 0;
  for (uint32_t i = 0; i < 5000; ++i) {
    data<float>(memory, in)[i] = static_cast<float>(small_value(i, 3)) / 512;
    whole += small_value(i, 3) / 512.0;
  }
  Launch launch{{4, 1, 1}, {256, 1, 1}, 0, parameters(in, out, 5000)};
  RunOptions checked;
  checked.check = true;
  const RunResult r = run(*program, "reduce_shuffle", launch, memory, checked);
  ASSERT_FALSE(r.fault) << r.fault->message;
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += data<float>(memory, out)[i];
  EXPECT_EQ(sum, whole);
}

TEST(Kernels, HistogramWithAtomics) {
  auto program = parse(read_kernel("histogram.ptx"));
  Memory memory;
  const uint64_t in = memory.allocate("in", 10007), bins = memory.allocate("bins", 64 * 4);
  std::vector<uint32_t> expected(64);
  for (uint32_t i = 0; i < 10007; ++i) {
    data<uint8_t>(memory, in)[i] = static_cast<uint8_t>(i * i >> 3);
    ++expected[(i * i >> 3) & 63];
  }
  RunOptions options;
  options.threads = 2;
  options.check = true;
  Launch launch{{6, 1, 1}, {128, 1, 1}, 0, parameters(in, bins, 10007)};
  const RunResult r = run(*program, "histogram", launch, memory, options);
  ASSERT_FALSE(r.fault) << r.fault->message;
  EXPECT_EQ(std::vector<uint32_t>(data<uint32_t>(memory, bins), data<uint32_t>(memory, bins) + 64),
            expected);
}

}  // namespace
}  // namespace tilescope::emulator::test::kernels_file
