// A launch of any PTX: what the emulator needs of a kernel that has no plan.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/sheet/launch_sheet.h"

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
    bool operator==(const Extent&) const = default;
  };
  std::string ptx, entry;
  Extent grid, block;
  uint32_t shared_bytes = 0;
  std::vector<std::byte> parameters;  // the parameter block
  std::vector<LaunchBuffer> buffers;
  std::string contents;  // a file with the contents of the `given` buffers, one after the other
  /// In place of all of these but the PTX: buffers are then made and filled where the kernel runs,
  /// from the SPECs, whose files must be named so that they are found there.
  std::optional<sheet::LaunchSheet> sheet = {};
  std::vector<std::string> names = {};  // of the arguments; those without are "argument 2"
  uint64_t seed = 1;                    // of what is random
  /// The source file whose lines are told: a path, whose last part is the name that the PTX has;
  /// empty: lines are those of whichever file an instruction is of.
  std::string source = {};
  int sums_of = 0;             // of products, as emulator::RunOptions has it; 0: IEEE f32
  Extent cluster = {0, 0, 0};  // CTAs of a cluster; 0: as the kernel says
};

void to_json(nlohmann::json& j, const LaunchRequest& l);
/// Throws std::exception of nlohmann or std::invalid_argument.
void from_json(const nlohmann::json& j, LaunchRequest& l);

}  // namespace tilescope::worker
