#include "worker/engine/compile/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "core/files/cache_folder.h"
#include "core/files/whole_file.h"
#include "worker/engine/compile/hash.h"

namespace tilescope::worker {
namespace {

namespace fs = std::filesystem;

// magic, checksum of the rest (32 hex digits), three sizes of 8 bytes, the three parts
constexpr std::string_view kMagic = "tilescope cubin 1\n";
constexpr size_t kChecksum = 32;

std::string encode(const DiskCache::Entry& entry) {
  const std::string_view cubin(reinterpret_cast<const char*>(entry.cubin.data()),
                               entry.cubin.size());
  std::string body;
  for (const uint64_t size : {entry.header.size(), entry.ptx.size(), cubin.size()}) {
    char bytes[8];
    std::memcpy(bytes, &size, sizeof size);
    body.append(bytes, sizeof bytes);
  }
  body.append(entry.header).append(entry.ptx).append(cubin);
  return std::string(kMagic) + Hash().add(body).hex() + body;
}

std::optional<DiskCache::Entry> decode(std::string_view file) {
  if (!file.starts_with(kMagic) || file.size() < kMagic.size() + kChecksum + 24)
    return std::nullopt;
  const std::string_view checksum = file.substr(kMagic.size(), kChecksum);
  std::string_view body = file.substr(kMagic.size() + kChecksum);
  if (Hash().add(body).hex() != checksum) return std::nullopt;
  uint64_t size[3];
  std::memcpy(size, body.data(), sizeof size);
  body = body.substr(sizeof size);
  std::string_view part[3];
  for (int i = 0; i < 3; ++i) {
    if (size[i] > body.size()) return std::nullopt;
    part[i] = body.substr(0, size[i]);
    body = body.substr(size[i]);
  }
  const auto* cubin = reinterpret_cast<const std::byte*>(part[2].data());
  return DiskCache::Entry{
      std::string(part[0]), std::string(part[1]), {cubin, cubin + part[2].size()}};
}

}  // namespace

std::string DiskCache::default_folder() {
  const std::string base = files::cache_folder();
  return base.empty() ? "" : base + "/cubin";
}

std::string DiskCache::path(const std::string& key) const { return folder_ + "/" + key + ".bin"; }

std::optional<DiskCache::Entry> DiskCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const auto text = files::read_file(path(key));
  std::optional<Entry> entry = text ? decode(*text) : std::nullopt;
  if (entry) utimensat(AT_FDCWD, path(key).c_str(), nullptr, 0);  // used now: prune() goes by age
  return entry;
}

bool DiskCache::store(const std::string& key, const Entry& entry) const {
  if (folder_.empty()) return false;
  std::error_code error;
  fs::create_directories(folder_, error);
  return files::replace_file(path(key), encode(entry)).empty();
}

void DiskCache::prune(uint64_t bytes) const {
  struct File {
    fs::path path;
    fs::file_time_type time;
    uint64_t size;
  };
  std::vector<File> files;
  uint64_t total = 0;
  std::error_code error;
  for (const auto& item : fs::directory_iterator(folder_, error)) {
    std::error_code gone;  // another process may prune too
    const auto time = item.last_write_time(gone);
    const auto size = item.file_size(gone);
    if (gone) continue;
    files.push_back({item.path(), time, size});
    total += size;
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.time < b.time; });
  for (const File& file : files) {
    if (total <= bytes) break;
    std::error_code ignored;
    fs::remove(file.path, ignored);
    total -= file.size;
  }
}

}  // namespace tilescope::worker
