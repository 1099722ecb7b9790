#include "tests/ui/drawn_frames.h"

#include <imgui.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>
#include <utility>

namespace tilescope::ui_test {
namespace {

constexpr unsigned kDrawnEvery = 64;
std::atomic<int> looking = 0;  // a test runs in a thread of its own
bool drawn = true;             // the present frame
std::mutex guard;
FrameTime longest;

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

void measure_frame() {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point before = Clock::now();
  static double cpu_before = cpu_ms();
  const auto now = Clock::now();
  const double cpu_now = cpu_ms();
  const std::chrono::duration<double, std::milli> took = now - std::exchange(before, now);
  const FrameTime frame{took.count(), cpu_now - std::exchange(cpu_before, cpu_now)};
  const std::lock_guard lock(guard);
  if (frame.ms > longest.ms) longest = frame;
}

}  // namespace

DrawEachFrame::DrawEachFrame() { ++looking; }
DrawEachFrame::~DrawEachFrame() { --looking; }

FrameTime longest_frame() {
  const std::lock_guard lock(guard);
  return std::exchange(longest, {});
}

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
