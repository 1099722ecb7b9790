#include "tests/ui/drawn_frames.h"

#include <imgui.h>

#include <atomic>

namespace tilescope::ui_test {
namespace {

constexpr unsigned kDrawnEvery = 16;
std::atomic<int> looking = 0;  // a test runs in a thread of its own

}  // namespace

DrawEachFrame::DrawEachFrame() { ++looking; }
DrawEachFrame::~DrawEachFrame() { --looking; }

}  // namespace tilescope::ui_test

// The linker puts the second in place of the first (tests/ui/CMakeLists.txt).
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
void __real__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(ImDrawData* data);

void __wrap__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(ImDrawData* data) {
  static unsigned frame = 0;
  if (tilescope::ui_test::looking > 0 || frame++ % tilescope::ui_test::kDrawnEvery == 0) {
    __real__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(data);
    return;
  }
  // Without lists it still makes and drops textures, which ImGui counts on.
  ImDrawData textures = *data;
  textures.CmdLists.clear();
  textures.CmdListsCount = textures.TotalIdxCount = textures.TotalVtxCount = 0;
  __real__Z32ImGui_ImplOpenGL3_RenderDrawDataP10ImDrawData(&textures);
}
// NOLINTEND(bugprone-reserved-identifier)
}
