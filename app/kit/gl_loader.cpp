#include "app/kit/gl_loader.h"

#include <GLFW/glfw3.h>

namespace tilescope {

viz::gl::GetProc gl_loader() { return &glfwGetProcAddress; }
viz::gl::Dialect gl_dialect() { return viz::gl::Dialect::gl330; }

}  // namespace tilescope
