#include "app/shell/chord_trickle.h"

namespace tilescope {
namespace {

bool is_modifier(ImGuiKey key) {
  return (key & ImGuiMod_Mask_) != 0 || (key >= ImGuiKey_LeftCtrl && key <= ImGuiKey_RightSuper);
}

}  // namespace

void ChordTrickle::before_new_frame() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  bool pressed = false;
  for (int i = 0; i < queue.Size; ++i) {
    const ImGuiInputEvent& event = queue[i];
    if (event.Type != ImGuiInputEventType_Key) continue;
    if (event.Key.Down && !is_modifier(event.Key.Key)) pressed = true;
    if (pressed && !event.Key.Down && is_modifier(event.Key.Key)) {
      for (int k = i; k < queue.Size; ++k) held_.push_back(queue[k]);
      queue.resize(i);
      return;
    }
  }
}

void ChordTrickle::after_new_frame() {
  ImVector<ImGuiInputEvent>& queue = ImGui::GetCurrentContext()->InputEventsQueue;
  for (const ImGuiInputEvent& event : held_) queue.push_back(event);
  held_.clear();
}

}  // namespace tilescope
