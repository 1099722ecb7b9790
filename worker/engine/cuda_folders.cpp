#include "worker/engine/cuda_folders.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "tilescope_cuda_paths.h"
#include "worker/engine/shared_library.h"

namespace tilescope::worker {
namespace {

/// The folders of the program's, from its own outwards: programs of a build, a tree and a wheel lie
/// at most two folders deep.
std::vector<std::filesystem::path> program_folders() {
  std::error_code error;
  std::filesystem::path up = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::filesystem::path> folders;
  for (int i = 0; i < 3 && up.has_relative_path(); ++i) {
    up = up.parent_path();
    folders.push_back(up);
  }
  return folders;
}

/// What to look for: a kind of folder that NVIDIA's wheels have, and a file that it must hold.
struct Wanted {
  const char* folder;
  const char* file;
};

/// In wheels beside the program, at the hints, then in these folders of a toolkit, as far as they
/// exist.
std::vector<std::string> existing(const Wanted& wanted, const char* const* hints,
                                  std::initializer_list<const char*> of_toolkit) {
  std::vector<std::string> all, found;
  for (const auto& folder : program_folders()) {
    std::ranges::copy(folders_of_wheels(folder.string(), wanted.folder, wanted.file),
                      std::back_inserter(all));
  }
  for (; *hints; ++hints) std::ranges::copy(folders_of_hint(*hints), std::back_inserter(all));
  for (const std::string& root :
       {environment("CUDA_HOME"), environment("CUDA_PATH"), std::string("/usr/local/cuda")}) {
    if (root.empty()) continue;
    for (const char* folder : of_toolkit) all.push_back(root + "/" + folder);
  }
  for (std::string& folder : all) {
    std::error_code error;
    if (std::filesystem::is_directory(folder, error) &&
        std::ranges::find(found, folder) == found.end()) {
      found.push_back(std::move(folder));
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> folders_of_wheels(const std::string& site, const std::string& folder,
                                           const std::string& file) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator wheel(site + "/nvidia", error), end; !error && wheel != end;
       wheel.increment(error)) {
    const fs::path in = wheel->path() / folder;
    std::error_code none;
    for (fs::directory_iterator one(in, none); !none && one != end; one.increment(none)) {
      if (!one->path().filename().string().starts_with(file)) continue;
      found.push_back(in.string());
      break;
    }
  }
  std::ranges::sort(found);  // a folder's entries come in any order
  return found;
}

std::vector<std::string> folders_of_hint(const std::string& hint) {
  namespace fs = std::filesystem;
  constexpr std::string_view kCache = "cache:";
  if (!hint.starts_with(kCache)) return {hint};
  std::vector<std::string> caches;
  for (const fs::path& folder : program_folders()) {
    caches.push_back((folder / ".tilescope-cache").string());
  }
  const std::string xdg = environment("XDG_CACHE_HOME"), home = environment("HOME");
  if (!xdg.empty()) caches.push_back(xdg + "/tilescope");
  if (!home.empty()) caches.push_back(home + "/.cache/tilescope");
  for (std::string& cache : caches) cache += "/" + hint.substr(kCache.size());
  return caches;
}

std::vector<std::string> nvrtc_folders() {
  return existing({"lib", "libnvrtc.so"}, kNvrtcFolders, {"lib64", "lib"});
}
std::vector<std::string> cuda_tool_folders() {
  return existing({"bin", "nvdisasm"}, kCudaToolFolders, {"bin"});
}
std::vector<std::string> heuristics_folders() {
  return existing({"lib", "libnvMatmulHeuristics.so"}, kHeuristicsFolders, {});
}
std::vector<std::string> cuda_include_folders() {
  return existing({"include", "cuda_fp16.h"}, kCudaIncludeFolders, {"include"});
}
std::vector<std::string> cublas_folders() {
  constexpr const char* kNoHints[] = {nullptr};
  return existing({"lib", "libcublas"}, kNoHints, {});
}

}  // namespace tilescope::worker
