#include "app/kit/clipboard.h"

#include <imgui.h>

namespace tilescope {

void read_clipboard(std::function<void(const std::string&, const std::string&)> take) {
  const char* text = ImGui::GetClipboardText();
  take(text ? text : "", "");
}

}  // namespace tilescope
