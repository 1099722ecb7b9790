#pragma once
#include <memory>
#include <string>
#include <vector>

#include "emulator/emulator.h"
#include "emulator/machine/context.h"

namespace tilescope::emulator {

struct AlignedDelete {
  uint64_t mapped = 0;  // bytes, if mapped rather than allocated
  void operator()(std::byte* p) const;
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;
/// Zero-filled, 512-byte aligned, with room for at least one byte.
AlignedBytes allocate_bytes(uint64_t bytes);

struct Memory::Impl {
  struct Buffer {
    std::string name;
    AlignedBytes data;
    uint64_t bytes = 0;
    bool read_only = false;
    bool unwritten = false;  // its content before the run means nothing
  };
  std::vector<Buffer> buffers;
};

}  // namespace tilescope::emulator
