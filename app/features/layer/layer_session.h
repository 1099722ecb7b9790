// The layer as the session keeps it.
#pragma once
#include "app/state/feature.h"

namespace tilescope {

/// Bears any object: unknown and wrong fields are passed over. A layer that cannot be is taken as
/// it is, as a tile is: the window says why.
extern const SessionPart kLayerSession;

}  // namespace tilescope
