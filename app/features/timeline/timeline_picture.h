// The Timeline's picture.
#pragma once
#include "app/state/playback.h"
#include "viz/scene/timeline/timeline_scene.h"

namespace tilescope {

viz::TimelineState timeline_picture(const AppState& state, const Moment& moment);

}  // namespace tilescope
