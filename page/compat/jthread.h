// std::jthread where there are no threads: what it is given runs at once, and is done.
#pragma once
#ifdef __cplusplus
#include <thread>
#include <utility>

namespace std {
class jthread {
 public:
  jthread() = default;
  template <class F>
  explicit jthread(F&& run) {
    std::forward<F>(run)();
  }
};
}  // namespace std
#endif
