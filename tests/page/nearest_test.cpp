// From any tile the page leads to one that it has code for.
#include "page/pack/nearest_packed.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "core/files/whole_file.h"
#include "kernels/registry.h"
#include "page/pack/chosen.h"
#include "page/pack/pack_place.h"
#include "tests/random_tile.h"

namespace tilescope::web {
namespace {

using worker::KernelRequest;

std::vector<KernelRequest> of_kernel(const std::vector<KernelRequest>& all, const char* id) {
  std::vector<KernelRequest> found;
  for (const KernelRequest& one : all) {
    if (one.kernel == id) found.push_back(one);
  }
  return found;
}

class NearestTest : public testing::Test {
 protected:
  std::vector<KernelRequest> chosen =
      chosen_requests(Extent::defaults, *files::read_file(TILESCOPE_PRESETS), {});
};

TEST_F(NearestTest, EachKernelIsPacked) {
  for (const KernelEntry& kernel : kernel_table()) {
    EXPECT_FALSE(of_kernel(chosen, kernel.info.id).empty()) << kernel.info.id;
  }
  const size_t more =
      chosen_requests(Extent::sliders, *files::read_file(TILESCOPE_PRESETS), {}).size();
  EXPECT_GT(more, chosen.size());
}

TEST_F(NearestTest, ItIsOneThatHasCode) {
  std::mt19937 random(5);
  for (const KernelEntry& kernel : kernel_table()) {
    const std::vector<KernelRequest> packed = of_kernel(chosen, kernel.info.id);
    std::set<std::string> sources;
    for (const KernelRequest& one : packed) sources.insert(worker::entry_source(one, kernel));
    for (int i = 0; i < 40; ++i) {
      KernelRequest asked{kernel.info.id, random_tile(kernel, random),
                          default_problem(kernel.info)};
      asked.problem.m = 1 + static_cast<int>(random() % 5000);
      const auto nearest = nearest_packed(asked, packed);
      ASSERT_TRUE(nearest) << kernel.info.id;
      EXPECT_TRUE(sources.contains(worker::entry_source(*nearest, kernel))) << kernel.info.id;
    }
  }
}

TEST_F(NearestTest, AProblemThatHasCodeIsKept) {
  for (const KernelEntry& kernel : kernel_table()) {
    const std::vector<KernelRequest> packed = of_kernel(chosen, kernel.info.id);
    for (const KernelRequest& one : packed) {
      const auto nearest = nearest_packed(one, packed);
      ASSERT_TRUE(nearest);
      EXPECT_EQ(nearest->tile, one.tile) << kernel.info.id;
      EXPECT_EQ(nearest->problem, one.problem) << kernel.info.id;
    }
  }
}

TEST_F(NearestTest, OfNothingThereIsNone) { EXPECT_FALSE(nearest_packed(chosen.front(), {})); }

}  // namespace
}  // namespace tilescope::web
