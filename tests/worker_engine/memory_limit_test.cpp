// How much memory a call of the emulator may take.
#include "worker/engine/emulate/memory_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <thread>

namespace tilescope::worker {
namespace {

uint64_t data_limit() {
  rlimit limits{};
  getrlimit(RLIMIT_DATA, &limits);
  return limits.rlim_cur;
}

// A run and the checks beside it, each with buffers that nobody touches.
TEST(MemoryLimitDeathTest, WhatTwoThreadsSetAsideCountsBothTimes) {
  const auto child = [] {
    rlimit limits{};
    getrlimit(RLIMIT_DATA, &limits);
    limits.rlim_cur = uint64_t{1} << 50;  // a bound, as the worker's children have one
    if (setrlimit(RLIMIT_DATA, &limits) != 0) std::exit(2);
    const MemoryLimit limit(1u << 30);
    const uint64_t before = data_limit();
    const auto set_some_aside = [] {
      for (int i = 0; i < 20'000; ++i) set_aside(1024);
    };
    std::thread other(set_some_aside);
    set_some_aside();
    other.join();
    std::exit(data_limit() - before == 2 * 20'000 * 1024 ? 0 : 1);
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tilescope::worker
