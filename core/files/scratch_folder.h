// A folder for one run of something, removed at its end.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace tilescope::files {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
    std::string path = (temporary / "tilescope-XXXXXX").string();
    if (!error && mkdtemp(path.data())) path_ = path;
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
