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

/// The hints, then these folders of a toolkit, as far as they exist.
std::vector<std::string> existing(const char* const* hints,
                                  std::initializer_list<const char*> of_toolkit) {
  std::vector<std::string> all, found;
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

std::vector<std::string> folders_of_hint(const std::string& hint) {
  namespace fs = std::filesystem;
  constexpr std::string_view kCache = "cache:";
  if (!hint.starts_with(kCache)) return {hint};
  std::vector<std::string> caches;
  std::error_code error;
  fs::path up = fs::read_symlink("/proc/self/exe", error);
  // Programs of a build lie one or two folders deep.
  for (int i = 0; i < 3 && up.has_relative_path(); ++i) {
    up = up.parent_path();
    caches.push_back((up / ".tilescope-cache").string());
  }
  const std::string xdg = environment("XDG_CACHE_HOME"), home = environment("HOME");
  if (!xdg.empty()) caches.push_back(xdg + "/tilescope");
  if (!home.empty()) caches.push_back(home + "/.cache/tilescope");
  for (std::string& cache : caches) cache += "/" + hint.substr(kCache.size());
  return caches;
}

std::vector<std::string> nvrtc_folders() { return existing(kNvrtcFolders, {"lib64", "lib"}); }
std::vector<std::string> cuda_tool_folders() { return existing(kCudaToolFolders, {"bin"}); }
std::vector<std::string> heuristics_folders() { return existing(kHeuristicsFolders, {}); }
std::vector<std::string> cuda_include_folders() {
  return existing(kCudaIncludeFolders, {"include"});
}

}  // namespace tilescope::worker
