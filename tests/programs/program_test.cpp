// Other programs: what they get of us, how their end is known, and that nothing of a bound one is
// left. What happens to it when we are killed: run_tool_test and display_test.
#include "core/programs/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <sstream>

namespace tilescope {
namespace {

/// Two ends; what is written comes out until all writers are gone.
struct TestPipe {
  TestPipe() { EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0); }
  ~TestPipe() {
    close_write();
    close(ends[0]);
  }
  void close_write() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
  std::string all() {
    close_write();
    std::string text;
    char piece[256];
    for (ssize_t got; (got = read(ends[0], piece, sizeof piece)) > 0;) {
      text.append(piece, static_cast<size_t>(got));
    }
    return text;
  }
  int ends[2];
};

ProgramStart shell(const std::string& script, std::vector<int> descriptors, bool bound) {
  return {.argv = {"sh", "-c", script}, .descriptors = std::move(descriptors), .bound = bound};
}

class Programs : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(BoundOrNot, Programs, testing::Bool());

TEST_P(Programs, GetTheirDescriptorsAndNoOthers) {
  TestPipe third, out;
  // In an order in which each would overwrite another.
  Program program(shell("echo three >&3; echo one; ls /proc/$$/fd",
                        {-1, out.ends[1], -1, third.ends[1]}, GetParam()));
  EXPECT_EQ(third.all(), "three\n");
  EXPECT_EQ(out.all(), "one\n0\n1\n2\n3\n");
  EXPECT_EQ(program.wait().code, 0);
}

TEST_P(Programs, EndAsTheyEnd) {
  Program seven(shell("exit 7", {-1, -1, -1}, GetParam()));
  EXPECT_EQ(seven.error(), 0);
  EXPECT_EQ(seven.wait().code, 7);
  EXPECT_EQ(seven.end().signal, 0);
  EXPECT_TRUE(seven.ended());
  Program killed(shell("kill -TERM $$", {-1, -1, -1}, GetParam()));
  EXPECT_EQ(killed.wait().signal, SIGTERM);
  Program asked(shell("trap 'exit 3' TERM; kill -STOP $$; exit 4", {-1, -1, -1}, GetParam()));
  asked.signal(SIGTERM);
  asked.signal(SIGCONT);
  EXPECT_TRUE(asked.wait().code == 3 || asked.end().signal == SIGTERM) << asked.end().code;
}

TEST_P(Programs, ThatAreNotThereSaySo) {
  Program none({.argv = {"/nowhere/at-all"}, .bound = GetParam()});
  EXPECT_EQ(none.error(), ENOENT);
  EXPECT_TRUE(none.ended());
  EXPECT_EQ(Program({.argv = {}, .bound = GetParam()}).error(), EINVAL);
}

TEST_P(Programs, HaveTheEnvironmentThatTheyAreGiven) {
  setenv("TILESCOPE_ONE", "1", 1);
  setenv("TILESCOPE_TWO", "2", 1);
  setenv("OTHER", "3", 1);
  TestPipe out;
  ProgramStart start =
      shell("echo $TILESCOPE_ONE,$TILESCOPE_TWO,$OTHER,$NEW", {-1, out.ends[1], -1}, GetParam());
  start.environment = environment_with({"TILESCOPE_*", "OTHE"}, {"NEW=4"});
  Program program(start);
  EXPECT_EQ(out.all(), ",,3,4\n");
  EXPECT_EQ(program.wait().code, 0);
}

/// Blocks and ignores what the window and the worker's children do, as long as it exists.
class OddSignals {
 public:
  OddSignals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGUSR1}) sigaddset(&blocked, number);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
    pipe_ = signal(SIGPIPE, SIG_IGN);
    size_ = signal(SIGXFSZ, SIG_IGN);
    hangup_ = signal(SIGHUP, SIG_IGN);  // as by nohup
    term_ = signal(SIGTERM, [](int) {});
  }
  ~OddSignals() {
    signal(SIGPIPE, pipe_);
    signal(SIGXFSZ, size_);
    signal(SIGHUP, hangup_);
    signal(SIGTERM, term_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  OddSignals(const OddSignals&) = delete;
  OddSignals& operator=(const OddSignals&) = delete;

 private:
  sigset_t before_{};
  sighandler_t pipe_, size_, hangup_, term_;
};

TEST_P(Programs, HearSignalsAsIfWeDidNothingAboutThem) {
  const OddSignals odd;
  TestPipe out;
  Program program({.argv = {"grep", "^Sig[BI]", "/proc/self/status"},
                   .descriptors = {-1, out.ends[1], -1},
                   .bound = GetParam()});
  EXPECT_EQ(program.wait().code, 0);
  std::istringstream told(out.all());
  std::string name;
  uint64_t blocked = 1, ignored = 0;
  told >> name >> std::hex >> blocked >> name >> ignored;
  EXPECT_EQ(blocked, 0u);
  const auto is_ignored = [&](int number) { return (ignored >> (number - 1) & 1) == 1; };
  for (const int number : {SIGPIPE, SIGXFSZ, SIGTERM}) EXPECT_FALSE(is_ignored(number)) << number;
  EXPECT_TRUE(is_ignored(SIGHUP)) << "what nohup starts goes on";
  sigset_t ours;
  pthread_sigmask(SIG_SETMASK, nullptr, &ours);
  EXPECT_TRUE(sigismember(&ours, SIGUSR1)) << "our own are as they were";
  EXPECT_FALSE(sigismember(&ours, SIGUSR2));
}

TEST_P(Programs, AreEndedBySignalsThatWeBlock) {
  const OddSignals odd;
  Program program(shell("exec tail -f /dev/null", {-1, -1, -1}, GetParam()));
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().signal, SIGTERM);
}

