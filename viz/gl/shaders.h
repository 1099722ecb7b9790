// The texts of shaders/, embedded when this was built: no version line, see cell_renderer.cpp.
#pragma once

namespace tilescope::viz::gl {

extern const char kCellsVert[];
extern const char kCellsFrag[];

}  // namespace tilescope::viz::gl
