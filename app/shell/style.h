// Turns a Theme into ImGui's and ImPlot's style, and back into sizes for panels.
#pragma once
#include "app/theme.h"

namespace tilescope {

/// Colours alone: may be called at any time, the scale of sizes stays.
void apply_theme_colors(const Theme& theme);

/// Sizes at scale 1; Hello ImGui scales them once it knows the display.
void apply_style_sizes();
/// The same for a window that is open: text, widgets and `AppContext::scale`.
void apply_scale(float scale, const Theme& theme);

/// The denser widgets inside panels (20 px high; bars and tabs are 24).
class PanelStyle {
 public:
  PanelStyle();
  ~PanelStyle();
  PanelStyle(const PanelStyle&) = delete;
  PanelStyle& operator=(const PanelStyle&) = delete;
};

}  // namespace tilescope
