// Independent pieces of work over a few threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tilescope::worker {

inline int host_threads() {
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
  for (int t = 1; t < threads && static_cast<size_t>(t) < count; ++t) others.emplace_back(loop);
  loop();
  for (std::thread& thread : others) thread.join();
}

}  // namespace tilescope::worker
