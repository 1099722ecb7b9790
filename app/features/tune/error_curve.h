// How wrong C becomes along a slider that moves sums from tensor cores to registers.
#pragma once
#include "app/features/tune/landscape.h"
#include "viz/scene/curve_scene.h"

namespace tilescope {

/// In parts per million of C's norm: as usual for each value, and of the present one what was
/// found. No points: the values do not differ.
viz::CurveState error_picture(const AppState& state, const Landscape& line);
std::string error_words(const AppState& state, const Landscape& line, size_t index);

}  // namespace tilescope
