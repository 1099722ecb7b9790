// A folder for one run of something, removed at its end.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "core/files/cache_folder.h"

namespace tilescope::files {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string path = temporary_folder() + "/tilescope-XXXXXX";
    if (mkdtemp(path.data())) path_ = path;
  }
  ~ScratchFolder() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  /// Empty where none could be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tilescope::files
