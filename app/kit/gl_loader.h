// Which OpenGL the window has, and where its functions are.
#pragma once
#include "viz/gl/cell_renderer.h"

namespace tilescope {

viz::gl::GetProc gl_loader();
viz::gl::Dialect gl_dialect();

}  // namespace tilescope
