// libuv handles owned by C++ objects. A handle outlives its owner until libuv has let go of it, so
// each lies on the heap and forgets its owner when closed.
#pragma once
#include <uv.h>

#include <functional>
#include <utility>

namespace tilescope::worker {

template <typename Handle>
void close_handle(Handle*& handle) {
  if (!handle) return;
  handle->data = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(handle),
           [](uv_handle_t* closed) { delete reinterpret_cast<Handle*>(closed); });
  handle = nullptr;
}

/// A one-shot timer.
class Timer {
 public:
  explicit Timer(uv_loop_t* loop) : timer_(new uv_timer_t) {
    uv_timer_init(loop, timer_);
    timer_->data = this;
  }
  ~Timer() { close_handle(timer_); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void start(int milliseconds, std::function<void()> due) {
    due_ = std::move(due);
    uv_timer_start(
        timer_,
        [](uv_timer_t* timer) {
          if (!timer->data) return;
          // Moved out first: what is called may start or destroy this timer.
          const auto due = std::move(static_cast<Timer*>(timer->data)->due_);
          due();
        },
        static_cast<uint64_t>(milliseconds), 0);
  }
  void stop() {
    uv_timer_stop(timer_);
    due_ = nullptr;
  }

 private:
  uv_timer_t* timer_;
  std::function<void()> due_;
};

/// Runs `call` in the next round of the loop, unless destroyed before.
class Soon {
 public:
  explicit Soon(uv_loop_t* loop) : timer_(loop) {}
  void run(std::function<void()> call) { timer_.start(0, std::move(call)); }

 private:
  Timer timer_;
};

}  // namespace tilescope::worker
