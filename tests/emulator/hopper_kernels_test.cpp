// GEMMs of wgmma and TMA as nvcc compiles them (bench/hopper): a ring that one warpgroup fills and
// reads, and a producer with two consumers that store boxes. Right on ragged problems, clean under
// the checks; and mistakes planted in their PTX are found.
#include <algorithm>
#include <cmath>
#include <random>

#include "emulator/provenance.h"
#include "emulator/tensor_map.h"
#include "support.h"

namespace tilescope::emulator::test::hopper_kernels_file {
namespace {

struct Kernel {
  const char* file;
  uint32_t block_m, block_n, threads;
};
constexpr Kernel kRing{"wgmma_ring.ptx", 64, 32, 128};
constexpr Kernel kRoles{"wgmma_roles.ptx", 128, 32, 384};

float half_value(uint16_t h) {
  const int exponent = (h >> 10) & 31, fraction = h & 1023;
  const double value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction | 1024, exponent - 25);
  return static_cast<float>(h & 0x8000 ? -value : value);
}

struct Problem {
  uint32_t m, n, k;
};

std::array<std::byte, kTensorMapBytes> map_of(TensorType type, uint64_t address, uint32_t lines,
                                              uint32_t length, uint32_t box_lines,
                                              uint32_t box_length) {
  TensorMap map;
  map.type = type, map.rank = 2, map.address = address;
  map.dims = {length, lines}, map.strides = {length * tensor_type_bytes(type)};
  map.box = {box_length, box_lines}, map.swizzle = 128;
  EXPECT_EQ(wrong_in(map), "");
  return encode(map);
}

/// Runs all CTAs; the largest error of an element of C.
struct Ran {
  RunResult result;
  double worst = 0;
  uint64_t c = 0;  // its address
};
Ran run_gemm(const Kernel& kernel, const std::string& ptx, const Problem& p, bool check,
             uint32_t most_ctas = 1000, Provenance* provenance = nullptr) {
  Ran ran;
  const auto program = parse(ptx);
  if (!program) return ran;
  Memory memory;
  std::mt19937 random(9);
  const uint64_t a = memory.allocate("A", uint64_t{2} * p.m * p.k, true);
  const uint64_t b = memory.allocate("B", uint64_t{2} * p.n * p.k, true);
  const uint64_t c = memory.allocate("C", uint64_t{4} * p.m * p.n);
  ran.c = c;
  auto* half_a = data<uint16_t>(memory, a);
  auto* half_b = data<uint16_t>(memory, b);
  const auto fill = [&](uint16_t* to, size_t count) {
    for (size_t i = 0; i < count; ++i) to[i] = half_of(static_cast<int>(random() % 1024) - 512);
  };
  fill(half_a, size_t{p.m} * p.k);
  fill(half_b, size_t{p.n} * p.k);
  std::vector<std::byte> block;
  const auto append_map = [&](const auto& map) {
    block.insert(block.end(), map.begin(), map.end());
  };
  append_map(map_of(TensorType::f16, a, p.m, p.k, kernel.block_m, 64));
  append_map(map_of(TensorType::f16, b, p.n, p.k, kernel.block_n, 64));
  append_map(map_of(TensorType::f32, c, p.m, p.n, 16, 32));
  const auto more = parameters(p.m, p.n, p.k, p.n, 1.0f, 0.0f, c, 8, 0, 0, 0, c, c);
  block.insert(block.end(), more.begin(), more.end());
  const auto tiles = [](uint32_t extent, uint32_t tile) { return (extent + tile - 1) / tile; };
  RunOptions options;
  options.check = check;
  options.provenance = provenance;
  options.max_warp_instructions = 20'000'000;
  const Launch launch{
      {std::min(most_ctas, tiles(p.m, kernel.block_m) * tiles(p.n, kernel.block_n)), 1, 1},
      {kernel.threads, 1, 1},
      100'000,
      block};
  ran.result = run(*program, program->entries()[0].name, launch, memory, options);
  const float* out = data<float>(memory, c);
  for (uint32_t i = 0; i < p.m; ++i) {
    for (uint32_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (uint32_t k = 0; k < p.k; ++k) {
        sum += double{half_value(half_a[i * p.k + k])} * half_value(half_b[j * p.k + k]);
      }
      ran.worst = std::max(ran.worst, std::abs(sum - out[i * p.n + j]));
    }
  }
  return ran;
}

TEST(HopperKernels, AreRightOnRaggedProblems) {
  std::mt19937 random(11);
  for (const Kernel& kernel : {kRing, kRoles}) {
    const std::string ptx = read_kernel(kernel.file);
    for (int i = 0; i < 12; ++i) {
      const auto some = [&](uint32_t most) { return 1 + static_cast<uint32_t>(random() % most); };
      const Problem p{some(200), 8 * some(12), 8 * some(50)};
      const Ran ran = run_gemm(kernel, ptx, p, i % 3 == 0);
      const std::string what = std::string(kernel.file) + " " + std::to_string(p.m) + "x" +
                               std::to_string(p.n) + "x" + std::to_string(p.k);
      ASSERT_FALSE(ran.result.fault) << what << ": " << ran.result.fault->message;
      ASSERT_LT(ran.worst, 1e-4) << what;
    }
  }
}

const Value* sum_in(const Value& v) {
  if (v.kind == Value::Kind::sum) return &v;
  for (const Value& part : v.parts) {
    if (const Value* sum = sum_in(part)) return sum;
  }
  return nullptr;
}

// Through TMA, descriptors, and where the epilogue is one of boxes through shared memory again.
TEST(HopperKernels, ElementsOfCAreTheirRowTimesTheirColumn) {
  for (const Kernel& kernel : {kRing, kRoles}) {
    const Problem p{130, 72, 200};
    Provenance provenance;
    const Ran ran = run_gemm(kernel, read_kernel(kernel.file), p, false, 1000, &provenance);
    ASSERT_FALSE(ran.result.fault) << ran.result.fault->message;
    for (const auto& [i, j] :
         {std::pair(0u, 0u), {1, 71}, {63, 8}, {64, 33}, {129, 70}, {100, 41}}) {
      const Value v = provenance.of_global(ran.c + 4 * (uint64_t{i} * p.n + j), 4);
      const std::string what = std::string(kernel.file) + " C[" + std::to_string(i) + ", " +
                               std::to_string(j) + "] of kind " +
                               std::to_string(static_cast<int>(v.kind));
      const Value* sum = sum_in(v);
      ASSERT_TRUE(sum) << what;
      ASSERT_EQ(sum->products.size(), 1u) << what;
      const Products& all = sum->products[0];
      EXPECT_EQ(all.count, p.k) << what;
      EXPECT_EQ(all.a, (Origin{0, 2ull * i * p.k})) << what;
      EXPECT_EQ(all.b, (Origin{1, 2ull * j * p.k})) << what;
    }
  }
}

/// Puts `fresh` in the place of every `old` from the `first`-th on, of at most `count`.
std::string changed(std::string text, const std::string& old, const std::string& fresh, int first,
                    int count) {
  int seen = 0, done = 0;
  for (size_t at = text.find(old); at != text.npos && done < count; at = text.find(old, at)) {
    if (seen++ >= first) {
      text.replace(at, old.size(), fresh);
      at += fresh.size();
      ++done;
    } else {
      at += old.size();
    }
  }
  EXPECT_GT(done, 0) << old;
  return text;
}

// One CTA goes from tile to tile.
void expect_race(const std::string& ptx, const std::string& what) {
  const Ran ran = run_gemm(kRoles, ptx, {128, 160, 64 * 9}, true, 1);
  ASSERT_TRUE(ran.result.fault) << what;
  const bool race = std::ranges::any_of(
      ran.result.findings, [](const Finding& f) { return f.fault.kind == Fault::Kind::race; });
  EXPECT_TRUE(race) << what << ": " << ran.result.fault->message;
}

TEST(HopperKernels, PlantedMistakesAreFound) {
  const std::string ptx = read_kernel(kRoles.file);
  const std::string again = "@p bra D;\nbra L;";
  // The consumers' wait is the file's first, the producer's are the others.
  expect_race(changed(ptx, again, "", 0, 1), "reads before the transaction has ended");
  expect_race(changed(ptx, again, "", 1, 100), "fills a stage that is still read");
  expect_race(changed(ptx, "wgmma.wait_group.sync.aligned 1;", "", 0, 1),
              "gives a stage back before its product has ended");
  expect_race(changed(ptx, "cp.async.bulk.wait_group.read 1;", "", 0, 100),
              "writes to what a bulk store still reads");
}

// A consumer that never gives its stages back: the producer waits for ever.
TEST(HopperKernels, WaitingForEverIsADeadlock) {
  std::string ptx = read_kernel(kRoles.file);
  ptx = changed(ptx, "mbarrier.arrive.shared::cta.b64 _,", "// mbarrier.arrive", 0, 100);
  const Ran ran = run_gemm(kRoles, ptx, {128, 32, 64 * 9}, false);
  ASSERT_TRUE(ran.result.fault);
  EXPECT_EQ(ran.result.fault->kind, Fault::Kind::deadlock) << ran.result.fault->message;
}

}  // namespace
}  // namespace tilescope::emulator::test::hopper_kernels_file
