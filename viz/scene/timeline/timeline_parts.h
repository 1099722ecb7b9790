// The pieces of the Timeline scene.
#pragma once
#include "viz/scene/builder.h"
#include "viz/scene/timeline/timeline_scene.h"

namespace tilescope::viz {

constexpr float kPad = 8, kLabels = 54;  // left and right; the warps' names

/// Where the playhead stands on the axis.
double playhead_of(const TimelineState& s);

/// The playhead, the gaps of the recording, where slices begin, and the names of it all in one line
/// below the rows.
void draw_axis(SceneBuilder& b, const TimelineState& s, const TimelineView& v);

}  // namespace tilescope::viz
