// A report of a crash that cannot be ended.
#include "app/shell/end_within.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace tilescope {
namespace {

void ends_as_by(int signal) {
  EXPECT_EXIT(
      {
        end_within(3600, signal);
        raise(SIGALRM);
      },
      testing::KilledBySignal(signal), "");
}

TEST(EndWithin, TheProcessEndsByTheSignalOfItsFault) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) ends_as_by(signal);
}

TEST(EndWithin, AfterTheTimeThatWasGiven) {
  EXPECT_EXIT(
      {
        end_within(1, SIGSEGV);
        for (;;) pause();
      },
      testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace tilescope
