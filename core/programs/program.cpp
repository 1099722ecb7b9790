#include "core/programs/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "core/programs/search_path.h"

namespace tilescope {
namespace {

constexpr int kLookMilliseconds = 20;  // for the end of the program, or of the one who asked

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

/// All that the forked processes need: memory is taken before the fork, since other threads may
/// hold the allocator's locks.
struct Prepared {
  const char* file = nullptr;  // of the program
  std::vector<char*> argv, environment;
  std::vector<int> descriptors, moved;
  int failed = -1;    // takes errno of the start; closed by it
  int lifeline = -1;  // closes with the one who asked
};

/// No signal is heard while this exists: between the fork and the program's start a handler of ours
/// would answer for the program, into pipes that it shares with us.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

void hear_all_signals() {
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

/// Of what we do about signals nothing is the program's: handlers are ours, and the worker's
/// children ignore some. What a shell has ignored for all that it starts (nohup, a script's
/// background) stays so.
void forget_our_signals() {
  for (int number = 1; number < 32; ++number) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_DFL) continue;
    const bool is_ours =
        now.sa_handler != SIG_IGN || number == SIGPIPE || number == SIGXFSZ || number == SIGTERM;
    if (is_ours) ::signal(number, SIG_DFL);
  }
}

/// Descriptors are moved twice, so that none is overwritten before it has been moved.
[[noreturn]] void become(Prepared& p) {
  const int count = static_cast<int>(p.descriptors.size());
  int failed = fcntl(p.failed, F_DUPFD_CLOEXEC, count);
  for (int i = 0; i < count; ++i) {
    const int from = p.descriptors[static_cast<size_t>(i)];
    const int mine = from >= 0 ? from : open("/dev/null", O_RDWR | O_CLOEXEC);
    p.moved[static_cast<size_t>(i)] = fcntl(mine, F_DUPFD_CLOEXEC, count);
  }
  for (int i = 0; i < count; ++i) dup2(p.moved[static_cast<size_t>(i)], i);
  close_range(static_cast<unsigned>(count), ~0u, CLOSE_RANGE_CLOEXEC);
  hear_all_signals();  // the window blocks some in all its threads, and a mask outlives exec
  execvpe(p.file, p.argv.data(), p.environment.data());  // its folder is said
  const int why = errno;
  while (write(failed, &why, sizeof why) < 0 && errno == EINTR) continue;
  _exit(127);
}

/// In the forked process: leads a group with the program in it and ends the group once the lifeline
/// closes. Ends as the program does.
[[noreturn]] void watch(Prepared& p) {
  setpgid(0, 0);
  const pid_t program = fork();
  if (program == 0) become(p);
  for (const int number : {SIGTERM, SIGHUP, SIGINT}) ::signal(number, SIG_IGN);  // the program's
  hear_all_signals();
  if (program < 0) {
    const int why = errno;
    while (write(p.failed, &why, sizeof why) < 0 && errno == EINTR) continue;
    _exit(127);
  }
  // Nothing of ours is held open by it.
  dup2(p.lifeline, 0);
  close_range(1, ~0u, 0);
  for (;;) {
    pollfd line{0, POLLIN, 0};
    if (poll(&line, 1, kLookMilliseconds) > 0) {
      char asked;
      ssize_t got;
      while ((got = read(0, &asked, 1)) < 0 && errno == EINTR) continue;
      if (got != 1) ::kill(0, SIGKILL);  // nobody is there any more
      ::kill(program, SIGKILL);
    }
    int status = 0;
    if (waitpid(program, &status, WNOHANG) != program) continue;
    if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
    ::signal(WTERMSIG(status), SIG_DFL);
    ::kill(getpid(), WTERMSIG(status));
    _exit(127);
  }
}

void close_one(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

/// Closes what is left of it, so that a start that fails halfway leaves nothing open.
struct Ends {
  int ours = -1, theirs = -1;
  int error = 0;
  Ends() = default;
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  ~Ends() { close_one(ours), close_one(theirs); }
  void take(int result, const int (&ends)[2]) {
    if (result != 0) {
      error = errno;
    } else {
      ours = ends[0], theirs = ends[1];
    }
  }
};

}  // namespace

Program::Program(const ProgramStart& start) : bound_(start.bound) {
  if (start.argv.empty()) {
    error_ = EINVAL;
    return;
  }
  const std::string file = program_file(start.argv[0]);
  if (file.empty()) {
    error_ = ENOENT;
    return;
  }
  const std::vector<std::string> environment =
      start.environment.empty() ? environment_with({}, {}) : start.environment;
  Prepared prepared;
  prepared.file = file.c_str();
  prepared.argv = pointers(start.argv);
  prepared.environment = pointers(environment);
  prepared.descriptors = start.descriptors;
  prepared.moved.resize(start.descriptors.size());
  Ends failed, lifeline;
  int ends[2];
  failed.take(pipe2(ends, O_CLOEXEC), ends);
  // A socket, since a write to a pipe whose watcher is gone would end us by SIGPIPE.
  lifeline.take(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), ends);
  error_ = failed.error != 0 ? failed.error : lifeline.error;
  if (error_ != 0) return;
  prepared.failed = failed.theirs, prepared.lifeline = lifeline.theirs;
  {
    const AllSignalsBlocked until_started;
    pid_ = fork();
    if (pid_ == 0) {
      forget_our_signals();
      if (!bound_) become(prepared);
      close(lifeline.ours);  // only the one who asked holds it
      watch(prepared);
    }
    error_ = pid_ < 0 ? errno : 0;
  }
  if (pid_ < 0) return;
  if (bound_) setpgid(pid_, pid_);  // whoever is first: so it is before anyone is killed
  close_one(failed.theirs), close_one(lifeline.theirs);
  lifeline_ = std::exchange(lifeline.ours, -1);
  ended_ = false;
  int why = 0;
  ssize_t got;
  while ((got = read(failed.ours, &why, sizeof why)) < 0 && errno == EINTR) continue;
  if (got == sizeof why) {
    kill();
    wait();
    error_ = why;
  }
}