// Descriptors run out after the first pair of the start's two.
TEST_P(Programs, ThatCannotBeStartedLeaveNothingOpen) {
  const auto lowest_free = [] {
    const int fd = dup(STDIN_FILENO);
    if (fd >= 0) close(fd);
    return fd;
  };
  const int free = lowest_free();
  ASSERT_GE(free, 0);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  for (const rlim_t more : {0, 1, 2, 3}) {
    const rlimit few{static_cast<rlim_t>(free) + more, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    const int error = Program(shell("true", {-1, -1, -1}, GetParam())).error();
    setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_EQ(error, EMFILE) << more;
    EXPECT_EQ(lowest_free(), free) << more;
  }
}

TEST(BoundProgram, WhoseWatcherIsGoneEndsNobodyElse) {
  TestPipe out;
  Program program(shell("echo $PPID; exec tail -f /dev/null", {-1, out.ends[1], -1}, true));
  char text[32] = {};
  ASSERT_GT(read(out.ends[0], text, sizeof text - 1), 0);
  const int watcher = std::atoi(text);
  kill(watcher, SIGKILL);
  // It has gone, but has not been waited for: nobody reads what is asked of it.
  siginfo_t gone{};
  waitid(P_PID, static_cast<id_t>(watcher), &gone, WEXITED | WNOWAIT);
  program.kill_first();  // by SIGPIPE it would end us
  EXPECT_EQ(program.wait().signal, SIGKILL);
  EXPECT_EQ(out.all(), "") << "and the program with it";
}

TEST(BoundProgram, IsEndedWithAllThatItStarted) {
  TestPipe out;
  {
    // Both write; the end of the pipe comes once both are gone.
    Program program(shell("tail -f /dev/null & tail -f /dev/null", {-1, out.ends[1], -1}, true));
    EXPECT_EQ(program.error(), 0);
    EXPECT_FALSE(program.ended());
  }
  EXPECT_EQ(out.all(), "");
}

TEST(BoundProgram, IsReapedBeforeItsGroup) {
  TestPipe out;
  Program program(shell("echo $$; exec tail -f /dev/null", {-1, out.ends[1], -1}, true));
  char text[32] = {};
  ASSERT_GT(read(out.ends[0], text, sizeof text - 1), 0);
  program.kill_first();
  EXPECT_EQ(program.wait().signal, SIGKILL);
  EXPECT_EQ(kill(std::atoi(text), 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST(FreeProgram, GoesOnWithoutUs) {
  TestPipe in, out;
  { Program program(shell("read line; echo $line", {in.ends[0], out.ends[1], -1}, false)); }
  ASSERT_EQ(write(in.ends[1], "still here\n", 11), 11);
  EXPECT_EQ(out.all(), "still here\n");
  wait(nullptr);
}

}  // namespace
}  // namespace tilescope
