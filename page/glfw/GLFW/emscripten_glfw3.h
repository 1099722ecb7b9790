// What Hello ImGui asks of a newer GLFW port than emscripten 3.1.6 has: the page itself does both
// (page/site/page.js).
#pragma once
#include <GLFW/glfw3.h>
#ifndef GLFW_SCALE_FRAMEBUFFER
#define GLFW_SCALE_FRAMEBUFFER 0x0002200D
#endif

inline int emscripten_glfw_set_next_window_canvas_selector(const char*) { return 1; }
inline int emscripten_glfw_make_canvas_resizable(GLFWwindow*, const char*, const char*) {
  return 1;
}

// Of GLFW 3.3, which emscripten's is older than. The canvas is the monitor, in its own pixels.
inline void glfwGetMonitorWorkarea(GLFWmonitor* monitor, int* x, int* y, int* width, int* height) {
  const GLFWvidmode* const mode = glfwGetVideoMode(monitor);
  *x = *y = 0;
  *width = mode ? mode->width : 1280;
  *height = mode ? mode->height : 800;
}
inline void glfwGetWindowContentScale(GLFWwindow*, float* x, float* y) { *x = *y = 1; }
