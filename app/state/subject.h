// What is looked at: a rung of the ladder with its tile, or a kernel of one's own with the sheet
// that says how it is launched.
#pragma once
#include <string>
#include <variant>

#include "core/layout/tile_config.h"

namespace tilescope {

struct Rung {
  std::string kernel;  // id in the ladder
  TileConfig tile;
  bool operator==(const Rung&) const = default;
};

struct OwnKernel {
  std::string file;   // absolute path of a .cu or .ptx
  std::string sheet;  // how it is launched, as JSON; empty: not known yet
  bool operator==(const OwnKernel&) const = default;
};

/// "sgemm.cu", as it is called on screen.
std::string name_of(const OwnKernel& kernel);

using Subject = std::variant<Rung, OwnKernel>;

}  // namespace tilescope
