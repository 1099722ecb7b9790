// An open file of the system, closed with its owner.
#pragma once
#include <string>
#include <string_view>

namespace tilescope::files {

class Descriptor {
 public:
  Descriptor() = default;
  /// open(2), begun anew after a signal; the file is not handed to programs that are started.
  Descriptor(const std::string& path, int flags, unsigned mode = 0644);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  /// 0, or errno.
  int write_all(std::string_view bytes) const;
  /// From a byte on to the end, or until `limit` bytes are there. 0, or errno.
  int read_from(size_t offset, size_t limit, std::string& out) const;
  /// fsync; 0, or errno.
  int sync() const;
  /// A file system may tell only now that it had no room. 0, or errno.
  int close();

 private:
  int fd_ = -1;
};

}  // namespace tilescope::files
