// The kernels of a test that says "every kernel": those of the registry, never a list of its own. A
// test program with EVERY_KERNEL (tests/CMakeLists.txt) has that of tests/fixtures among them.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/registry.h"

namespace tilescope {

inline std::vector<const char*> kernel_ids() {
  std::vector<const char*> ids;
  for (const KernelEntry& kernel : kernel_table()) ids.push_back(kernel.info.id);
  return ids;
}

/// INSTANTIATE_TEST_SUITE_P(Ladder, Suite, every_kernel(), kernel_name): Suite is a
/// TestWithParam<const char*>.
inline auto every_kernel() { return testing::ValuesIn(kernel_ids()); }
inline std::string kernel_name(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}

}  // namespace tilescope
