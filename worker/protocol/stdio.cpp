#include "worker/protocol/stdio.h"

#include <fcntl.h>
#include <unistd.h>
#include <uv.h>

#include <cerrno>

namespace tilescope::worker {
namespace {

bool is_pipe(int fd) {
  const uv_handle_type type = uv_guess_handle(fd);
  return type == UV_NAMED_PIPE || type == UV_TCP;
}

void pump(int from, int to) {
  char piece[16384];
  while (true) {
    const ssize_t got = ::read(from, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (ssize_t at = 0; at < got;) {
      const ssize_t written = ::write(to, piece + at, static_cast<size_t>(got - at));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return void(::close(to));
      at += written;
    }
  }
  ::close(to);
}

}  // namespace

ProtocolFds take_stdio() {
  ProtocolFds fds;
  fds.in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  fds.out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(fcntl(STDERR_FILENO, F_GETFD) >= 0 ? STDERR_FILENO : null, STDOUT_FILENO);
  if (null > 2) ::close(null);
  return fds;
}

PipedFds::PipedFds(ProtocolFds fds) : fds_(fds) {
  int ends[2];
  if (!is_pipe(fds.in) && pipe2(ends, O_CLOEXEC) == 0) {
    // Detached: a read of a terminal cannot be woken.
    std::thread(pump, fds.in, ends[1]).detach();
    fds_.in = ends[0];
  }
  if (!is_pipe(fds.out) && pipe2(ends, O_CLOEXEC) == 0) {
    output_ = std::thread(pump, ends[0], fds.out);
    fds_.out = ends[1];
  }
}

PipedFds::~PipedFds() {
  if (!output_.joinable()) return;
  ::close(fds_.out);  // its last writer: the pump sees the end
  output_.join();
}

}  // namespace tilescope::worker
