#include "core/files/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "core/files/descriptor.h"

namespace tilescope::files {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> no(std::string* why_not, std::string sentence) {
  if (why_not) *why_not = std::move(sentence);
  return std::nullopt;
}

std::string not_written(const std::string& path, int error) {
  return path + " cannot be written (" + std::strerror(error) + ").";
}

/// A link stays one: the file that it leads to.
std::string target_of(const std::string& path) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(path, ignored);
  return real.empty() ? path : real.string();
}

/// A name beside `path` that no other writer has: of this process or another.
std::string name_beside(const std::string& path) {
  static std::atomic<unsigned> written = 0;
  return path + kUnfinished + std::to_string(::getpid()) + "-" + std::to_string(written++);
}

/// The bytes in a file of their own, with the permissions of the one whose place they take. 0, or
/// errno.
int write_beside(const std::string& fresh, std::string_view bytes, const struct stat* before) {
  // What a process of the same number left behind when it was killed.
  ::unlink(fresh.c_str());
  Descriptor file(fresh, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (!file) return errno;
  int failed = file.write_all(bytes);
  if (failed == 0 && before && ::fchmod(file.get(), before->st_mode & 07777) != 0) failed = errno;
  if (failed == 0) failed = file.sync();
  const int closed = file.close();
  return failed != 0 ? failed : closed;
}

}  // namespace

namespace {

std::optional<std::string> cannot_read(std::string* why_not, const std::string& path, int error) {
  return no(why_not, path + " cannot be read: " + std::strerror(error) + ".");
}

std::optional<std::string> no_regular_file(std::string* why_not, const std::string& path) {
  return no(why_not, path +
                         " is no regular file, but a pipe, a socket or a device; only regular "
                         "files are read.");
}

FileThere kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return FileThere::regular;
  return S_ISDIR(mode) ? FileThere::folder : FileThere::other;
}

/// `regular_alone`: what else was opened is refused.
std::optional<std::string> read_opened(const Descriptor& file, const std::string& path,
                                       bool regular_alone, uint64_t limit, std::string* why_not) {
  const auto too_long = [&](const std::string& bytes) {
    return no(why_not,
              path + " has " + bytes + " bytes; at most " + std::to_string(limit) + " are read.");
  };
  if (!file) return cannot_read(why_not, path, errno);
  struct stat there {};
  if (::fstat(file.get(), &there) != 0) return cannot_read(why_not, path, errno);
  const FileThere kind = kind_of_mode(there.st_mode);
  if (kind == FileThere::folder) return cannot_read(why_not, path, EISDIR);
  if (regular_alone && kind != FileThere::regular) return no_regular_file(why_not, path);
  const auto size = static_cast<uint64_t>(there.st_size);
  if (kind == FileThere::regular && size > limit) return too_long(std::to_string(size));
  std::string text;
  // Of a pipe, and of what the kernel makes up as it is read, the size is known at its end alone.
  if (const int failed = file.read_from(0, static_cast<size_t>(limit) + 1, text)) {
    return cannot_read(why_not, path, failed);
  }
  if (text.size() > limit) return too_long("more than " + std::to_string(limit));
  return text;
}

}  // namespace

FileThere file_there(const std::string& path) {
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0) return FileThere::nothing;
  return kind_of_mode(there.st_mode);
}

std::optional<std::string> read_file(const std::string& path, uint64_t limit,
                                     std::string* why_not) {
  return read_opened(Descriptor(path, O_RDONLY), path, false, limit, why_not);
}

std::optional<std::string> read_regular_file(const std::string& path, uint64_t limit,
                                             std::string* why_not) {
  // Some devices do something when they are opened, so what it is is asked beforehand; and once
  // more of what was opened, since somebody may have put another into its place.
  if (file_there(path) == FileThere::other) return no_regular_file(why_not, path);
  return read_opened(Descriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY), path, true, limit,
                     why_not);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

std::string replace_file(const std::string& path, std::string_view bytes) {
  struct stat before {};
  const bool was_there = ::stat(path.c_str(), &before) == 0;
  if (was_there && !S_ISREG(before.st_mode)) {
    Descriptor file(path, O_WRONLY);
    const int failed = file ? file.write_all(bytes) : errno;
    return failed == 0 ? std::string() : not_written(path, failed);
  }
  const std::string target = target_of(path);
  const std::string fresh = name_beside(target);
  int failed = write_beside(fresh, bytes, was_there ? &before : nullptr);
  if (failed == 0 && ::rename(fresh.c_str(), target.c_str()) != 0) failed = errno;
  if (failed != 0) {
    ::unlink(fresh.c_str());
    return not_written(path, failed);
  }
  const std::string folder = fs::path(target).parent_path().string();
  const Descriptor parent(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  if (parent) parent.sync();
  return {};
}

void remove_unfinished(const std::string& path) {
  const fs::path target = target_of(path);
  const std::string name = target.filename().string() + kUnfinished;
  std::error_code error;
  std::vector<fs::path> unfinished;
  for (const auto& entry : fs::directory_iterator(target.parent_path(), error)) {
    if (entry.path().filename().string().starts_with(name)) unfinished.push_back(entry.path());
  }
  for (const fs::path& file : unfinished) fs::remove(file, error);
}

std::string set_aside(const std::string& path, std::string_view word,
                      const std::vector<std::string>& endings) {
  const std::string first =
      path + "." + std::string(word) + "-" + std::to_string(static_cast<long long>(std::time({})));
  std::string aside = first;
  std::error_code error;
  for (int n = 2; fs::exists(aside, error); ++n) aside = first + "-" + std::to_string(n);
  for (const std::string& ending : endings) fs::rename(path + ending, aside + ending, error);
  fs::rename(path, aside, error);
  return error ? std::string() : aside;
}

}  // namespace tilescope::files
