#include "worker/engine/tools/run_tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string_view>

namespace tilescope::worker {
namespace {

constexpr int kLookMilliseconds = 20;  // for a cancellation, or the end of the one we watch

class Pipe {
 public:
  Pipe() {
    if (pipe2(fds_, O_CLOEXEC) != 0) fds_[0] = fds_[1] = -1;
  }
  ~Pipe() { close_read(), close_write(); }
  Pipe(const Pipe&) = delete;
  int read_end() const { return fds_[0]; }
  int write_end() const { return fds_[1]; }
  bool good() const { return fds_[0] >= 0; }
  void close_read() { close_one(0); }
  void close_write() { close_one(1); }

 private:
  void close_one(int which) {
    if (fds_[which] >= 0) close(fds_[which]);
    fds_[which] = -1;
  }
  int fds_[2];
};

/// The environment, but numbers are written as in C: no commas where points are meant.
std::vector<std::string> plain_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; entry && *entry; ++entry) {
    if (!std::string_view(*entry).starts_with("LC_")) all.push_back(*entry);
  }
  all.push_back("LC_ALL=C");
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// In the forked process: leads a group with the program in it and ends the group once `lifeline`
/// closes, that is, when whoever asked for the program is gone, however it went.
[[noreturn]] void watch(char* const* argv, char* const* environment, int out, int err, int failed,
                        int lifeline) {
  setpgid(0, 0);
  const pid_t program = fork();
  if (program == 0) {
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);  // which children of the worker ignore
    execve(argv[0], argv, environment);
    const int why = errno;
    while (write(failed, &why, sizeof why) < 0 && errno == EINTR) continue;
    _exit(127);
  }
  close(out), close(err), close(failed);
  for (;;) {
    pollfd gone{lifeline, POLLIN, 0};
    if (poll(&gone, 1, kLookMilliseconds) > 0) kill(0, SIGKILL);
    int status = 0;
    if (waitpid(program, &status, WNOHANG) != program) continue;
    if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
    signal(WTERMSIG(status), SIG_DFL);
    kill(getpid(), WTERMSIG(status));
    _exit(127);
  }
}

/// What there is to read now, a bounded part of it: a writer may be faster than we are. Closes the
/// pipe at its end.
void take(Pipe& from, std::string& to) {
  char piece[1 << 16];
  for (int pieces = 0; pieces < 16;) {
    const ssize_t got = ::read(from.read_end(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got > 0) to.append(piece, static_cast<size_t>(got));
    if (got == 0) from.close_read();
    ++pieces;
    if (got < static_cast<ssize_t>(sizeof piece)) return;
  }
}

}  // namespace

ToolResult run_tool(const ToolRun& run) {
  using Clock = std::chrono::steady_clock;
  using End = ToolResult::End;
  ToolResult result;
  Pipe out, err, failed, lifeline;
  if (!out.good() || !err.good() || !failed.good() || !lifeline.good()) {
    result.code = errno;
    return result;
  }
  // All memory is taken before the fork: other threads may hold the allocator's locks.
  std::vector<std::string> arguments = run.argv, variables = plain_environment();
  const std::vector<char*> argv = pointers(arguments), environment = pointers(variables);
  const pid_t watcher = fork();
  if (watcher < 0) {
    result.code = errno;
    return result;
  }
  if (watcher == 0) {
    close(lifeline.write_end());  // only the one who asked holds it
    watch(argv.data(), environment.data(), out.write_end(), err.write_end(), failed.write_end(),
          lifeline.read_end());
  }
  setpgid(watcher, watcher);  // whoever is first: before anyone is killed it must be so
  out.close_write(), err.close_write(), failed.close_write(), lifeline.close_read();
  for (const Pipe* pipe : {&out, &err}) {
    fcntl(pipe->read_end(), F_SETFL, fcntl(pipe->read_end(), F_GETFL) | O_NONBLOCK);
  }
  const auto until = Clock::now() + std::chrono::duration<double>(run.seconds);
  int status = 0;
  bool over = false;
  result.end = End::exited;
  while (!over) {
    pollfd ready[] = {{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}};  // −1: left out
    poll(ready, 2, kLookMilliseconds);
    over = waitpid(watcher, &status, WNOHANG) == watcher;
    if (out.read_end() >= 0) take(out, result.out);
    if (err.read_end() >= 0) take(err, result.err);
    if (result.out.size() > run.max_bytes || result.err.size() > run.max_bytes) {
      result.end = End::too_much;
    } else if (run.cancelled && run.cancelled->load()) {
      result.end = End::cancelled;
    } else if (Clock::now() > until) {
      result.end = End::too_long;
    }
    if (result.end != End::exited) break;
  }
  kill(-watcher, SIGKILL);  // and what it left behind
  if (!over) waitpid(watcher, &status, 0);
  if (result.end != End::exited) return result;
  int why = 0;
  if (::read(failed.read_end(), &why, sizeof why) == sizeof why) {
    result.end = End::not_started;
    result.code = why;
  } else if (WIFSIGNALED(status)) {
    result.end = End::signalled;
    result.code = WTERMSIG(status);
  } else {
    result.code = WEXITSTATUS(status);
  }
  return result;
}

std::string end_of(const ToolResult& result, const ToolRun& run) {
  switch (result.end) {
    case ToolResult::End::exited:
      return fmt::format("ended with code {}", result.code);
    case ToolResult::End::signalled:
      return fmt::format("was ended by signal {} ({})", result.code, strsignal(result.code));
    case ToolResult::End::not_started:
      return fmt::format("could not be started ({})", strerror(result.code));
    case ToolResult::End::too_long:
      return fmt::format("was stopped after {:g} s", run.seconds);
    case ToolResult::End::too_much:
      return fmt::format("was stopped, since it wrote more than {} MB", run.max_bytes >> 20);
    case ToolResult::End::cancelled:
      return "was stopped";
  }
  return {};
}

std::string last_line(const std::string& text) {
  constexpr size_t kMost = 300;
  size_t end = text.size();
  while (end > 0) {
    const size_t begin = text.rfind('\n', end - 1) == text.npos ? 0 : text.rfind('\n', end - 1) + 1;
    std::string line = text.substr(begin, std::min(end - begin, kMost));
    for (char& c : line) {
      if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) return line;
    if (begin == 0) return {};
    end = begin - 1;
  }
  return {};
}

}  // namespace tilescope::worker
