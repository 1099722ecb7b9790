// How accumulators become C.
#pragma once
#include "core/layout/fragment.h"
#include "core/layout/mapping.h"

namespace tilescope {

enum class EpilogueKind : int {
  direct,  // each thread stores its own accumulators
  shared,  // through a tile of C in shared memory, then as `map` says
  boxes,   // each warp through buffers of its own in shared memory, which it sends on as boxes
};

struct Epilogue {
  EpilogueKind kind = EpilogueKind::direct;
  int width = 1;  // elements of C per store
  int atoms = 1;  // neighbours along n stored at once; of two, lanes first exchange accumulators
  FragmentLayout exchanged = {};  // of two atoms: who holds what after that exchange
  CopyMap map;                    // of EpilogueKind::shared: who stores what of the block tile;
                                  // of EpilogueKind::boxes: what of it is a box
  bool bias_ahead = false;        // what a thread adds is loaded once, before its first store
  bool overlaps_next = false;     // the next work item's first copies are issued before C is stored

  constexpr bool operator==(const Epilogue&) const = default;
};

}  // namespace tilescope
