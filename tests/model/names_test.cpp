#include "core/model/names.h"

#include <gtest/gtest.h>

#include "kernels/registry.h"

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

}  // namespace
}  // namespace tilescope
