// Runs the GEMMs of bench/hopper, and judges what they give.
#pragma once
#include <algorithm>
#include <cmath>
#include <random>

#include "emulator/provenance.h"
#include "emulator/tensor_map.h"
#include "support.h"

namespace tilescope::emulator::test {

/// A GEMM of the prototype in bench/hopper.
struct HopperKernel {
  const char* file;
  uint32_t block_m, block_n, threads;
  uint32_t cluster_m = 1, cluster_n = 1;  // CTAs of a cluster, which share their copies
  uint32_t entry = 0;                     // of the file
  uint32_t cluster() const { return cluster_m * cluster_n; }
};
inline float half_value(uint16_t h) {
  const int exponent = (h >> 10) & 31, fraction = h & 1023;
  const double value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction | 1024, exponent - 25);
  return static_cast<float>(h & 0x8000 ? -value : value);
}

struct HopperProblem {
  uint32_t m, n, k;
};

inline std::array<std::byte, kTensorMapBytes> map_of(TensorType type, uint64_t address,
                                                     uint32_t lines, uint32_t length,
                                                     uint32_t box_lines, uint32_t box_length) {
  TensorMap map;
  map.type = type, map.rank = 2, map.address = address;
  map.dims = {length, lines}, map.strides = {length * tensor_type_bytes(type)};
  map.box = {box_length, box_lines}, map.swizzle = 128;
  EXPECT_EQ(wrong_in(map), "");
  return encode(map);
}

/// Runs all CTAs; the largest error of an element of C.
struct HopperRun {
  RunResult result;
  double worst = 0;
  uint64_t c = 0;  // its address
};
inline HopperRun run_hopper_gemm(const HopperKernel& kernel, const std::string& ptx,
                                 const HopperProblem& p, const RunOptions& given,
                                 uint32_t most_clusters = 1000) {
  HopperRun ran;
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
  append_map(map_of(TensorType::f16, a, p.m, p.k, kernel.block_m / kernel.cluster_n, 64));
  append_map(map_of(TensorType::f16, b, p.n, p.k, kernel.block_n / kernel.cluster_m, 64));
  append_map(map_of(TensorType::f32, c, p.m, p.n, 16, 32));
  const auto more = parameters(p.m, p.n, p.k, p.n, 1.0f, 0.0f, c, 8, 0, 0, 0, c, c);
  block.insert(block.end(), more.begin(), more.end());
  const auto tiles = [](uint32_t extent, uint32_t tile) { return (extent + tile - 1) / tile; };
  RunOptions options = given;
  options.max_warp_instructions = 40'000'000;
  const uint32_t tiled =
      tiles(p.m, kernel.block_m * kernel.cluster_m) * tiles(p.n, kernel.block_n * kernel.cluster_n);
  const Launch launch{{std::min(most_clusters, tiled) * kernel.cluster(), 1, 1},
                      {kernel.threads, 1, 1},
                      100'000,
                      block,
                      {kernel.cluster(), 1, 1}};
  ran.result = run(*program, program->entries()[kernel.entry].name, launch, memory, options);
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

inline HopperRun run_hopper_gemm(const HopperKernel& kernel, const std::string& ptx,
                                 const HopperProblem& p, bool check, uint32_t most_clusters = 1000,
                                 Provenance* provenance = nullptr) {
  RunOptions options;
  options.check = check;
  options.provenance = provenance;
  return run_hopper_gemm(kernel, ptx, p, options, most_clusters);
}

inline const Value* sum_in(const Value& v) {
  if (v.kind == Value::Kind::sum) return &v;
  for (const Value& part : v.parts) {
    if (const Value* sum = sum_in(part)) return sum;
  }
  return nullptr;
}

/// Puts `fresh` in the place of every `old` from the `first`-th on, of at most `count`.
inline std::string changed(std::string text, const std::string& old, const std::string& fresh,
                           int first, int count) {
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

}  // namespace tilescope::emulator::test
