// A browser tells what is in its clipboard when somebody presses Ctrl+V; to who asks otherwise only
// if it likes.
#include "app/kit/clipboard.h"

#include <emscripten.h>
#include <imgui.h>

#include <utility>

#include "page/window/page_clipboard.h"

EM_JS(void, tilescope_copy, (const char* text), { Module['copy'](UTF8ToString(text)); });
EM_JS(void, tilescope_ask_clipboard, (), { Module['askClipboard'](); });

namespace tilescope {
namespace {

struct Clipboard {
  std::string text;      // what was last pasted into the page, or copied in it
  double pasted_at = 0;  // ms
  std::function<void(const std::string&, const std::string&)> asked;
};
Clipboard& clipboard() {
  static Clipboard one;
  return one;
}

}  // namespace

void use_clipboard_of_page() {
  ImGuiPlatformIO& io = ImGui::GetPlatformIO();
  io.Platform_GetClipboardTextFn = [](ImGuiContext*) { return clipboard().text.c_str(); };
  io.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) {
    clipboard().text = text;
    tilescope_copy(text);
  };
}

void read_clipboard(std::function<void(const std::string&, const std::string&)> take) {
  constexpr double kJustNow = 1000;  // ms: the same Ctrl+V
  if (emscripten_get_now() - clipboard().pasted_at < kJustNow) return take(clipboard().text, "");
  clipboard().asked = std::move(take);
  tilescope_ask_clipboard();
}

}  // namespace tilescope

extern "C" {

EMSCRIPTEN_KEEPALIVE void tilescope_pasted(const char* text) {
  tilescope::clipboard().text = text;
  tilescope::clipboard().pasted_at = emscripten_get_now();
}

/// What was asked for; null: the browser keeps it to itself.
EMSCRIPTEN_KEEPALIVE void tilescope_clipboard_told(const char* text) {
  const auto asked = std::exchange(tilescope::clipboard().asked, nullptr);
  if (!asked) return;
  if (text) {
    asked(text, "");
  } else {
    asked("", "This browser does not hand over its clipboard to a menu; press Ctrl+V instead.");
  }
}

/// What was copied last in this page, or pasted into it.
EMSCRIPTEN_KEEPALIVE const char* tilescope_clipboard() {
  return tilescope::clipboard().text.c_str();
}

}  // extern "C"
