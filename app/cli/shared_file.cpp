#include "app/cli/shared_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "app/cli/cli_error.h"
#include "core/files/descriptor.h"

namespace tilescope::cli {

SharedFile::SharedFile() {
  if (!folder_.path().empty()) return;
  throw CliError(kFailed,
                 "there is no folder to hand the buffers to the worker in; set TMPDIR to one that "
                 "can be written");
}

void SharedFile::copy_to(std::ostream& out, uint64_t bytes) {
  const files::Descriptor file(path(), O_RDONLY);
  std::vector<char> piece(std::min<uint64_t>(bytes, 1u << 20));
  while (bytes > 0) {
    const ssize_t got = pread(file.get(), piece.data(), std::min<uint64_t>(bytes, piece.size()),
                              static_cast<off_t>(read_));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw CliError(kFailed, "the worker did not hand back all of the buffers");
    out.write(piece.data(), got);
    read_ += static_cast<uint64_t>(got);
    bytes -= static_cast<uint64_t>(got);
  }
}

}  // namespace tilescope::cli
