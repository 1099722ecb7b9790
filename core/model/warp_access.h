// One warp instruction that touches memory, lane by lane, and what the hardware makes of it.
// Rules: docs/architecture.md, "Coalescing and banks".
#pragma once
#include <array>
#include <cstdint>

namespace tilescope::model {

/// Byte addresses of the lanes that take part; `bytes` is the width of one lane's access (1…16).
struct WarpAccess {
  std::array<int64_t, 32> address{};
  uint32_t active = 0;  // lane mask
  int bytes = 4;

  void add(int lane, int64_t at) {
    address[lane] = at;
    active |= 1u << lane;
  }
};

constexpr int kSectorBytes = 32;
constexpr int kLineBytes = 128;

/// Distinct blocks of `block` bytes (a power of two) that the active lanes touch, all addresses
/// moved by `base`.
int distinct_blocks(const WarpAccess& access, int block, int64_t base = 0);

/// A request to L1 costs its sectors in bandwidth and its lines in tag look-ups.
struct GlobalCost {
  int sectors = 0, lines = 0;
};
GlobalCost global_cost(const WarpAccess& access, int64_t base = 0);

/// Sums over many warp instructions.
struct GlobalSum {
  uint64_t requests = 0, sectors = 0, lines = 0, bytes = 0;  // bytes: asked by lanes
  void add(const WarpAccess& access, int64_t base = 0);
  void add(const GlobalSum& other, uint64_t times);
};

}  // namespace tilescope::model
