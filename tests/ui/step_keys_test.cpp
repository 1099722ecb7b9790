// Registers and shared memory by keyboard: arrows from cell to cell, Enter for what a click does.
#include <imgui_internal.h>

#include <string>

#include "app/features/step/step_view.h"
#include "app/shell/keyboard_mode.h"
#include "app/state/edit.h"
#include "app/state/stepped.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// With F6 and Tab alone; false if it is not come to.
bool go_by_keys(ImGuiTestContext* ctx, const char* panel, const char* item) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  const auto in_panel = [&] {
    const ImGuiWindow* window = ImGui::FindWindowByName(panel);
    return window && g.NavWindow && g.NavWindow->RootWindow == window->RootWindow &&
           std::string(g.NavWindow->Name).starts_with(panel);
  };
  for (int i = 0; i < 30 && !in_panel(); ++i) {
    ctx->KeyPress(ImGuiKey_F6);
    ctx->Yield(2);
  }
  const auto found = [&] {
    const ImGuiTestItemInfo info = ctx->ItemInfo(item, ImGuiTestOpFlags_NoError);
    return info.ID != 0 && g.NavId == info.ID;
  };
  for (int i = 0; i < 60 && !found(); ++i) {
    ctx->KeyPress(ImGuiKey_Tab);
    ctx->Yield(2);
  }
  return found();
}

}  // namespace

UI_TEST("step", "cells are gone through by keyboard, and Enter opens what a click opens") {
  end_stepping(state());
  run_command(ctx, "view.layout.step");
  run_command(ctx, "view.reset_layout");
  set_kernel(state(), "mma_sync");
  Problem p = default_problem(state().derived.kernel->info);
  p.m = p.n = p.k = 64;
  set_problem(state(), p);
  ctx->Yield(4);
  IM_CHECK(eventually(ctx, [] {
    return step_answer(state()) && !state().of<StepView>().running &&
           state().of<StepView>().wishes.empty();
  }));
  run_command(ctx, "step.instruction");
  IM_CHECK(eventually(ctx, [] { return !state().of<StepView>().running; }));
  struct Table {
    const char* panel;
    const char* item;
  };
  for (const Table& table : {Table{"Registers", "//Registers/**/##values"},
                             Table{"Shared memory", "//Shared memory/**/##words"}}) {
    IM_CHECK(go_by_keys(ctx, table.panel, table.item));
    const ImGuiID item = ImGui::GetCurrentContext()->NavId;
    for (const ImGuiKey key : {ImGuiKey_DownArrow, ImGuiKey_RightArrow, ImGuiKey_PageDown,
                               ImGuiKey_End, ImGuiKey_Home, ImGuiKey_UpArrow}) {
      ctx->KeyPress(key);
      ctx->Yield(2);
      IM_CHECK_EQ(ImGui::GetCurrentContext()->NavId, item);  // arrows stay in it
    }
    screenshot(ctx, table.panel[0] == 'R' ? "keys_registers" : "keys_shared_memory");
    ctx->KeyPress(ImGuiKey_Enter);
    ctx->Yield(3);
    IM_CHECK(ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
    ctx->KeyPress(ImGuiKey_Escape);
    ctx->Yield(2);
    IM_CHECK(!ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
  }
  set_keyboard_mode(false);
  end_stepping(state());
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
}

}  // namespace tilescope::ui_test
