// What Hello ImGui asks of a newer GLFW port than emscripten 3.1.6 has: the page itself does both
// (web/page/canvas.js).
#pragma once
#include <GLFW/glfw3.h>
#ifndef GLFW_SCALE_FRAMEBUFFER
#define GLFW_SCALE_FRAMEBUFFER 0x0002200D
#endif

inline int emscripten_glfw_set_next_window_canvas_selector(const char*) { return 1; }
inline int emscripten_glfw_make_canvas_resizable(GLFWwindow*, const char*, const char*) {
  return 1;
}
