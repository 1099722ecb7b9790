#include "core/files/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace tilescope::files {

Descriptor::Descriptor(const std::string& path, int flags, unsigned mode) {
  do {
    fd_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd_ < 0 && errno == EINTR);
}

Descriptor::~Descriptor() { close(); }

Descriptor::Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

int Descriptor::write_all(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

int Descriptor::read_from(size_t offset, size_t limit, std::string& out) const {
  std::string piece(64u << 10, '\0');
  bool seeks = true;  // a pipe has no places
  while (out.size() < limit) {
    const size_t wanted = std::min(piece.size(), limit - out.size());
    const ssize_t n =
        seeks ? ::pread(fd_, piece.data(), wanted, static_cast<off_t>(offset + out.size()))
              : ::read(fd_, piece.data(), wanted);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == ESPIPE && seeks && offset == 0) {
      seeks = false;
      continue;
    }
    if (n < 0) return errno;
    if (n == 0) return 0;
    out.append(piece, 0, static_cast<size_t>(n));
  }
  return 0;
}

int Descriptor::sync() const {
  while (::fsync(fd_) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int Descriptor::close() {
  const int fd = std::exchange(fd_, -1);
  // A signal may be told of a close that has been done (Linux): never begun anew.
  return fd < 0 || ::close(fd) == 0 || errno == EINTR ? 0 : errno;
}

}  // namespace tilescope::files
