// What of the Live benchmark is chosen.
#pragma once

namespace tilescope {

struct BenchmarkView {
  int tab = 0;                 // history, best tiles
  bool rank_modelled = false;  // best tiles: with those that were only modelled
};

}  // namespace tilescope
