// What the report of a crash says of the other threads.
#include "app/shell/thread_stacks.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace tilescope {
namespace {

std::string said_of_threads(int patience) {
  prepare_thread_stacks();
  std::FILE* file = std::tmpfile();
  if (!file) return "no file";
  write_other_threads(fileno(file), patience);
  std::string text(static_cast<size_t>(lseek(fileno(file), 0, SEEK_END)), '\0');
  EXPECT_EQ(pread(fileno(file), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  std::fclose(file);
  return text;
}

/// From a thread's name to the next thread.
std::string part_of(const std::string& text, const std::string& name) {
  const size_t begin = text.find("(" + name + ")");
  if (begin == std::string::npos) return "";
  const size_t end = std::min(text.find("\n\n", begin), text.size() - 1);
  return text.substr(begin, end - begin);
}

constexpr int kPatience = 60'000;  // ms: whoever answers is heard, however busy the machine is

/// Threads of a name that wait until this goes.
class Waiting {
 public:
  Waiting(size_t count, const char* name, bool blocked = false) : ready_(static_cast<long>(count)) {
    for (size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, name, blocked] {
        pthread_setname_np(pthread_self(), name);
        if (blocked) {
          sigset_t all;
          sigfillset(&all);
          pthread_sigmask(SIG_SETMASK, &all, nullptr);
        }
        ready_.count_down();
        over_.wait();
      });
    }
    ready_.wait();
  }
  ~Waiting() {
    over_.count_down();
    for (std::thread& thread : threads_) thread.join();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::latch ready_, over_{1};
  std::vector<std::thread> threads_;
};

TEST(ThreadStacks, EachOtherThreadIsNamedWithItsStack) {
  const Waiting one(1, "one that waits"), two(1, "another");
  const std::string text = said_of_threads(kPatience);
  for (const char* name : {"one that waits", "another"}) {
    const std::string part = part_of(text, name);
    EXPECT_EQ(part.rfind(std::string("(") + name + "):\n", 0), 0U) << text;
    EXPECT_GE(std::ranges::count(part, '\n'), 3) << "frames: " << part;
    EXPECT_NE(part.find("[0x"), std::string::npos) << part;
  }
  char self[16];
  pthread_getname_np(pthread_self(), self, sizeof self);
  EXPECT_EQ(text.find("thread " + std::to_string(gettid()) + " "), std::string::npos)
      << "whoever asks: " << self;
}

TEST(ThreadStacks, OneWhoseSignalsAreBlockedIsNotWaitedFor) {
  const Waiting deaf(1, "deaf", true);
  EXPECT_EQ(part_of(said_of_threads(kPatience), "deaf"),
            "(deaf): no stack, its signals are blocked");
}

int still[2];  // its child reads the end of this

/// Neither of the two returns: what a function's frame holds is theirs together until then.
void wait_in_vfork() {
  if (vfork() == 0) {
    char none;
    while (read(still[0], &none, 1) < 0) {
    }
    _exit(0);
  }
}

TEST(ThreadStacks, OneThatDoesNotAnswerIsSaid) {
  ASSERT_EQ(pipe(still), 0);
  std::thread held([] {
    pthread_setname_np(pthread_self(), "held");
    wait_in_vfork();  // no signal reaches it
  });
  // Its name is there before it is held, and signals of a thread that begins are blocked: look
  // until it does not answer.
  std::string part;
  do {
    part = part_of(said_of_threads(50), "held");
  } while (part.find("no stack, it did not") == std::string::npos);
  EXPECT_EQ(part, "(held): no stack, it did not answer within 50 ms");
  EXPECT_EQ(write(still[1], "x", 1), 1);
  held.join();
  EXPECT_GT(wait(nullptr), 0);
  close(still[0]);
  close(still[1]);
}

TEST(ThreadStacks, MoreThanAReportHoldsAreCounted) {
  const Waiting many(300, "many");
  const std::string text = said_of_threads(kPatience);
  EXPECT_NE(text.find("\nand 44 more threads\n"), std::string::npos);
  EXPECT_EQ(text.find("no stack"), std::string::npos) << text;
}

}  // namespace
}  // namespace tilescope
