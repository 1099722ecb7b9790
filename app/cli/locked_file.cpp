#include "app/cli/locked_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "app/cli/error.h"

namespace tilescope::cli {
namespace {

namespace fs = std::filesystem;

/// flock, begun anew after a signal; 0 or errno.
int lock(int fd, int how) {
  while (::flock(fd, how) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

/// Whoever had it before may have put another file in its place or removed it.
bool is_still_at(int fd, const std::string& path) {
  struct stat open {
  }, there{};
  return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

int write_all(int fd, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(fd, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    at += static_cast<size_t>(n);
  }
  return 0;
}

}  // namespace

std::optional<LockedFile> LockedFile::open(const std::string& flag, const std::string& path,
                                           Lock wanted) {
  while (true) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
      throw CliError(kBadUsage,
                     fmt::format("{}: cannot write {}: {}", flag, path, std::strerror(errno)));
    }
    LockedFile file(fd, path);
    const int how =
        (wanted == Lock::shared ? LOCK_SH : LOCK_EX) | (wanted == Lock::alone ? 0 : LOCK_NB);
    const int failed = lock(fd, how);
    if (failed == EWOULDBLOCK) return std::nullopt;
    if (failed != 0 && wanted != Lock::shared) {
      throw CliError(kBadUsage, fmt::format("{}: {} cannot be locked ({}), so several processes "
                                            "cannot share it; choose a file in a folder that "
                                            "knows locks",
                                            flag, path, std::strerror(failed)));
    }
    if (is_still_at(fd, path)) return file;
  }
}

LockedFile::~LockedFile() {
  if (fd_ >= 0) ::close(fd_);
}
LockedFile::LockedFile(LockedFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
LockedFile& LockedFile::operator=(LockedFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

std::string LockedFile::read_from(size_t offset) const {
  std::string text;
  char piece[65536];
  while (true) {
    const ssize_t n = ::pread(fd_, piece, sizeof piece, static_cast<off_t>(offset + text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(piece, static_cast<size_t>(n));
  }
}

void LockedFile::append_line(const std::string& line) {
  const off_t end = ::lseek(fd_, 0, SEEK_END);
  char last = '\n';
  if (end > 0 && ::pread(fd_, &last, 1, end - 1) != 1) last = '\n';
  // One write: several processes may append to a file that they share.
  if (const int failed = write_all(fd_, (last == '\n' ? "" : "\n") + line + "\n")) {
    throw CliError(kFailed, fmt::format("a result could not be saved in {} ({}); make room there, "
                                        "then the same command goes on",
                                        path_, std::strerror(failed)));
  }
}

void LockedFile::clear() {
  if (::ftruncate(fd_, 0) == 0) return;
  throw CliError(kFailed, fmt::format("{} could not be emptied ({}); remove it by hand", path_,
                                      std::strerror(errno)));
}

bool is_held(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  const bool held = lock(fd, LOCK_EX | LOCK_NB) == EWOULDBLOCK;
  ::close(fd);
  return held;
}

void replace_file(const std::string& path, const std::string& text) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(path, ignored);  // a link stays one
  const std::string target = real.empty() ? path : real.string();
  const std::string fresh = fmt::format("{}.new-{}", target, getpid());
  const auto fail = [&](int error) {
    ::unlink(fresh.c_str());
    throw CliError(kFailed, fmt::format("results could not be put together in {} ({}); they are "
                                        "kept beside it, and the same command goes on with them",
                                        path, std::strerror(error)));
  };
  struct stat before {};
  const bool was_there = ::stat(target.c_str(), &before) == 0;
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail(errno);
  int failed = write_all(fd, text);
  if (was_there && failed == 0 && ::fchmod(fd, before.st_mode & 07777) != 0) failed = errno;
  if (failed == 0 && ::fsync(fd) != 0) failed = errno;
  if (::close(fd) != 0 && failed == 0) failed = errno;
  if (failed == 0 && ::rename(fresh.c_str(), target.c_str()) != 0) failed = errno;
  if (failed != 0) fail(failed);
  const std::string folder = fs::path(target).parent_path().string();
  const int parent =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent < 0) return;
  ::fsync(parent);
  ::close(parent);
}

}  // namespace tilescope::cli
