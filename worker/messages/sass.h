// The machine code of a kernel as text, each line with where it came from.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tilescope::worker {

struct SassLine {
  std::string text;    // "0210      @!P0 BRA .L_x_0", ".L_x_0:"
  int line = 0;        // of the kernel's .cuh (innermost line in that file); 0 = none
  int ptx_line = 0;    // 0 = none
  bool spill = false;  // a register goes to local memory, or comes back
  bool operator==(const SassLine&) const = default;
};
struct SassListing {
  std::string arch, tool;              // "sm_90", "nvdisasm 13.2"
  int registers = 0, spill_bytes = 0;  // per thread
  int instructions = 0;
  std::vector<SassLine> lines;
};

void to_json(nlohmann::json& j, const SassListing& s);
void from_json(const nlohmann::json& j, SassListing& s);

}  // namespace tilescope::worker
