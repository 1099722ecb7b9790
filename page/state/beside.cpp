#include "app/live/beside.h"

#include <emscripten.h>

#include <utility>

namespace tilescope {

struct Beside::Going {
  std::function<bool()> step;  // empty: nobody wants it any more

  static void go_on(void* of) {
    std::unique_ptr<std::shared_ptr<Going>> going(static_cast<std::shared_ptr<Going>*>(of));
    const std::function<bool()> step = (*going)->step;
    if (step && step()) emscripten_async_call(go_on, going.release(), 0);
  }
};

Beside::Beside(std::function<bool()> step) : going_(std::make_shared<Going>()) {
  going_->step = std::move(step);
  emscripten_async_call(Going::go_on, new std::shared_ptr<Going>(going_), 0);
}

Beside::~Beside() { going_->step = nullptr; }

}  // namespace tilescope
