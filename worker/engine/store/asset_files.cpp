#include "worker/engine/store/asset_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace tilescope::worker {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProofs = "proofs-";  // how their files' names begin

}  // namespace

std::vector<std::string> recording_folders() {
  std::vector<std::string> folders;
  if (const char* named = std::getenv("TILESCOPE_RECORDINGS")) folders.push_back(named);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  folders.push_back((program / "../share/tilescope/recordings").string());
  for (fs::path up = program; up.has_relative_path(); up = up.parent_path()) {
    folders.push_back((up / "assets/recordings").string());
  }
  return folders;
}

std::vector<AssetFile> asset_files(const std::vector<std::string>& folders) {
  std::vector<AssetFile> files;
  std::vector<fs::path> seen;
  int place = 0;
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (error || std::ranges::find(seen, real) != seen.end()) continue;
    seen.push_back(real);
    const size_t first = files.size();
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const fs::path& path = it->path();
      if (path.extension() != ".jsonl" && path.extension() != ".json") continue;
      // A pipe would be waited for.
      if (std::error_code none; !it->is_regular_file(none)) continue;
      files.push_back({path.string(), place, path.filename().string().starts_with(kProofs)});
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end(),
              [](const AssetFile& a, const AssetFile& b) { return a.path < b.path; });
    ++place;
  }
  return files;
}

std::string fingerprint(const std::vector<AssetFile>& files) {
  std::string text;
  for (const AssetFile& file : files) {
    std::error_code error;
    const auto time =
        static_cast<long long>(fs::last_write_time(file.path, error).time_since_epoch().count());
    text += file.path + ' ' + std::to_string(fs::file_size(file.path, error)) + ' ' +
            std::to_string(time) + '\n';
  }
  return text;
}

}  // namespace tilescope::worker
