#include "core/files/locked_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tilescope::files {
namespace {

/// flock, begun anew after a signal; 0 or errno.
int lock_of(int fd, int how) {
  while (::flock(fd, how) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int how_of(LockedFile::Lock lock) {
  switch (lock) {
    case LockedFile::Lock::alone:
      return LOCK_EX;
    case LockedFile::Lock::alone_or_none:
      return LOCK_EX | LOCK_NB;
    case LockedFile::Lock::shared:
      return LOCK_SH | LOCK_NB;
    case LockedFile::Lock::shared_in_turn:
      return LOCK_SH;
  }
  return LOCK_EX;
}

/// Whoever had it before may have put another file in its place or removed it.
bool is_still_at(int fd, const std::string& path) {
  struct stat open {
  }, there{};
  return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

}  // namespace

std::optional<LockedFile> LockedFile::open(const std::string& path, Lock wanted,
                                           std::string* why_not) {
  why_not->clear();
  const int how = how_of(wanted);
  while (true) {
    Descriptor file(path, O_RDWR | O_CREAT | O_APPEND, 0666);
    if (!file) {
      *why_not = path + " cannot be written (" + std::strerror(errno) + ").";
      return std::nullopt;
    }
    const int failed = lock_of(file.get(), how);
    if (failed == EWOULDBLOCK) return std::nullopt;
    if (failed != 0 && (how & LOCK_EX) != 0) {
      *why_not = path + " cannot be locked (" + std::strerror(failed) +
                 "), so several processes cannot share it; choose a file in a folder that knows "
                 "locks.";
      return std::nullopt;
    }
    if (is_still_at(file.get(), path)) return LockedFile(std::move(file), path);
  }
}

std::string LockedFile::read_from(size_t offset) const {
  std::string text;
  file_.read_from(offset, SIZE_MAX, text);
  return text;
}

std::string LockedFile::append_line(const std::string& line) const {
  const off_t end = ::lseek(file_.get(), 0, SEEK_END);
  char last = '\n';
  if (end > 0 && ::pread(file_.get(), &last, 1, end - 1) != 1) last = '\n';
  // One write: several processes may append to a file that they share.
  const int failed = file_.write_all((last == '\n' ? "" : "\n") + line + "\n");
  return failed == 0 ? std::string() : std::strerror(failed);
}

std::string LockedFile::clear() const {
  while (::ftruncate(file_.get(), 0) != 0) {
    if (errno != EINTR) return std::strerror(errno);
  }
  return {};
}

bool is_held(const std::string& path) {
  const Descriptor file(path, O_RDWR);
  return file && lock_of(file.get(), LOCK_EX | LOCK_NB) == EWOULDBLOCK;
}

}  // namespace tilescope::files
