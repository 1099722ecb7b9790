#include "worker/engine/compile/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "worker/engine/compile/hash.h"
#include "worker/engine/shared_library.h"

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

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.substr(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

std::string DiskCache::default_folder() {
  std::string base = environment("XDG_CACHE_HOME");
  if (base.empty()) {
    base = environment("HOME");
    if (base.empty()) return {};
    base += "/.cache";
  }
  return base + "/tilescope/cubin";
}

std::string DiskCache::path(const std::string& key) const { return folder_ + "/" + key + ".bin"; }

std::optional<DiskCache::Entry> DiskCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream in(path(key), std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  std::optional<Entry> entry = decode(text.str());
  if (entry) utimensat(AT_FDCWD, path(key).c_str(), nullptr, 0);  // used now: prune() goes by age
  return entry;
}

bool DiskCache::store(const std::string& key, const Entry& entry) const {
  if (folder_.empty()) return false;
  std::error_code error;
  fs::create_directories(folder_, error);
  static std::atomic<unsigned> counter = 0;
  const std::string aside =
      path(key) + "." + std::to_string(getpid()) + "." + std::to_string(counter++) + ".tmp";
  const int fd = open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  bool ok = write_all(fd, encode(entry)) && fsync(fd) == 0;
  ok = close(fd) == 0 && ok;
  ok = ok && rename(aside.c_str(), path(key).c_str()) == 0;
  if (!ok) {
    unlink(aside.c_str());
    return false;
  }
  const int folder = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
  return true;
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
