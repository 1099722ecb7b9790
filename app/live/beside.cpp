#include "app/live/beside.h"

#include <pthread.h>

#include <thread>
#include <utility>

namespace tilescope {

struct Beside::Going {
  std::jthread thread;
};

Beside::Beside(std::function<bool()> step) : going_(std::make_shared<Going>()) {
  going_->thread = std::jthread([step = std::move(step)] {
    pthread_setname_np(pthread_self(), "beside");
    while (step()) {
    }
  });
}

Beside::~Beside() = default;

}  // namespace tilescope
