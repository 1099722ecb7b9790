#include "app/shell/end_within.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace tilescope {
namespace {

std::atomic<int> ends_by = SIGABRT;

/// In whatever thread.
void end_by_signal(int) {
  ::signal(ends_by, SIG_DFL);
  raise(ends_by);
}

}  // namespace

void end_within(unsigned seconds, int signal) {
  ends_by = signal;
  ::signal(SIGALRM, end_by_signal);
  alarm(seconds);
}

}  // namespace tilescope
