// What loops over kernels × tiles × problems takes a part of them in ./test, and all in ./test
// --long. What makes figures of hundreds of them is left to builds without sanitizers.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <random>
#include <vector>

namespace tilescope {

/// A fixed random part of what a test would loop over, in its order; all of it where TILESCOPE_ALL
/// is set, as ./test --long does. Loops of each kernel take a `seed` of their own, so that what one
/// leaves out another has.
template <class T>
std::vector<T> sampled(std::vector<T> all, size_t most, unsigned seed = 26) {
  if (std::getenv("TILESCOPE_ALL") != nullptr || all.size() <= most) return all;
  std::vector<T> some;
  std::sample(all.begin(), all.end(), std::back_inserter(some), most, std::mt19937(seed));
  return some;
}

/// True where sanitizers make minutes of a test that compares figures, which are those of any
/// build: what it calls runs in others there, too. ./test --long --asan has all. With it:
/// GTEST_SKIP() << kFiguresElsewhere.
inline bool figures_are_elsewhere() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return std::getenv("TILESCOPE_ALL") == nullptr;
#else
  return false;
#endif
}

inline constexpr const char* kFiguresElsewhere =
    "its figures are those of a build without sanitizers; ./test --long compares them here, too";

}  // namespace tilescope
