#include "app/cli/given_descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>

#include "app/cli/cli_error.h"
#include "core/files/descriptor.h"
#include "core/files/scratch_folder.h"

namespace tilescope::cli {
namespace {

bool stands_for_descriptor(const std::string& name) {
  return name == "/dev/stdin" || name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
}

/// 0, or errno.
int copy_all(const files::Descriptor& in, const files::Descriptor& out) {
  std::string piece(1u << 20, '\0');
  for (;;) {
    const ssize_t got = ::read(in.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    const std::string_view part(piece.data(), static_cast<size_t>(got));
    if (const int why = out.write_all(part)) return why;
  }
}

}  // namespace

std::string file_of_descriptor(const std::string& name) {
  if (!stands_for_descriptor(name)) return name;
  // A pipe is read once, however often it is named.
  static const files::ScratchFolder folder;
  static std::map<std::string, std::string> copies;
  if (const auto known = copies.find(name); known != copies.end()) return known->second;
  const files::Descriptor in(name, O_RDONLY);
  if (!in) bad(fmt::format("{} cannot be read: {}", name, std::strerror(errno)));
  if (folder.path().empty()) {
    bad(fmt::format(
        "{} cannot be copied to where the worker reads it: there is no folder for that; "
        "set TMPDIR to one that can be written, or name a file instead",
        name));
  }
  const std::string copy = fmt::format("{}/{}", folder.path(), copies.size());
  const files::Descriptor out(copy, O_WRONLY | O_CREAT | O_TRUNC);
  const int why = out ? copy_all(in, out) : errno;
  if (why != 0) {
    bad(fmt::format(
        "{} cannot be copied to where the worker reads it ({}): {}; name a file instead", name,
        copy, std::strerror(why)));
  }
  return copies.emplace(name, copy).first->second;
}

}  // namespace tilescope::cli
