// What warps lay out in their buffers are boxes of C, each element once, and no two lanes that are
// served at once meet in a bank.
#include "core/layout/box_store.h"

#include <gtest/gtest.h>

#include <map>

#include "core/layout/tensor_box.h"
#include "tests/every_kernel.h"

namespace tilescope {
namespace {

/// A plan of each kernel, block N and type of C that has boxes.
template <class F>
void for_each_plan(F&& f) {
  int plans = 0;
  for (const KernelEntry& kernel : kernel_table()) {
    const Slider* columns = kernel.sliders.find(TileFieldId::block_n);
    if (!kernel.sliders.find(TileFieldId::epilogue)) continue;
    for (int i = 0; i < columns->count; ++i) {
      for (const ElementType c : {ElementType::f32, ElementType::f16}) {
        TileConfig tile = kernel.sliders.defaults();
        tile.epilogue = 1, tile.block_n = columns->values[i];
        Problem p = default_problem(kernel.info);
        p.type_c = c;
        const KernelPlan plan = kernel.plan(tile, p);
        SCOPED_TRACE(std::string(kernel.info.id) + " " + std::to_string(tile.block_n));
        ASSERT_EQ(plan.epilogue.kind, EpilogueKind::boxes);
        f(plan, p);
        ++plans;
      }
    }
  }
  EXPECT_GT(plans, 0);
}

TEST(BoxStore, BoxesOfAllWarpsAreTheBlockTileOnce) {
  for_each_plan([](const KernelPlan& plan, const Problem&) {
    const CopyMap& map = plan.epilogue.map;
    std::map<std::pair<int, int>, int> times;
    for (int warp = 0; warp < plan.warps(); ++warp) {
      for (int box = 0; box < boxes_of_warp(plan); ++box) {
        const Coord at = box_origin(plan, warp, box);
        for (int row = 0; row < map.box_lines; ++row) {
          for (int col = 0; col < map.width; ++col) ++times[{at.row + row, at.col + col}];
        }
      }
    }
    EXPECT_EQ(times.size(), static_cast<size_t>(plan.block_m * plan.block_n));
    for (const auto& [at, count] : times) ASSERT_EQ(count, 1) << at.first << ", " << at.second;
  });
}

TEST(BoxStore, PairsAreWhatALaneHasOfABox) {
  for_each_plan([](const KernelPlan& plan, const Problem&) {
    for (int warp = 0; warp < 4; ++warp) {
      for (int box = 0; box < boxes_of_atom(plan); ++box) {
        std::map<std::pair<int, int>, int> times;
        for (int lane = 0; lane < 32; ++lane) {
          std::map<std::pair<int, int>, int> own;  // as accumulator_coord() has them
          for (int v = 0; v < box_values(plan); ++v) {
            const Coord at = accumulator_coord(plan, warp, 0, 0, lane, box * box_values(plan) + v);
            ++own[{at.row, at.col}];
          }
          for (int pair = 0; pair < box_pairs(plan); ++pair) {
            const Coord first = pair_in_box(plan, pair, lane);
            for (int i = 0; i < 2; ++i) {
              const Coord at = box_origin(plan, warp, box) + first + Coord{0, i};
              EXPECT_EQ((own[{at.row, at.col}]), 1) << "lane " << lane;
              ++times[{first.row, first.col + i}];
            }
          }
        }
        EXPECT_EQ(times.size(),
                  static_cast<size_t>(plan.epilogue.map.box_lines * plan.epilogue.map.width));
        for (const auto& [at, count] : times) ASSERT_EQ(count, 1) << at.first << ", " << at.second;
      }
    }
  });
}

TEST(BoxStore, FillsAWarpsFirstBufferWithoutBankConflicts) {
  for_each_plan([](const KernelPlan& plan, const Problem&) {
    const SharedRegion buffers = store_buffers(plan);
    EXPECT_EQ(buffers.tile.offset % 1024, 0) << "where the swizzle begins anew";
    for (const int warp : {0, plan.warps() - 1}) {
      std::map<long long, int> bytes;
      for (int store = 0; store < box_stores(plan); ++store) {
        const WarpAccess access = box_store(plan, warp, store);
        for (int lane = 0; lane < 32; ++lane) {
          for (int i = 0; i < access.bytes; ++i) ++bytes[access.address[lane] + i];
        }
        // 32-bit elements in lines of 64 bytes have no way round it: two rows share the banks.
        if (buffers.tile.pitch == 64 && buffers.tile.bytes_per_element == 4) continue;
        EXPECT_EQ(bank_phases(access).total(), access.bytes * 32 / kLineBytes) << "store " << store;
      }
      const int first = store_buffer(plan, warp * kStoreBuffers);
      EXPECT_EQ(bytes.size(), static_cast<size_t>(buffers.stride));
      EXPECT_EQ(bytes.begin()->first, first);
      EXPECT_EQ(bytes.rbegin()->first, first + buffers.stride - 1);
      for (const auto& [at, count] : bytes) ASSERT_EQ(count, 1) << at;
    }
  });
}

TEST(BoxStore, ABoxIsAsWideAsItsSwizzle) {
  for_each_plan([](const KernelPlan& plan, const Problem& p) {
    const TensorBox box = tensor_box(plan, p, Operand::c);
    EXPECT_EQ(box.box[0] * plan.epilogue.map.bytes, swizzle_row_bytes(box.swizzle));
    EXPECT_EQ(box.box[1], 16);
  });
}

}  // namespace
}  // namespace tilescope
