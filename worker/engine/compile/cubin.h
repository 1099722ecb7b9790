// What a cubin says of its kernel, read from the file: no GPU, driver or ptxas log is needed.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace tilescope::worker {

struct CubinInfo {
  int registers = 0;    // per thread
  int local_bytes = 0;  // stack frame per thread: spilled registers and arrays that did not fold
};

/// Of the kernel `entry`, if the cubin has one of this name beside others; else the largest figures
/// of all that it has. Nothing if the bytes are not such a file.
std::optional<CubinInfo> read_cubin(std::span<const std::byte> cubin, std::string_view entry = {});

}  // namespace tilescope::worker
