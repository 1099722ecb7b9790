// How long to wait for events while nothing happens.
#pragma once

namespace tilescope {

/// A window whose picture cannot change by itself draws no frames: input and the worker's answers
/// wake it. What else may change (a text cursor, a note that goes) it says in seconds; the cost of
/// a frame (all threads: a software renderer has many) bounds how often that is worth a picture.
class IdleGovernor {
 public:
  /// Before each frame. `busy`: each frame is another; `seconds`: until the picture changes by
  /// itself, as far as is known.
  void begin_frame(bool busy, double seconds);

  /// False while sizes settle: what a frame is laid out by is often the frame before.
  bool may_wait() const { return settling_ == 0; }
  /// Frames per second, as Hello ImGui wants the wait.
  float rate() const { return 1 / wait_; }

 private:
  double drawn_ = 0,
         cpu_ = 0;  // when the frame before began, and what the process had used by then
  float frame_ms_ = 0, wait_ = 1;
  int settling_ = 0;
};

}  // namespace tilescope
