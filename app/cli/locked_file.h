// Files that several processes work on: one at a time, or each at its own.
#pragma once
#include <optional>
#include <string>

namespace tilescope::cli {

/// An open file with a lock (flock) that goes with this object, or with this process, however it
/// ends. On Linux this holds on NFS, too.
class LockedFile {
 public:
  enum class Lock {
    alone,          // waits until nobody else has it
    alone_or_none,  // does not wait
    shared,         // as others with `shared`; does not wait
  };
  /// Opens the file for reading and appending, makes it if need be. Nothing if somebody has it.
  /// Throws CliError (exit code 2): it cannot be written, or its folder knows no locks (`shared`
  /// does without them). `flag`: "--out", for the sentence.
  static std::optional<LockedFile> open(const std::string& flag, const std::string& path,
                                        Lock lock);
  ~LockedFile();
  LockedFile(LockedFile&& other) noexcept;
  LockedFile& operator=(LockedFile&& other) noexcept;

  const std::string& path() const { return path_; }
  /// What is there from a byte on.
  std::string read_from(size_t offset) const;
  /// Puts a line at the end, on a line of its own even if the last one was cut short by a kill.
  /// Throws CliError (exit code 4) if the disk does not take it.
  void append_line(const std::string& line);
  void clear();

 private:
  LockedFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_ = -1;
  std::string path_;
};

/// True if the file is there and a process holds it.
bool is_held(const std::string& path);

/// Takes the place of the file at once and for good: written beside it, synced, renamed. Throws
/// CliError (exit code 4); the file is as it was then.
void replace_file(const std::string& path, const std::string& text);

}  // namespace tilescope::cli
