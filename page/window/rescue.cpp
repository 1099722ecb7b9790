// Before a page goes, the browser asks it; there is nothing else to be rescued from.
#include "app/shell/rescue.h"

#include <emscripten/html5.h>

namespace tilescope {
namespace {

std::function<void()>& saving() {
  static std::function<void()> save;
  return save;
}

const char* save_now(int, const void*, void*) {
  if (saving()) saving()();
  return "";  // no question: nothing is lost
}
int save_hidden(int, const EmscriptenVisibilityChangeEvent* event, void*) {
  if (event->hidden && saving()) saving()();
  return 0;
}

}  // namespace

Rescue::Rescue(std::function<void()> save) {
  saving() = std::move(save);
  emscripten_set_beforeunload_callback(nullptr, save_now);
  emscripten_set_visibilitychange_callback(nullptr, 0, save_hidden);
}
Rescue::~Rescue() { saving() = nullptr; }

}  // namespace tilescope
