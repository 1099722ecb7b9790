// The kernels of a test that says "every kernel": those of the registry, never a list of its own. A
// test program with EVERY_KERNEL (tests/CMakeLists.txt) has that of tests/fixtures among them.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/registry.h"
#include "tests/sampled.h"

namespace tilescope {

inline std::vector<const char*> kernel_ids() {
  std::vector<const char*> ids;
  for (const KernelEntry& kernel : kernel_table()) ids.push_back(kernel.info.id);
  return ids;
}

/// INSTANTIATE_TEST_SUITE_P(Ladder, Suite, every_kernel(), kernel_name): Suite is a
/// TestWithParam<const char*>. In ./test each suite is asked of some kernels, another part than the
/// next suite's; of all with TILESCOPE_ALL, as ./test --long does.
inline auto every_kernel() {
  constexpr size_t kOfASuite = 3;
  static unsigned suites = 0;
  return testing::ValuesIn(sampled(kernel_ids(), kOfASuite, ++suites));
}
inline std::string kernel_name(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}

/// For sampled() (tests/sampled.h), where a test loops over all of them.
inline std::vector<const KernelEntry*> kernels_of_table() {
  std::vector<const KernelEntry*> all;
  for (const KernelEntry& kernel : kernel_table()) all.push_back(&kernel);
  return all;
}

/// Another for each kernel: of sampled() (tests/sampled.h).
inline unsigned seed_of(const char* kernel) {
  return static_cast<unsigned>(find_kernel(kernel)->info.number);
}

/// A problem of the kernel in each operand layout that it takes, its types and the orders of C in
/// turns.
inline std::vector<Problem> problems_in_each_layout(const KernelEntry& kernel) {
  std::vector<Problem> all;
  int type = 0;
  for (const int layout : {kNN, kNT, kTN, kTT}) {
    if ((kernel.info.layouts & layout) == 0) continue;
    Problem p = default_problem(kernel.info);
    set_layout(p, layout);
    p.order_c = all.size() % 2 == 0 ? Order::column_major : Order::row_major;
    while ((kernel.info.types >> type % kTypeSets & 1) == 0) ++type;
    set_types(p, types_of_bit(1 << type++ % kTypeSets));
    all.push_back(p);
  }
  return all;
}

}  // namespace tilescope
