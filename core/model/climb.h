// Looks for a fast tile by measuring few of them (hill climbing): moves one slider by one notch,
// keeps the new tile if it is faster, and goes on until no such step helps.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/model/nearest_legal.h"

namespace tilescope::model {

/// TFLOPS of a legal tile; nothing where it could not be measured.
using Speed = std::function<std::optional<double>(const TileConfig&)>;

/// A tile that differs by one notch of one slider, and of further ones where that alone is illegal.
struct Neighbour {
  TileConfig tile;
  std::string label;  // what changes: "4 stages", "block N 256, warp N 64"
};
/// The neighbour one notch of `slider` up (`direction` 1) or down (−1). Where that tile is illegal,
/// as few other sliders as possible are moved along. Nothing at the end of the slider, or if no
/// moves make the tile legal.
std::optional<Neighbour> neighbour(const Validate& validate, const Sliders& sliders,
                                   const TileConfig& from, const Slider& slider, int direction,
                                   const Problem& problem, const DeviceLimits& device);

/// Goes from `from`, which must be legal, to faster neighbours until none is faster, or until
/// `speed` was asked for `most` tiles. `others`, legal ones, are measured after `from`, and the
/// fastest of all of them is where it goes from. Returns the fastest tile; `from` itself if none
/// could be measured.
TileConfig climb(const Validate& validate, const Sliders& sliders, const TileConfig& from,
                 const Problem& problem, const DeviceLimits& device, int most, const Speed& speed,
                 std::span<const TileConfig> others = {});

}  // namespace tilescope::model
