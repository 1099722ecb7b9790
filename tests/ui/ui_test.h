// Tests that click and drag in the real window, by the test engine. One file per subject, found by
// its name (*_test.cpp):
//
//   UI_TEST("palette", "opens") {           // becomes the test palette/opens
//     ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
//     IM_CHECK(...);
//   }
//
// Windows are named by their panels' titles: ctx->ItemClick("//Extra/Count").
#pragma once
#include <imgui.h>
#include <imgui_test_engine/imgui_te_context.h>
#include <imgui_test_engine/imgui_te_engine.h>
#include <imgui_test_engine/imgui_te_exporters.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "app/panel.h"
#include "app/shell/shell_state.h"
#include "kernels/registry.h"
#include "tests/sampled.h"

namespace tilescope::ui_test {

struct UiTest {
  const char* category;
  const char* name;
  void (*run)(ImGuiTestContext* ctx);
};
std::vector<UiTest>& all_tests();

struct Registered {
  Registered(const char* category, const char* name, void (*run)(ImGuiTestContext*)) {
    all_tests().push_back({category, name, run});
  }
};

/// The shell under test; valid while tests run.
ShellState& shell();
/// The same of what it shows.
AppState& state();
/// How often Quit was chosen so far; the window under test stays.
int refused_quits();

/// Runs a command as the menu would, and waits until it has run.
void run_command(ImGuiTestContext* ctx, const char* id);

/// Each slider of each kernel.
std::vector<std::pair<const KernelEntry*, Slider>> all_sliders();

/// Frames go by until the condition holds; false if it does not come to that.
bool eventually(ImGuiTestContext* ctx, const std::function<bool()>& condition);

/// Until all is known of the present edit, so that nothing that is still to come moves what the
/// pointer is about to click.
bool settled(ImGuiTestContext* ctx);

/// Back to the layout that a fresh start shows, with all its panels.
void reset_layout(ImGuiTestContext* ctx);

/// The window in another size, with its panels settled; false if it does not get it.
bool resized(ImGuiTestContext* ctx, int width, int height);

/// Opens a panel, if need be, and brings its tab to the front.
void show_panel(ImGuiTestContext* ctx, const Panel& panel);

/// The layout Tune with all its panels, and a kernel's default tile on a cube, once all is known
/// of it on a device.
void open_tune(ImGuiTestContext* ctx, const char* device, const char* kernel, int extent);

/// Writes what the window shows to build/…/screens/NAME.png.
void screenshot(ImGuiTestContext* ctx, const char* name);

}  // namespace tilescope::ui_test

#define UI_TEST_JOIN2(a, b) a##b
#define UI_TEST_JOIN(a, b) UI_TEST_JOIN2(a, b)
// Numbered, not by their lines: files are compiled together.
#define UI_TEST(category, name) UI_TEST_NUMBERED(category, name, __COUNTER__)
#define UI_TEST_NUMBERED(category, name, number)                                   \
  static void UI_TEST_JOIN(ui_test_, number)(ImGuiTestContext*);                   \
  static const ::tilescope::ui_test::Registered UI_TEST_JOIN(registered_, number)( \
      category, name, UI_TEST_JOIN(ui_test_, number));                             \
  static void UI_TEST_JOIN(ui_test_, number)([[maybe_unused]] ImGuiTestContext * ctx)
