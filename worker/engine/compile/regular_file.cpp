#include "worker/engine/compile/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/files/descriptor.h"

namespace tilescope::worker {
namespace {

constexpr const char* kNoRegularFile =
    " is no regular file, but a pipe, a socket or a device; only regular files are read.";

FileThere kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return FileThere::regular;
  return S_ISDIR(mode) ? FileThere::folder : FileThere::other;
}

}  // namespace

FileThere file_there(const std::string& path) {
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0) return FileThere::nothing;
  return kind_of_mode(there.st_mode);
}

std::optional<std::string> read_regular_file(const std::string& path, uint64_t limit,
                                             std::string* why_not) {
  const auto no = [&](const std::string& sentence) -> std::optional<std::string> {
    if (why_not) *why_not = sentence;
    return std::nullopt;
  };
  const auto cannot = [&](int error) {
    return no(path + " cannot be read: " + std::strerror(error) + ".");
  };
  const auto too_long = [&](const std::string& bytes) {
    return no(path + " has " + bytes + " bytes; at most " + std::to_string(limit) + " are read.");
  };
  // Some devices do something when they are opened, so what it is is asked beforehand; and once
  // more of what was opened, since somebody may have put another into its place.
  if (file_there(path) == FileThere::other) return no(path + kNoRegularFile);
  const files::Descriptor file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) return cannot(errno);
  struct stat there {};
  if (::fstat(file.get(), &there) != 0) return cannot(errno);
  switch (kind_of_mode(there.st_mode)) {
    case FileThere::regular:
      break;
    case FileThere::folder:
      return cannot(EISDIR);
    case FileThere::other:
    case FileThere::nothing:
      return no(path + kNoRegularFile);
  }
  const auto size = static_cast<uint64_t>(there.st_size);
  if (size > limit) return too_long(std::to_string(size));
  std::string text;
  // What the kernel makes up as it is read has no size until then.
  if (const int failed = file.read_from(0, static_cast<size_t>(limit) + 1, text)) {
    return cannot(failed);
  }
  if (text.size() > limit) return too_long("more than " + std::to_string(limit));
  return text;
}

bool is_plain_name(const std::string& name) {
  return std::ranges::none_of(name, [](char c) {
    return c == '"' || c == '\\' || c == '\x7f' || static_cast<unsigned char>(c) < ' ';
  });
}

std::string shown_name(const std::string& name) {
  constexpr size_t kMostShown = 200;
  std::string shown = name.substr(0, kMostShown);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return name.size() > kMostShown ? shown + "…" : shown;
}

}  // namespace tilescope::worker
