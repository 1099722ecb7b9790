#include "app/cli/shared_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "app/cli/cli_error.h"

namespace tilescope::cli {

SharedFile::SharedFile() : file_(memfd_create("tilescope-buffers", MFD_CLOEXEC)) {
  if (file_ < 0) {
    throw CliError(kFailed, fmt::format("no memory to hand the buffers to the worker: {}; give "
                                        "smaller ones",
                                        std::strerror(errno)));
  }
}
SharedFile::~SharedFile() { close(file_); }
std::string SharedFile::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }

void SharedFile::copy_to(std::ostream& out, uint64_t bytes) {
  std::vector<char> piece(std::min<uint64_t>(bytes, 1u << 20));
  while (bytes > 0) {
    const ssize_t got = pread(file_, piece.data(), std::min<uint64_t>(bytes, piece.size()),
                              static_cast<off_t>(read_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw CliError(kFailed, "the worker did not hand back all of the buffers");
    out.write(piece.data(), got);
    read_ += static_cast<uint64_t>(got);
    bytes -= static_cast<uint64_t>(got);
  }
}

}  // namespace tilescope::cli
