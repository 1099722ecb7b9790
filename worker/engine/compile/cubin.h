// What a cubin says of its kernel, read from the file: no GPU, driver or ptxas log is needed.
#pragma once
#include <cstddef>
#include <optional>
#include <span>

namespace tilescope::worker {

struct CubinInfo {
  int registers = 0;    // a thread
  int local_bytes = 0;  // stack frame a thread: spilled registers and arrays that did not fold
};

/// Of the only kernel in the cubin (the largest figures if there are several); nothing if the bytes
/// are not such a file.
std::optional<CubinInfo> read_cubin(std::span<const std::byte> cubin);

}  // namespace tilescope::worker
