// Compiled kernels on disk, found by content. Safe with any number of processes: an entry appears
// whole (write aside, fsync, rename, fsync the folder) or not at all, and a damaged one counts as
// missing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::worker {

class DiskCache {
 public:
  /// `folder` is made when first written to. An empty one caches nothing.
  explicit DiskCache(std::string folder) : folder_(std::move(folder)) {}
  /// ${XDG_CACHE_HOME:-~/.cache}/tilescope/cubin; empty if there is no home either.
  static std::string default_folder();

  struct Entry {
    std::string header;  // JSON
    std::string ptx;
    std::vector<std::byte> cubin;
  };
  std::optional<Entry> find(const std::string& key) const;
  /// False if it could not be written: caching is a convenience, so nothing is reported.
  bool store(const std::string& key, const Entry& entry) const;
  /// Removes the entries used longest ago until at most `bytes` are left.
  void prune(uint64_t bytes) const;
  std::string path(const std::string& key) const;

 private:
  std::string folder_;
};

}  // namespace tilescope::worker
