// Keeps standard input and output for the protocol: moves them from descriptors 0 and 1 to others,
// so that nothing that reads or prints by accident (a kernel's printf) can disturb it.
#pragma once
#include <thread>

namespace tilescope::worker {

struct ProtocolFds {
  int in = -1, out = -1;
};
/// Afterwards 0 is /dev/null and 1 is standard error.
ProtocolFds take_stdio();

/// libuv waits for pipes and sockets only; a file or terminal is pumped through one by a thread.
class PipedFds {
 public:
  explicit PipedFds(ProtocolFds fds);
  /// Waits until all output has been written.
  ~PipedFds();
  PipedFds(const PipedFds&) = delete;
  PipedFds& operator=(const PipedFds&) = delete;
  ProtocolFds fds() const { return fds_; }

 private:
  ProtocolFds fds_;
  std::thread output_;
};

}  // namespace tilescope::worker
