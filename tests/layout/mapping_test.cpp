// Copies reach each element once; shared memory holds each once and gives it back.
#include "core/layout/mapping.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

int power_of_two(int low, int high) { return 1 << *rc::gen::inRange(low, high + 1); }

TEST(CopyMap, CoversEachElementOnce) {
  EXPECT_TRUE(rc::check([] {
    CopyMap map;
    map.kind = CopyKind::staged;
    map.outer = power_of_two(3, 7);
    map.depth = power_of_two(2, 6);
    map.width = power_of_two(0, 2);
    map.bytes = 4;
    map.k_contiguous = *rc::gen::arbitrary<bool>();
    map.threads = 32 * *rc::gen::inRange(1, 17);
    std::vector<int> times(static_cast<size_t>(map.outer * map.depth), 0);
    for (int i = 0; i < map.iterations(); ++i) {
      for (int thread = 0; thread < map.threads; ++thread) {
        const Coord at = copy_coord(map, thread, i);
        if (at.row >= map.outer || at.col >= map.depth) {
          RC_ASSERT(!map.even());
          continue;
        }
        for (int e = 0; e < map.width; ++e) {
          const int outer = at.row + (map.k_contiguous ? 0 : e);
          const int k = at.col + (map.k_contiguous ? e : 0);
          RC_ASSERT(outer < map.outer);
          RC_ASSERT(k < map.depth);
          ++times[static_cast<size_t>(outer * map.depth + k)];
        }
      }
    }
    for (int n : times) RC_ASSERT(n == 1);
  }));
}

/// A shared tile as the kernels make them: lines along k in panels of 128 bytes at most, swizzled,
/// or lines along the outer dimension with padding.
SharedTile random_tile() {
  SharedTile tile;
  tile.present = true;
  tile.k_contiguous = *rc::gen::arbitrary<bool>();
  tile.offset = 1024 * *rc::gen::inRange(0, 3);
  if (tile.k_contiguous) {
    tile.bytes_per_element = 2;
    tile.outer = power_of_two(4, 8);
    tile.depth = power_of_two(4, 7);
    tile.panel = min_of(tile.depth, 64);
    tile.pitch = tile.panel * 2;
    if (*rc::gen::arbitrary<bool>()) tile.swizzle = swizzle_for_rows(tile.pitch);
  } else {
    tile.bytes_per_element = 4;
    tile.outer = power_of_two(4, 8);
    tile.depth = power_of_two(2, 5);
    tile.panel = tile.outer;
    tile.pitch = tile.outer * 4 + 16 * *rc::gen::inRange(0, 2);
  }
  return tile;
}

TEST(SharedTile, HoldsEachElementOnceAndGivesItBack) {
  EXPECT_TRUE(rc::check([] {
    const SharedTile tile = random_tile();
    std::set<int> offsets;
    for (int outer = 0; outer < tile.outer; ++outer) {
      for (int k = 0; k < tile.depth; ++k) {
        const int offset = shared_offset(tile, outer, k);
        RC_ASSERT(offset >= tile.offset);
        RC_ASSERT(offset < tile.offset + tile.size_bytes());
        RC_ASSERT(offsets.insert(offset).second);
        RC_ASSERT((shared_element(tile, offset) == Coord{outer, k}));
      }
    }
    // Bytes that hold no element say so.
    int held = 0;
    for (int at = 0; at < tile.size_bytes(); at += tile.bytes_per_element) {
      if (shared_element(tile, tile.offset + at).row >= 0) ++held;
    }
    RC_ASSERT(held == tile.outer * tile.depth);
    RC_ASSERT(shared_element(tile, tile.offset - 1).row == -1);
    RC_ASSERT(shared_element(tile, tile.offset + tile.size_bytes()).row == -1);
  }));
}

TEST(SharedTile, LineStepIsTheSameForAllElements) {
  EXPECT_TRUE(rc::check([] {
    const SharedTile tile = random_tile();
    RC_PRE(tile.k_contiguous);
    const int outer = *rc::gen::inRange(0, tile.outer - 8), k = *rc::gen::inRange(0, tile.depth);
    RC_ASSERT(shared_offset(tile, outer + 8, k) - shared_offset(tile, outer, k) ==
              shared_line_step(tile, 8));
  }));
}

TEST(SharedTile, StepsAddUpWithoutSwizzle) {
  EXPECT_TRUE(rc::check([] {
    const SharedTile tile = random_tile();
    RC_PRE(!tile.k_contiguous);
    const int outer = *rc::gen::inRange(0, tile.outer / 2), k = *rc::gen::inRange(0, tile.depth);
    const int more = *rc::gen::inRange(0, tile.outer / 2);
    RC_ASSERT(shared_offset(tile, outer, 0) + shared_step(tile, more, k) ==
              shared_offset(tile, outer + more, k));
  }));
}

}  // namespace
}  // namespace tilescope
