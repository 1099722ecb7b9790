// Kernels whose CTAs wait for each other (kernels/ctas.cu), and what they need to run.
#pragma once
#include <numeric>

#include "support.h"

namespace tilescope::emulator::test {

using Kind = Fault::Kind;

inline const std::shared_ptr<const Program>& kernels() {
  static const auto program = parse(read_kernel("ctas.ptx"));
  return program;
}

/// Buffers of one launch; those of words are zero at first.
struct Bench {
  Memory memory;
  std::vector<uint64_t> buffers;
  uint64_t add(const std::string& name, uint64_t words, bool read_only = false) {
    buffers.push_back(memory.allocate(name, words * 4, read_only));
    return buffers.back();
  }
  uint32_t* words(size_t i) { return data<uint32_t>(memory, buffers[i]); }
};

inline RunResult run_ctas(Bench& bench, const char* entry, Dim3 grid, Dim3 block,
                          std::vector<std::byte> arguments, const RunOptions& options = {}) {
  return run(*kernels(), entry, Launch{grid, block, 0, std::move(arguments)}, bench.memory,
             options);
}

struct Product : Bench {
  uint32_t tiles, k;
  Product(uint32_t tiles_m, uint32_t depth) : tiles(tiles_m), k(depth) {
    const uint64_t a = add("A", uint64_t{tiles} * 16 * k, true), b = add("B", k * 16, true);
    add("C", tiles * 256);
    add("parts", 64 * 256);
    add("flags", 64);
    for (uint32_t i = 0; i < tiles * 16 * k; ++i) {
      data<float>(memory, a)[i] = static_cast<float>(small_value(i, 3)) / 512;
    }
    for (uint32_t i = 0; i < k * 16; ++i) {
      data<float>(memory, b)[i] = static_cast<float>(small_value(i, 5)) / 512;
    }
  }
  float expected(uint32_t row, uint32_t col) const {
    int sum = 0;
    for (uint32_t i = 0; i < k; ++i) {
      sum += small_value(row * k + i, 3) * small_value(i * 16 + col, 5);
    }
    return static_cast<float>(sum) / 262144;
  }
  void expect_right() {
    for (uint32_t i = 0; i < tiles * 256; ++i) {
      ASSERT_EQ(data<float>(memory, buffers[2])[i], expected(i / 16, i % 16)) << i;
    }
  }
  RunResult split(const char* entry, uint32_t splits, const RunOptions& options = {}) {
    auto arguments = parameters(buffers[0], buffers[1], buffers[2], k);
    if (std::string(entry) != "split_k_atomic") {
      append(arguments, buffers[3]), append(arguments, buffers[4]);
    }
    return run_ctas(*this, entry, {tiles, splits, 1}, {16, 16, 1}, arguments, options);
  }
  RunResult stream(const char* entry, uint32_t ctas, const RunOptions& options = {}) {
    return run_ctas(
        *this, entry, {ctas, 1, 1}, {16, 16, 1},
        parameters(buffers[0], buffers[1], buffers[2], k, tiles, buffers[3], buffers[4]), options);
  }
};

struct Neighbours : Bench {
  uint32_t n;
  explicit Neighbours(uint32_t ctas) : n(ctas) {
    add("words", 2 * 64 * n);
    add("count", 64);
    add("go", 4);
  }
  RunResult start(const char* entry, uint32_t rounds, const RunOptions& options = {}) {
    return run_ctas(*this, entry, {n, 1, 1}, {64, 1, 1}, parameters(buffers[0], buffers[1], rounds),
                    options);
  }
  std::vector<uint32_t> expected(uint32_t rounds) const {
    std::vector<uint32_t> v(n);
    std::iota(v.begin(), v.end(), 1u);
    for (uint32_t i = 0; i < rounds; ++i) {
      std::vector<uint32_t> next = v;
      for (uint32_t x = 0; x < n; ++x) next[x] += v[(x + 1) % n];
      v = next;
    }
    return v;
  }
};

}  // namespace tilescope::emulator::test
