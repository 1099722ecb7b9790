// A file in memory that the worker can write for as long as this is there: buffers are too large
// for messages.
#pragma once
#include <cstdint>
#include <ostream>
#include <string>

namespace tilescope::cli {

class SharedFile {
 public:
  SharedFile();
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  std::string path() const;
  /// Copies the next `bytes` that were written to it, by whomever, to `out`.
  void copy_to(std::ostream& out, uint64_t bytes);

 private:
  int file_;
  uint64_t read_ = 0;
};

}  // namespace tilescope::cli
