// The sweep that finds out what the landscape lacks, and what of both is chosen.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace tilescope {

/// One tile that a sweep comes to.
struct SweepCell {
  enum class State : uint8_t { queued, running, done, failed };
  TileConfig tile;
  State state = State::queued;
  std::string error;  // of a failed one: one sentence
};

/// Tiles being measured one after the other, whatever the sliders do meanwhile.
struct Sweep {
  bool running = false;
  std::string kernel;
  TileConfig base;  // whose other parameters stay
  Problem problem;
  std::string device;
  std::vector<TileFieldId> axes;
  std::vector<SweepCell> cells;  // in their order
  int known = 0;                 // that needed no measuring: this text of the kernel was, before
  int illegal = 0;
  double seconds = 0;        // that the done ones took
  int not_kept = 0;          // measured, but not in the store
  std::string why_not_kept;  // of the first of them, one sentence
  std::string ended;         // why it ended before its last cell, or what came of it: one sentence
};

struct Sweeping {
  Sweep sweep;
  std::vector<TileFieldId> wanted;  // axes of a sweep that a panel asks for; empty: none
  bool stop_wanted = false;
};

/// By the names of tile parameters; those that the kernel lacks do not count.
struct TuneView {
  std::string across = "block_n", down = "block_m";
  std::string also;          // further ones, of which each cell shows the best: "stages,raster"
  std::string slider_curve;  // the slider that has its curve below it; empty: none
};

}  // namespace tilescope
