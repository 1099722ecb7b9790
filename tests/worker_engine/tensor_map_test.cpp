// Tensor maps of sheets and those of the emulator know the same elements.
#include <gtest/gtest.h>

#include "core/sheet/tensor_spec.h"
#include "emulator/tensor_map.h"

namespace tilescope {
namespace {

TEST(TensorMaps, SheetAndEmulatorHaveTheSameElements) {
  ASSERT_GT(sheet::tensor_elements().size(), 8u);
  for (const sheet::TensorElement& element : sheet::tensor_elements()) {
    ASSERT_LT(element.code, emulator::kTensorTypes) << element.name;
    const auto type = static_cast<emulator::TensorType>(element.code);
    EXPECT_EQ(emulator::tensor_type_bytes(type), element.bytes) << element.name;
    // Signed integers are i in a SPEC, as in C++'s names, and s in PTX.
    std::string name = element.name;
    if (name[0] == 'i') name[0] = 's';
    EXPECT_EQ(emulator::tensor_type_name(type), name);
  }
}

}  // namespace
}  // namespace tilescope
