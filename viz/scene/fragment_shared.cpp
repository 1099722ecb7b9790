#include "viz/scene/fragment_parts.h"
namespace tilescope::viz {
void draw_shared_tab(SceneBuilder&, const FragmentContext&, Size) {}
}  // namespace tilescope::viz
