// Independent pieces of work over a few threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tilescope::worker {

/// A page without headers of its own from its server has none.
#ifdef __EMSCRIPTEN__
inline constexpr bool kHasThreads = false;
#else
inline constexpr bool kHasThreads = true;
#endif

inline int host_threads() {
  if (!kHasThreads) return 1;
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

/// Calls work(i) for each i < count. Which thread takes which i is not fixed; work must not throw.
template <class Work>
void parallel_for(int threads, size_t count, const Work& work) {
  std::atomic<size_t> next = 0;
  const auto loop = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) work(i);
  };
  std::vector<std::thread> others;
  for (int t = 1; kHasThreads && t < threads && static_cast<size_t>(t) < count; ++t)
    others.emplace_back(loop);
  loop();
  for (std::thread& thread : others) thread.join();
}

}  // namespace tilescope::worker
