// The frame around a panel's own drawing.
#pragma once
#include "app/panel.h"

namespace tilescope {

/// Inside the panel's docked window.
void draw_panel(const Panel& panel, AppContext& context);

/// `--panel`: the panel alone fills the picture.
void draw_lone_panel(const Panel& panel, AppContext& context);

/// Clears what is bound for drawing.
void clear_background(const ImVec4& color);

}  // namespace tilescope
