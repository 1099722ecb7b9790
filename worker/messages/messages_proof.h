// A proof: an instruction's lane map compared with what the instruction does on a device.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilescope::worker {

/// One instruction on one device. JSON: field names are the names here; empty sentences are null.
struct Proof {
  std::string atom;       // PTX name
  std::string device;     // "NVIDIA H200", "emulator"
  std::string driver;     // "13.0"; of the emulator "emulator"
  std::string date;       // ISO
  bool ok = false;        // compared, and nothing was wrong
  uint64_t compared = 0;  // facts: this output comes of that input
  uint64_t wrong = 0;
  std::string first_wrong;  // which output, which input was expected and which was found
  double milliseconds = 0;  // all of it: making, compiling, running, comparing
  std::string unsupported;  // why the device, driver or emulator has no such instruction
  std::string failed;       // why nothing could be compared although it should be there
};

void to_json(nlohmann::json& j, const Proof& p);
void from_json(const nlohmann::json& j, Proof& p);

}  // namespace tilescope::worker
