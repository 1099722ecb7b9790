// How much memory the emulator may take. The limit is set for its whole process
// (worker/process/worker_roles.h), so that a kernel or a problem that is too large ends with a
// sentence and does not bring down the machine.
#pragma once
#include <cstdint>
#include <string>

#include "worker/messages/bounds.h"

namespace tilescope::worker {

/// Sets the limit while this object exists; 0 = no limit. There may be one at a time. It does
/// nothing in a process that was not bounded when it began.
class MemoryLimit {
 public:
  explicit MemoryLimit(uint64_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

/// The present limit in bytes; 0 = none.
uint64_t memory_allowed();

/// For matrices of which a call touches only a few tiles, so that their whole size must not count
/// against the limit.
void set_aside(uint64_t bytes);

/// "and it may take 2.0 GB; choose a smaller one, or allow more with --max-memory GB."
std::string memory_way_out(uint64_t allowed, const char* smaller);

/// Fails with exit code 3 unless this many bytes may be taken and are free on the host; `what`
/// needs them.
void require_memory(uint64_t bytes, const char* what, const char* way_out);
/// The same of the host alone.
void require_host_memory(uint64_t bytes, const char* what, const char* way_out);

}  // namespace tilescope::worker
