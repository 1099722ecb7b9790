#include "worker/engine/tools/run_tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>
#include <vector>

#include "core/programs/program.h"
#include "core/programs/search_path.h"

namespace tilescope::worker {
namespace {

constexpr int kLookMilliseconds = 20;  // for a cancellation, or the end of the one we watch

class Pipe {
 public:
  Pipe() {
    if (pipe2(fds_, O_CLOEXEC) != 0) fds_[0] = fds_[1] = -1;
    if (fds_[0] >= 0) fcntl(fds_[0], F_SETFL, fcntl(fds_[0], F_GETFL) | O_NONBLOCK);
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
  Pipe out, err;
  if (!out.good() || !err.good()) {
    result.code = errno;
    return result;
  }
  // Numbers are written as in C: no commas where points are meant.
  std::vector<int> descriptors = {-1, out.write_end(), err.write_end()};
  descriptors.insert(descriptors.end(), run.open_files.begin(), run.open_files.end());
  // What nvcc and ncu start in their turn is looked for where they were. A g++ there may be ccache
  // by that name, which ends where it may not write into its own folder
  // (worker/process/landlock.h).
  const std::string path = fmt::format("PATH={}", fmt::join(search_path(), ":"));
  Program program({.argv = run.argv,
                   .environment = environment_with({"LC_*", "PATH", "CCACHE_DISABLE"},
                                                   {"LC_ALL=C", path, "CCACHE_DISABLE=1"}),
                   .descriptors = std::move(descriptors)});
  out.close_write(), err.close_write();
  if (program.error() != 0) {
    result.code = program.error();
    return result;
  }
  const auto until = Clock::now() + std::chrono::duration<double>(run.seconds);
  result.end = End::exited;
  for (bool over = false; !over && result.end == End::exited;) {
    pollfd ready[] = {{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}};  // −1: left out
    poll(ready, 2, kLookMilliseconds);
    over = program.ended();
    if (out.read_end() >= 0) take(out, result.out);
    if (err.read_end() >= 0) take(err, result.err);
    if (result.out.size() > run.max_bytes || result.err.size() > run.max_bytes) {
      result.end = End::too_much;
    } else if (run.cancelled && run.cancelled->load()) {
      result.end = End::cancelled;
    } else if (Clock::now() > until) {
      result.end = End::too_long;
    }
  }
  if (result.end != End::exited) return result;  // and the program with it
  const ProgramEnd& end = program.end();
  if (end.signal != 0) result.end = End::signalled;
  result.code = end.signal != 0 ? end.signal : end.code;
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
