// The long sweep: a hundred random legal tiles of every kernel, each on five problems, counted by
// model and emulator; what must hold: emulator_cases.h. A failure names the case and its seed.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/every_kernel.h"
#include "tests/model/emulator_cases.h"

namespace tilescope::model {
namespace {

// Parts of a kernel's tiles, so that several cores have something to do.
constexpr int kParts = 10, kTilesPerPart = 10;

// Not pointers: ctest names a test by what they hold.
std::vector<std::string> kernels() {
  const std::vector<const char*> ids = kernel_ids();
  return {ids.begin(), ids.end()};
}

class EmulatorSweep : public testing::TestWithParam<std::tuple<std::string, int>> {};
INSTANTIATE_TEST_SUITE_P(Ladder, EmulatorSweep,
                         testing::Combine(testing::ValuesIn(kernels()), testing::Range(0, kParts)),
                         [](const auto& of) {
                           return std::get<0>(of.param) + "_" +
                                  std::to_string(std::get<1>(of.param));
                         });

TEST_P(EmulatorSweep, CountsAreTheModels) {
  const auto [id, part] = GetParam();
  const KernelEntry& kernel = *find_kernel(id.c_str());
  worker::Compiler compiler({.cache_folder = "", .memory_entries = 1});  // none is met again
  const auto seed = static_cast<unsigned>(1000 * kernel.info.number + part);
  for (const EmulatedCase& one : random_emulated_cases(kernel, kTilesPerPart, seed)) {
    expect_model_equals_emulator(one, compiler);
  }
}

}  // namespace
}  // namespace tilescope::model
