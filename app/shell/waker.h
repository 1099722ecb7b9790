// Who ends the wait of an idle window.
#pragma once
#include <mutex>

namespace tilescope {

/// Threads that work beside the window wake it when they have something. They may do so later than
/// the window lives, whose pipe for it has gone by then, and its descriptor is another file's.
class Waker {
 public:
  /// From any thread. After close() it does nothing.
  void wake();
  /// Comes back when no wake() is under way.
  void close();

 private:
  std::mutex guard_;
  bool open_ = true;
};

}  // namespace tilescope
