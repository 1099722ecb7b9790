// A file that the worker can write for as long as this is there: buffers are too large for
// messages. It lies in a folder for temporary files, the only one that an emulator's process may
// write into (worker/process/child_fence.cpp).
#pragma once
#include <cstdint>
#include <ostream>
#include <string>

#include "core/files/scratch_folder.h"

namespace tilescope::cli {

class SharedFile {
 public:
  /// Throws CliError where there is no room for one.
  SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  std::string path() const { return folder_.path() + "/buffers"; }
  /// Copies the next `bytes` that were written to it, by whomever, to `out`.
  void copy_to(std::ostream& out, uint64_t bytes);

 private:
  files::ScratchFolder folder_;
  uint64_t read_ = 0;
};

}  // namespace tilescope::cli
