// A launch of any PTX: what the emulator needs of a kernel that has no plan.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tilescope::worker {

/// Buffers get their addresses by their order alone (emulator::Memory), so that the parameters can
/// be made before the memory is there.
struct LaunchBuffer {
  std::string name;
  uint64_t bytes = 0;
  bool read_only = false;
  bool given = false;  // it has contents; else it is zero, and the kernel is to write it first
};
struct LaunchRequest {
  struct Extent {
    uint32_t x = 1, y = 1, z = 1;
  };
  std::string ptx, entry;
  Extent grid, block;
  uint32_t shared_bytes = 0;
  std::vector<std::byte> parameters;  // the parameter block
  std::vector<LaunchBuffer> buffers;
  std::string contents;  // a file with the contents of the `given` buffers, one after the other
};

void to_json(nlohmann::json& j, const LaunchRequest& l);
/// Throws std::exception of nlohmann or std::invalid_argument.
void from_json(const nlohmann::json& j, LaunchRequest& l);

}  // namespace tilescope::worker
