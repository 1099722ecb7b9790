#include "app/shell/end_signals.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

namespace tilescope {
namespace {

constexpr int kSignals[] = {SIGTERM, SIGHUP, SIGINT};
/// A terminal that closes hangs up twice: what comes as soon again asks for the same.
constexpr int kSameAsking = 2000;  // ms

/// Those that are not ignored, as nohup has SIGHUP and a script's background has SIGINT.
sigset_t end_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kSignals) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) continue;
    sigaddset(&set, number);
  }
  return set;
}

}  // namespace

struct EndSignals::State {
  sigset_t before{}, set{};
  int signals = -1, over = -1;  // descriptors
  std::atomic<bool> asked = false;
  std::mutex guard;
  std::function<void()> wake;
  std::thread waits;

  void wait() {
    pthread_setname_np(pthread_self(), "end-signals");
    pollfd ready[] = {{signals, POLLIN, 0}, {over, POLLIN, 0}};
    while (poll(ready, 2, -1) < 0 && errno == EINTR) {
    }
    if ((ready[0].revents & POLLIN) == 0) return;
    signalfd_siginfo told{};
    if (read(signals, &told, sizeof told) != sizeof told) return;
    asked = true;
    {
      const std::lock_guard lock(guard);
      if (wake) wake();
    }
    pollfd last{over, POLLIN, 0};
    if (poll(&last, 1, kSameAsking) > 0) return;
    while (read(signals, &told, sizeof told) == sizeof told) {
    }
    // Whoever asks again does not wait for a window that hangs: that is what they did before.
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    while (poll(&last, 1, -1) < 0 && errno == EINTR) {
    }
  }
};

EndSignals::EndSignals() : state_(std::make_unique<State>()) {
  state_->set = end_signals();
  pthread_sigmask(SIG_BLOCK, &state_->set, &state_->before);
  state_->signals = signalfd(-1, &state_->set, SFD_CLOEXEC | SFD_NONBLOCK);
  state_->over = eventfd(0, EFD_CLOEXEC);
  if (state_->signals < 0 || state_->over < 0) {  // then they end the program, as ever
    pthread_sigmask(SIG_SETMASK, &state_->before, nullptr);
    return;
  }
  state_->waits = std::thread([this] { state_->wait(); });
}

EndSignals::~EndSignals() {
  const uint64_t one = 1;
  if (state_->waits.joinable()) {
    while (write(state_->over, &one, sizeof one) < 0 && errno == EINTR) {
    }
    state_->waits.join();
  }
  if (state_->signals >= 0) close(state_->signals);
  if (state_->over >= 0) close(state_->over);
  pthread_sigmask(SIG_SETMASK, &state_->before, nullptr);
}

bool EndSignals::asked() const { return state_->asked; }

void EndSignals::on_asked(std::function<void()> wake) {
  const std::lock_guard lock(state_->guard);
  state_->wake = std::move(wake);
}

}  // namespace tilescope
