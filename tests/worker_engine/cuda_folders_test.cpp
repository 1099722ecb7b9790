// Where NVIDIA's files are looked for: nothing of the machine that built this is named.
#include "worker/engine/cuda_folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine_support.h"

namespace tilescope::worker {
namespace {

/// Of the environment, for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_.empty()) {
      unsetenv(name_);
    } else {
      setenv(name_, before_.c_str(), 1);
    }
  }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

TEST(CudaFolders, AHintOfTheCacheIsLookedForInTheUsersOwn) {
  const Variable xdg("XDG_CACHE_HOME", "/xdg"), home("HOME", "/home-of-nobody");
  const auto all = folders_of_hint("cache:wheels/lib");
  ASSERT_GE(all.size(), 3u);
  EXPECT_EQ(all[all.size() - 2], "/xdg/tilescope/wheels/lib");
  EXPECT_EQ(all.back(), "/home-of-nobody/.cache/tilescope/wheels/lib");
  EXPECT_TRUE(all[0].ends_with("/.tilescope-cache/wheels/lib")) << all[0];
  EXPECT_EQ(folders_of_hint("/usr/local/cuda"), (std::vector<std::string>{"/usr/local/cuda"}));
}

TEST(CudaFolders, WheelsBesideTheProgramAreFoundByWhatTheyHold) {
  namespace fs = std::filesystem;
  const TemporaryFolder site;
  for (const char* file : {"cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12",
                           "cudnn/lib/libcudnn.so.9", "cu13/include/cuda_fp16.h"}) {
    const fs::path path = fs::path(site.path()) / "nvidia" / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "";
  }
  const std::string nvidia = site.path() + "/nvidia/";
  EXPECT_EQ(folders_of_wheels(site.path(), "lib", "libnvrtc.so"),
            (std::vector<std::string>{nvidia + "cu13/lib", nvidia + "cuda_nvrtc/lib"}));
  EXPECT_EQ(folders_of_wheels(site.path(), "include", "cuda_fp16.h"),
            (std::vector<std::string>{nvidia + "cu13/include"}));
  EXPECT_TRUE(folders_of_wheels(site.path(), "bin", "nvdisasm").empty());
  EXPECT_TRUE(folders_of_wheels(site.path() + "/none", "lib", "libnvrtc.so").empty());
}

TEST(CudaFolders, AToolkitOfTheEnvironmentIsFoundAndWhatIsNotThereIsLeftOut) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() + "/lib64");
  std::filesystem::create_directories(folder.path() + "/include");
  const Variable toolkit("CUDA_PATH", folder.path()), none("CUDA_HOME", "/nowhere");
  const auto libraries = nvrtc_folders(), headers = cuda_include_folders();
  EXPECT_NE(std::ranges::find(libraries, folder.path() + "/lib64"), libraries.end());
  EXPECT_NE(std::ranges::find(headers, folder.path() + "/include"), headers.end());
  for (const auto& all : {libraries, headers, cuda_tool_folders(), heuristics_folders()}) {
    for (const std::string& one : all) EXPECT_TRUE(std::filesystem::is_directory(one)) << one;
  }
}

}  // namespace
}  // namespace tilescope::worker
