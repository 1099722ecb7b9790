#include "app/shell/display.h"

#include <GLFW/glfw3.h>

#include <cstdlib>

namespace tilescope {

bool check_display(std::string* error) {
  glfwSetErrorCallback([](int, const char*) {});  // said below, in one sentence
  const bool display = glfwInit() == GLFW_TRUE;
  GLFWwindow* window = nullptr;
  if (display) {
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    window = glfwCreateWindow(16, 16, "tilescope", nullptr, nullptr);
  }
  const char* reason = nullptr;
  glfwGetError(&reason);
  if (window) {
    glfwDestroyWindow(window);
    glfwDefaultWindowHints();
    return true;
  }
  const char* name = std::getenv("DISPLAY");
  if (!display) {
    *error = name && *name
                 ? "the display " + std::string(name) +
                       " cannot be opened; check DISPLAY, or run "
                       "under xvfb-run, or use tilescope-cli, which needs none"
                 : "there is no display (DISPLAY is not set); log in to a desktop, run under "
                   "xvfb-run, or use tilescope-cli, which needs none";
  } else {
    *error = "this display offers no OpenGL 3.3 (" +
             std::string(reason ? reason : "no reason given") +
             "); install a driver or libgl1-mesa-dri, or use tilescope-cli, which needs none";
  }
  return false;
}

}  // namespace tilescope
