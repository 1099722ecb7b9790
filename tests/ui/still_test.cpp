// What a hand moves stays in view, and what it is about to click stays where it is: no tooltip
// while a button of the mouse is down, no row pushed away by a note or an error.
#include <imgui_internal.h>

#include "app/features/layer/layer_facts.h"
#include "app/features/layer/layer_view.h"
#include "app/kit/core/extent_fields.h"
#include "app/state/edit.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

bool tooltip_shown() {
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->WasActive && (window->Flags & ImGuiWindowFlags_Tooltip) != 0) return true;
  }
  return false;
}

/// Long enough for a tooltip that waits to come.
void rest(ImGuiTestContext* ctx) {
  for (int i = 0; i < 60; ++i) ctx->SleepNoSkip(1.0f / 30, 1.0f / 30);
}

void start(ImGuiTestContext* ctx) {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  set_tile(state(), state().derived.kernel->sliders.defaults());
  ctx->Yield(3);
}

UI_TEST("still", "no_tooltip_while_a_button_is_down_over_a_slider") {
  start(ctx);
  show_panel(ctx, *find_panel("timeline"));
  for (const char* slider : {"//Controls/block_m", "//Controls/stages", "//Timeline/##speed"}) {
    // What the slider before has changed is recorded anew; until then there is nothing to play.
    IM_CHECK(eventually(ctx, [] { return state().results.trace != nullptr; }));
    const ImGuiTestItemInfo item = ctx->ItemInfo(slider);
    IM_CHECK(item.ID != 0);
    ctx->MouseMove(item.ID);
    IM_CHECK_NO_RET(eventually(ctx, tooltip_shown));
    for (const ImGuiMouseButton button : {ImGuiMouseButton_Left, ImGuiMouseButton_Middle}) {
      ctx->MouseDown(button);
      rest(ctx);
      IM_CHECK_NO_RET(!tooltip_shown());
      if (button == ImGuiMouseButton_Left) {
        ctx->MouseMoveToPos({item.RectFull.GetCenter().x + 12, item.RectFull.GetCenter().y});
        rest(ctx);
        IM_CHECK_NO_RET(!tooltip_shown());
      }
      ctx->MouseUp(button);
      ctx->Yield(2);
    }
    ctx->MouseMoveToPos({item.RectFull.Min.x, 2});
    ctx->Yield(3);
  }
  set_tile(state(), state().derived.kernel->sliders.defaults());
}

/// The items of a panel, which must not move between two moments.
std::vector<ImVec2> places(ImGuiTestContext* ctx, const std::vector<std::string>& items) {
  std::vector<ImVec2> all;
  for (const std::string& item : items) {
    const ImGuiTestItemInfo info = ctx->ItemInfo(item.c_str());
    IM_CHECK_RETV(info.ID != 0, all);
    all.push_back(info.RectFull.Min);
  }
  return all;
}

bool same_places(const std::vector<ImVec2>& a, const std::vector<ImVec2>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const ImVec2& x, const ImVec2& y) { return std::abs(x.y - y.y) < 0.5f; });
}

UI_TEST("still", "rows_of_controls_stay_where_they_are") {
  start(ctx);
  const std::vector<std::string> rows = {"//Controls/##M", "//Controls/layout/TN",
                                         "//Controls/##alpha", "//Controls/##presets",
                                         "//Controls/block_m"};
  const std::vector<ImVec2> before = places(ctx, rows);
  // From rung to rung, whatever is said of each: the ideas are of different lengths, and with some
  // a layout comes.
  int notes = 0;
  for (const KernelEntry& kernel : kernel_table()) {
    ctx->ItemClick((std::string("//Controls/ladder/") + kernel.info.id).c_str());
    ctx->Yield(3);
    notes += state().kernel_note_serial == state().edit_serial;
    IM_CHECK_NO_RET(same_places(before, places(ctx, rows)));
    if (notes == 1) screenshot(ctx, "still_note");
  }
  IM_CHECK_GT(notes, 0);
  start(ctx);
  // A click where the row was before a field was refused.
  ctx->ItemInputValue("//Controls/##M", "12x");
  ctx->Yield(3);
  IM_CHECK(!widgets::refused_extents(state()).empty());
  screenshot(ctx, "still_refused");
  IM_CHECK_NO_RET(same_places(before, places(ctx, rows)));
  const ImRect nn = ctx->ItemInfo("//Controls/layout/NN").RectFull;
  ctx->MouseMoveToPos(nn.GetCenter());
  ctx->MouseClick();
  ctx->Yield(2);
  IM_CHECK(state().edit.problem.order_a == Order::column_major);
  ctx->ItemInputValue("//Controls/##M", "4096");
  ctx->Yield(2);
  IM_CHECK(widgets::refused_extents(state()).empty());
  ctx->ItemClick("//Controls/layout/TN");
}

UI_TEST("still", "rows_of_a_layer_stay_where_they_are") {
  start(ctx);
  run_command(ctx, "view.layout.layer");
  ctx->Yield(4);
  const workload::Layer whole = chosen_layer(state());
  const std::vector<std::string> rows = {"//Workload/##tokens", "//Workload/##out",
                                         "//Workload/layer_ranks", "//Workload/layer_chunks",
                                         "//Workload/overlap transfers"};
  const std::vector<ImVec2> before = places(ctx, rows);
  ctx->ItemInputValue("//Workload/##tokens", "many");
  ctx->Yield(3);
  screenshot(ctx, "still_layer");
  IM_CHECK_NO_RET(same_places(before, places(ctx, rows)));
  // A number of chunks that is not offered is said in the status bar.
  ctx->MouseMove("//Workload/layer_chunks");
  ctx->KeyDown(ImGuiMod_Ctrl);
  ctx->MouseClick();
  ctx->KeyUp(ImGuiMod_Ctrl);
  ctx->KeyCharsReplaceEnter("5");
  ctx->Yield(3);
  IM_CHECK(state().said.find('5') != std::string::npos);
  IM_CHECK_NO_RET(same_places(before, places(ctx, rows)));
  ctx->ItemInputValue("//Workload/##tokens", "4096");
  set_layer(state(), whole);
  reset_layout(ctx);
}

}  // namespace
}  // namespace tilescope::ui_test
