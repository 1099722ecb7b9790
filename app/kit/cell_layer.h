// The cell grids of scenes inside ImGui's draw list.
#pragma once
#include "app/panel.h"
#include "viz/scene/scene.h"

namespace tilescope::widgets {

/// Draws a grid whose scene begins at `origin` (screen pixels), under the draw list's clip. `id`
/// names it from frame to frame; grid and palette must live until the frame is rendered.
void draw_cells(AppContext& context, ImDrawList* draw, uint64_t id, const viz::CellGrid& grid,
                const viz::Palette& palette, ImVec2 origin);

}  // namespace tilescope::widgets
