// What of the Tiling panel is chosen.
#pragma once

namespace tilescope {

struct TilingView {
  bool side_by_side = true;  // all levels, instead of one at a time
};

}  // namespace tilescope
