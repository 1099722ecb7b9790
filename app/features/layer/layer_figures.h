// What is known of the chosen layer as figures with names: what lessons ask for.
#pragma once
#include <span>

#include "app/state/feature.h"

namespace tilescope {

std::span<const NamedFigure> layer_figures();

}  // namespace tilescope
