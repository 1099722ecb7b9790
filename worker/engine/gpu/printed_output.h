// What a kernel prints on a card: the driver writes it to this process's standard output.
#pragma once
#include <cstddef>
#include <string>

namespace tilescope::worker {

/// Keeps what is written to standard output while it lives; there may be one at a time. The worker
/// speaks its protocol elsewhere (worker/protocol/stdio.h).
class PrintedOutput {
 public:
  PrintedOutput();
  ~PrintedOutput();
  PrintedOutput(const PrintedOutput&) = delete;
  PrintedOutput& operator=(const PrintedOutput&) = delete;

  /// What has come so far; of more than kMost bytes the first, and how many there were.
  std::string text() const;
  /// What comes from here on is thrown away.
  void ignore();
  static constexpr size_t kMost = 64u << 10;

 private:
  int before_ = -1;  // the descriptor that standard output is
  int kept_ = -1;    // a file in memory
};

}  // namespace tilescope::worker
