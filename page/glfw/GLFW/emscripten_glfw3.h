// What Hello ImGui asks of a newer GLFW port than emscripten 3.1.6 has: the page itself does both
// (page/site/page.js).
#pragma once
#include <GLFW/glfw3.h>
#include <emscripten/html5.h>
#ifndef GLFW_SCALE_FRAMEBUFFER
#define GLFW_SCALE_FRAMEBUFFER 0x0002200D
#endif

inline int emscripten_glfw_set_next_window_canvas_selector(const char*) { return 1; }
inline int emscripten_glfw_make_canvas_resizable(GLFWwindow*, const char*, const char*) {
  return 1;
}

// Of GLFW 3.3, which emscripten's is older than. The canvas is the monitor, in its own pixels: a
// window that were larger than its monitor would be made smaller.
inline void glfwGetMonitorWorkarea(GLFWmonitor*, int* x, int* y, int* width, int* height) {
  *x = *y = 0;
  emscripten_get_canvas_element_size("#canvas", width, height);
}
inline void glfwGetWindowContentScale(GLFWwindow*, float* x, float* y) { *x = *y = 1; }
