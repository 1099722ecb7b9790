#include "tests/ui/drawn_frames.h"

#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace tilescope::ui_test {
namespace {

constexpr unsigned kDrawnEvery = 64;
std::atomic<int> looking = 0;  // a test runs in a thread of its own
bool drawn = true;             // the present frame
std::atomic<double> longest_ms = 0;

void measure_frame() {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point before = Clock::now();
  const auto now = Clock::now();
  const std::chrono::duration<double, std::milli> took = now - std::exchange(before, now);
  longest_ms = std::max<double>(longest_ms, took.count());
}

}  // namespace

DrawEachFrame::DrawEachFrame() { ++looking; }
DrawEachFrame::~DrawEachFrame() { --looking; }

double longest_frame_ms() { return longest_ms.exchange(0); }

}  // namespace tilescope::ui_test

struct GLFWwindow;

// The linker puts the second in place of the first (tests/ui/CMakeLists.txt).
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
void __real__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(ImDrawData* data);

void __wrap__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(ImDrawData* data) {
  using namespace tilescope::ui_test;
  static unsigned frame = 0;
  drawn = looking > 0 || frame++ % kDrawnEvery == 0;
  if (drawn) {
    __real__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(data);
    return;
  }
  // Without lists it still makes and drops textures, which ImGui counts on.
  ImDrawData textures = *data;
  textures.CmdLists.clear();
  textures.CmdListsCount = textures.TotalIdxCount = textures.TotalVtxCount = 0;
  __real__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(&textures);
}

void __real_glfwSwapBuffers(GLFWwindow* window);

// What was not drawn need not be copied to the display either.
void __wrap_glfwSwapBuffers(GLFWwindow* window) {
  if (tilescope::ui_test::drawn) __real_glfwSwapBuffers(window);
  tilescope::ui_test::measure_frame();
}
// NOLINTEND(bugprone-reserved-identifier)
}