Program::~Program() {
  if (bound_ && !ended_) {
    kill();
    wait();
  }
  if (lifeline_ >= 0) close(lifeline_);
}

void Program::take(int status) {
  ended_ = true;
  if (WIFSIGNALED(status)) {
    end_.signal = WTERMSIG(status);
  } else {
    end_.code = WEXITSTATUS(status);
  }
  if (bound_) ::kill(-pid_, SIGKILL);  // what it left behind
}

bool Program::ended() {
  int status = 0;
  if (!ended_ && waitpid(pid_, &status, WNOHANG) == pid_) take(status);
  return ended_;
}

const ProgramEnd& Program::wait() {
  int status = 0;
  while (!ended_) {
    if (waitpid(pid_, &status, 0) == pid_) {
      take(status);
    } else if (errno != EINTR) {
      ended_ = true;
    }
  }
  return end_;
}

void Program::signal(int number) {
  if (!ended_) ::kill(bound_ ? -pid_ : pid_, number);
}

void Program::kill_first() {
  if (!bound_) return kill();
  if (ended_) return;
  // By the watcher, which has it reaped before it ends itself.
  ssize_t sent;
  while ((sent = send(lifeline_, "", 1, MSG_NOSIGNAL)) < 0 && errno == EINTR) continue;
  if (sent != 1) kill();
}

void Program::kill() { signal(SIGKILL); }

std::vector<std::string> environment_with(const std::vector<std::string>& without,
                                          const std::vector<std::string>& with) {
  std::vector<std::string> all;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry, name = text.substr(0, text.find('='));
    const bool left_out = std::ranges::any_of(without, [&](const std::string& one) {
      return one.ends_with('*') ? name.starts_with(one.substr(0, one.size() - 1)) : name == one;
    });
    if (!left_out) all.emplace_back(text);
  }
  all.insert(all.end(), with.begin(), with.end());
  return all;
}

}  // namespace tilescope
