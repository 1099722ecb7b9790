// Keeps a quick Ctrl+Z a Ctrl+Z.
#pragma once
#include <imgui_internal.h>

namespace tilescope {

/// ImGui spreads the press and the release of one key over two frames, but takes "Z down, Ctrl up"
/// in one: then Z is pressed and Ctrl is not, and the shortcut is lost. Fast typists and every tool
/// that sends keys do this. So a modifier that is let go after a key was pressed waits one frame.
class ChordTrickle {
 public:
  void before_new_frame();  // after the events were polled
  void after_new_frame();   // before the next ones are: ImGui compares new events with queued ones

 private:
  ImVector<ImGuiInputEvent> held_;
};

}  // namespace tilescope
