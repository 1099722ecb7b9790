// A folder of kernels, which a test writes and the window looks at.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tilescope {

class KernelFolder {
 public:
  KernelFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "tilescope_kernels_XXXXXX").string();
    path_ = mkdtemp(name.data());
    write("01_naive.cuh", "one");
    write("common/info.h", "two");
  }
  ~KernelFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  KernelFolder(const KernelFolder&) = delete;
  KernelFolder& operator=(const KernelFolder&) = delete;
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::trunc) << text;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tilescope
