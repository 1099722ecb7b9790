#include "core/model/names.h"

#include <gtest/gtest.h>

#include "core/model/done_otherwise.h"
#include "tests/every_kernel.h"

namespace tilescope {
namespace {

TEST(TileFields, EachOfferedValueOfANamedFieldHasAName) {
  EXPECT_EQ(model::value_name(TileFieldId::swizzle, 0), "none");
  EXPECT_EQ(model::value_name(TileFieldId::swizzle, 1), "XOR");
  EXPECT_EQ(model::value_name(TileFieldId::swizzle, 2), "2");
  EXPECT_EQ(model::value_name(TileFieldId::block_m, 1), "1");
  for (const KernelEntry& kernel : kernel_table()) {
    for (int i = 0; i < kernel.sliders.count; ++i) {
      const Slider& slider = kernel.sliders.slider[i];
      if (!*kTileFields[static_cast<int>(slider.field)].names) continue;
      for (int j = 0; j < slider.count; ++j) {
        const int value = slider.values[j];
        EXPECT_NE(model::value_name(slider.field, value), std::to_string(value)) << kernel.info.id;
      }
    }
  }
}

TEST(DoneOtherwise, IsSaidOfWhatLinesOfCDoNotAllow) {
  for (const KernelEntry& kernel : kernel_table()) {
    if (!kernel.sliders.find(TileFieldId::epilogue)) continue;
    TileConfig tile = kernel.sliders.defaults();
    const auto words = [&](int n, Order order) {
      Problem p = default_problem(kernel.info);
      p.n = n, p.order_c = order;
      return model::done_otherwise(kernel.plan(tile, p), tile, p, TileFieldId::epilogue);
    };
    tile.epilogue = 1;
    EXPECT_EQ(words(1024, Order::row_major), "") << kernel.info.id;
    EXPECT_NE(words(1023, Order::row_major), "") << kernel.info.id;
    EXPECT_NE(words(1024, Order::column_major), "") << kernel.info.id;
    tile.epilogue = 0;
    EXPECT_EQ(words(1023, Order::row_major), "") << kernel.info.id;
  }
}

}  // namespace
}  // namespace tilescope
