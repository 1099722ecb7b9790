// How ranks of a layer look in all its pictures: rank 0 plain, rank 1 hatched, further ones in
// colours of the palette, every other one hatched. What all ranks have is drawn in bands of each.
#pragma once
#include <initializer_list>
#include <string_view>

#include "viz/scene/builder.h"

namespace tilescope::viz {

Color rank_color(const Palette& palette, int rank);
bool rank_hatched(int rank);

/// `strength`: of the colour over the panel's ground.
void rank_rect(SceneBuilder& b, Box box, int rank, float strength = 0.45f);
/// What `ranks` ranks all have.
void shared_rect(SceneBuilder& b, Box box, int ranks);

/// Whether a text on a plate fits into a box.
bool plate_fits(const SceneBuilder& b, Box box, std::string_view text);
/// The longest of the choices that fits into the box, on a plate of the panel's colour; false: none
/// does.
bool plate(SceneBuilder& b, Box box, std::initializer_list<std::string_view> choices);

}  // namespace tilescope::viz
