// The pieces of the Timeline scene.
#pragma once
#include "viz/scene/builder.h"
#include "viz/scene/timeline/timeline_scene.h"

namespace tilescope::viz {

constexpr float kPad = 8, kLabels = 54;  // left and right; the warps' names

/// The playhead, the gaps of the recording, where slices begin, and the names of it all in one line
/// below the rows.
void draw_axis(SceneBuilder& b, const TimelineState& s, const TimelineView& v);

}  // namespace tilescope::viz
