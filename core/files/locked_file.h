// Files that several processes work on: one at a time, or each at its own.
#pragma once
#include <optional>
#include <string>

#include "core/files/descriptor.h"

namespace tilescope::files {

/// An open file with a lock (flock) that goes with this object, or with this process, however it
/// ends. On Linux this holds on NFS, too.
class LockedFile {
 public:
  enum class Lock {
    alone,          // waits until nobody else has it
    alone_or_none,  // does not wait
    shared,         // as others with `shared`; does not wait
    shared_in_turn  // as others with `shared`; waits while somebody has it alone
  };
  /// Opens the file for reading and appending, makes it if need be. Nothing if somebody has it, or
  /// if it cannot be had at all: then `why_not` gets a sentence, else it stays empty. A folder that
  /// knows no locks does for the shared ones.
  static std::optional<LockedFile> open(const std::string& path, Lock lock, std::string* why_not);

  const std::string& path() const { return path_; }
  /// What is there from a byte on.
  std::string read_from(size_t offset) const;
  /// Puts a line at the end by one write, on a line of its own even if the last one was cut short
  /// by a kill. Empty, or the system's words for why the disk does not take it.
  std::string append_line(const std::string& line) const;
  /// Empty, or the system's words.
  std::string clear() const;

 private:
  LockedFile(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  Descriptor file_;
  std::string path_;
};

/// True if the file is there and a process holds it.
bool is_held(const std::string& path);

}  // namespace tilescope::files
