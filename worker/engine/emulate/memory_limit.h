// How much memory the emulator may take: its process is bounded from outside
// (worker/process/worker_roles), so that a kernel or a problem that is too large ends with a
// sentence and not with the machine.
#pragma once
#include <cstdint>
#include <string>

#include "worker/messages/bounds.h"

namespace tilescope::worker {

/// While it is there, a process that is bounded may take so many bytes; 0 = as many as it wants.
/// One at a time. In a process without a bound nothing changes.
class MemoryLimit {
 public:
  explicit MemoryLimit(uint64_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
};

/// Of the present limit; 0 = none.
uint64_t memory_allowed();

/// Matrices of which a call touches a few tiles alone: their size is no part of its share.
void set_aside(uint64_t bytes);

/// "and it may take 2.0 GB; choose a smaller one, or allow more with --max-memory GB."
std::string memory_way_out(uint64_t allowed, const char* smaller);

/// Fails with exit code 3 unless this many bytes may be taken and are free on the host; `what`
/// needs them.
void require_memory(uint64_t bytes, const char* what, const char* way_out);
/// The same of the host alone.
void require_host_memory(uint64_t bytes, const char* what, const char* way_out);

}  // namespace tilescope::worker
