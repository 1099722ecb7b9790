// Where the docks of each layout are.
#pragma once
#include <hello_imgui/hello_imgui.h>

#include <functional>
#include <string>
#include <vector>

#include "app/common/layout_names.h"
#include "app/panel.h"

namespace tilescope {

/// All layouts in the order of kLayouts, for a window of this size at scale 1. `draw` is called
/// inside each panel's window.
std::vector<HelloImGui::DockingParams> make_layouts(float width, float height,
                                                    const std::function<void(const Panel&)>& draw);

/// The splits of one layout (its title) for a window of this size at scale 1: ratios that give the
/// side columns their width in pixels.
std::vector<HelloImGui::DockingSplit> splits_for(const std::string& layout, float width,
                                                 float height);

/// Makes the middle dock one like the others. ImGui's central node stays open when it is empty, and
/// takes all that a larger window gains and all that a smaller one loses.
void share_middle();

/// Does a fresh `layout` (its title) show this panel?
bool is_home(const std::string& layout, const Panel& panel);

}  // namespace tilescope
