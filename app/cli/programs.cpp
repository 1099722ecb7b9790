#include "app/cli/programs.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "app/cli/cli_error.h"

namespace tilescope::cli {
namespace {

constexpr int kServerStartMs = 30000;

}  // namespace

std::string program_folder() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  const std::string full(path, length > 0 ? static_cast<size_t>(length) : 0);
  const size_t slash = full.rfind('/');
  return slash == std::string::npos ? "." : full.substr(0, slash);
}

int run_program(const std::vector<std::string>& arguments, const std::string& display) {
  ProgramStart start{.argv = arguments, .bound = false};
  if (!display.empty()) {
    start.environment = environment_with({"DISPLAY", "WAYLAND_DISPLAY"}, {"DISPLAY=" + display});
  }
  Program program(start);
  if (program.error() != 0) return -1;
  const ProgramEnd& end = program.wait();
  return end.signal != 0 ? 128 + end.signal : end.code;
}

namespace {

/// An X server that writes its number to descriptor 3, which is `number_fd` here, once it is ready.
/// It picks a free number itself.
ProgramStart server_start(int number_fd) {
  return {.argv = {"Xvfb", "-displayfd", "3", "-screen", "0", "4096x2400x24", "-nolisten", "tcp",
                   "-noreset"},
          .descriptors = {-1, -1, -1, number_fd}};
}

/// What comes within the time up to the end of the line; empty if nothing does.
std::string read_line(int fd, int milliseconds) {
  std::string line;
  pollfd ready{fd, POLLIN, 0};
  for (;;) {
    const int came = poll(&ready, 1, milliseconds);
    if (came < 0 && errno == EINTR) continue;
    if (came <= 0) return {};
    char c;
    const ssize_t n = read(fd, &c, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n != 1) return {};
    if (c == '\n') return line;
    line += c;
  }
}

}  // namespace

PrivateDisplay::PrivateDisplay() {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) throw CliError(kMissing, "no pipe for a private X server");
  server_ = std::make_unique<Program>(server_start(pipe_ends[1]));
  close(pipe_ends[1]);
  const bool started = server_->error() == 0;
  const std::string number = started ? read_line(pipe_ends[0], kServerStartMs) : "";
  close(pipe_ends[0]);
  if (!started) {
    throw CliError(kMissing,
                   "there is no display and no Xvfb for a private one; install xvfb and "
                   "libgl1-mesa-dri");
  }
  if (number.empty()) {
    server_->kill_first();
    server_->wait();
    throw CliError(kMissing, "the private X server (Xvfb) did not start");
  }
  name_ = ":" + number;
}

PrivateDisplay::~PrivateDisplay() {
  server_->signal(SIGTERM);  // it removes its lock
  server_->wait();
}

}  // namespace tilescope::cli
