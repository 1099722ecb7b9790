// Which frames of the window's tests are drawn. What a test clicks and reads is in ImGui's lists;
// to turn them into pixels, by a software renderer, takes five sixths of a test's time. So one
// frame in 64 is drawn, which keeps that code under test too, and each that somebody looks at.
#pragma once

namespace tilescope::ui_test {

/// While it lives every frame is drawn.
class DrawEachFrame {
 public:
  DrawEachFrame();
  ~DrawEachFrame();
  DrawEachFrame(const DrawEachFrame&) = delete;
  DrawEachFrame& operator=(const DrawEachFrame&) = delete;
};

struct FrameTime {
  double ms = 0;      // from one swap of buffers to the next, with what the test did meanwhile
  double cpu_ms = 0;  // of it the window's own thread was on a processor
};
/// The longest since this was asked last.
FrameTime longest_frame();

}  // namespace tilescope::ui_test
