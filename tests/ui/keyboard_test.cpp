// Everything by keyboard: panels, what stands in them, pictures, menus; and keys that are shortcuts
// while nobody asked for it.
#include <imgui_internal.h>

#include <set>

#include "app/kit/picture_cursor.h"
#include "app/kit/scene_view.h"
#include "app/shell/keyboard_mode.h"
#include "app/shell/shell_commands.h"
#include "app/shell/shortcut.h"
#include "app/state/edit.h"
#include "app/state/playback.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

const ImGuiContext& g() { return *ImGui::GetCurrentContext(); }

/// Title of the panel that has the focus.
std::string focused_panel() {
  const ImGuiWindow* window = g().NavWindow;
  for (const Panel* panel : all_panels()) {
    const ImGuiWindow* of = ImGui::FindWindowByName(panel->title);
    if (of && window && (window == of || window->RootWindow == of)) return panel->title;
  }
  return {};
}

void leave(ImGuiTestContext* ctx) {
  set_keyboard_mode(false);
  ctx->Yield(2);
}

}  // namespace

UI_TEST("keyboard", "F6 goes through all panels that are shown, and back") {
  for (const char* layout : {"view.layout.explore", "view.layout.step"}) {
    reset_layout(ctx);
    run_command(ctx, layout);
    ctx->Yield(4);
    std::set<std::string> seen;
    std::string first, second;
    for (int i = 0; i < 40; ++i) {
      ctx->KeyPress(ImGuiKey_F6);
      ctx->Yield(2);
      IM_CHECK(keyboard_mode());
      const std::string now = focused_panel();
      IM_CHECK(!now.empty());
      if (i == 0) first = now;
      if (i == 1) second = now;
      if (i > 0 && now == first) break;
      IM_CHECK(seen.insert(now).second);
    }
    IM_CHECK_GE(seen.size(), size_t{4});
    IM_CHECK_STR_EQ(focused_panel().c_str(), first.c_str());  // round
    ctx->KeyPress(ImGuiKey_F6);
    ctx->Yield(2);
    ctx->KeyPress(ImGuiMod_Shift | ImGuiKey_F6);
    ctx->Yield(2);
    IM_CHECK_STR_EQ(focused_panel().c_str(), first.c_str());
    leave(ctx);
  }
  reset_layout(ctx);
}

UI_TEST("keyboard", "Tab frames one item after the other, and Escape gives the keys back") {
  reset_layout(ctx);
  IM_CHECK(settled(ctx));
  const Edit edit = state().edit;  // an arrow on the ladder climbs it
  ctx->KeyPress(ImGuiKey_F6);
  ctx->Yield(2);
  std::set<ImGuiID> items;
  for (int i = 0; i < 8; ++i) {
    ctx->KeyPress(ImGuiKey_Tab);
    ctx->Yield(2);
    IM_CHECK(g().NavCursorVisible);
    items.insert(g().NavId);
  }
  IM_CHECK_GE(items.size(), size_t{5});
  screenshot(ctx, "keyboard_focus");
  // Arrows are the focused item's now.
  const int column = state().playhead.column;
  ctx->KeyPress(ImGuiKey_RightArrow);
  ctx->Yield(2);
  IM_CHECK_EQ(state().playhead.column, column);
  for (int i = 0; i < 4 && keyboard_mode(); ++i) {
    ctx->KeyPress(ImGuiKey_Escape);
    ctx->Yield(2);
  }
  IM_CHECK(!keyboard_mode());
  IM_CHECK(!g().NavCursorVisible);
  reset_layout(ctx);
  IM_CHECK(settled(ctx));
  const int before = state().playhead.column;
  ctx->KeyPress(ImGuiKey_RightArrow);
  ctx->Yield(2);
  IM_CHECK_NE(state().playhead.column, before);
  set_edit(state(), edit);
}

// What each of them does is tested where it stands; here they are told apart from each other, and
// none of them quits or opens a form.
UI_TEST("keyboard", "every command that has keys is asked for by them") {
  reset_layout(ctx);
  IM_CHECK_SILENT(settled(ctx));
  const std::vector<Command> all = shell().commands.all();
  std::vector<Command> told = all;
  std::string asked;
  for (Command& command : told) {
    command.run = [&asked, id = command.id](AppContext&) { asked += id; };
    command.enabled = {};
  }
  CommandTable instead;
  instead.add(std::move(told));
  std::swap(shell().commands, instead);
  size_t with_keys = 0, others = 0;
  for (const Command& command : all) {
    if (command.shortcut.empty()) continue;
    ++with_keys;
    const ImGuiKeyChord chord = parse_shortcut(command.shortcut);
    asked.clear();
    if (chord != ImGuiKey_None) ctx->KeyPress(chord);
    ctx->Yield(2);
    if (asked != command.id) {
      ++others;
      ctx->LogError("%s: %s asks for \"%s\"", command.id.c_str(), command.shortcut.c_str(),
                    asked.c_str());
    }
  }
  std::swap(shell().commands, instead);
  IM_CHECK_EQ(others, size_t{0});
  IM_CHECK_GT(with_keys, size_t{20});
}

UI_TEST("keyboard", "in a picture arrows go from thing to thing, and Enter chooses") {
  reset_layout(ctx);
  IM_CHECK(settled(ctx));
  show_panel(ctx, *find_panel("tiling"));
  run_command(ctx, "view.next_panel");
  for (int i = 0; i < 40 && focused_panel() != "Tiling"; ++i) {
    ctx->KeyPress(ImGuiKey_F6);
    ctx->Yield(2);
  }
  IM_CHECK_STR_EQ(focused_panel().c_str(), "Tiling");
  const ImGuiID picture = ctx->GetID("//Tiling/tiling_scene");
  for (int i = 0; i < 20 && g().NavId != picture; ++i) {
    ctx->KeyPress(ImGuiKey_Tab);
    ctx->Yield(2);
  }
  IM_CHECK_EQ(g().NavId, picture);
  // To the grid at the left, then along it.
  for (int i = 0; i < 60; ++i) ctx->KeyPress(ImGuiKey_LeftArrow);
  ctx->Yield(2);
  const auto chosen = [&] { return state().selection.cta; };
  std::set<std::pair<int, int>> ctas;
  for (int i = 0; i < 12; ++i) {
    ctx->KeyPress(i % 3 == 2 ? ImGuiKey_UpArrow : ImGuiKey_RightArrow);
    ctx->Yield(2);
    IM_CHECK(state().hover_before.pick.has_value());
    ctx->KeyPress(ImGuiKey_Enter);
    ctx->Yield(2);
    ctas.insert({chosen().row, chosen().col});
  }
  screenshot(ctx, "keyboard_picture");
  IM_CHECK_GE(ctas.size(), size_t{3});
  IM_CHECK_EQ(g().NavId, picture);
  leave(ctx);
  reset_layout(ctx);
}

UI_TEST("keyboard", "a menu opens by Alt, and a click ends it all") {
  reset_layout(ctx);
  ctx->KeyPress(ImGuiKey_LeftAlt);
  ctx->Yield(3);
  IM_CHECK(keyboard_mode());
  IM_CHECK(ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
  // Along the bar, then to an item of the last menu.
  for (int i = 0; i < 3; ++i) {
    ctx->KeyPress(ImGuiKey_RightArrow);
    ctx->Yield(2);
  }
  ctx->KeyPress(ImGuiKey_DownArrow);
  ctx->Yield(2);
  IM_CHECK(ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
  IM_CHECK_NE(g().NavId, ImGuiID{0});
  screenshot(ctx, "keyboard_menu");
  for (int i = 0; i < 4 && keyboard_mode(); ++i) {
    ctx->KeyPress(ImGuiKey_Escape);
    ctx->Yield(2);
  }
  IM_CHECK(!ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup));
  run_command(ctx, "view.next_panel");
  ctx->Yield(2);
  IM_CHECK(keyboard_mode());
  ctx->MouseMove("//Tiling/tiling_scene");
  ctx->MouseClick();
  ctx->Yield(2);
  IM_CHECK(!keyboard_mode());
  reset_layout(ctx);
}

// A thing that is gone to is another than before; and where none is, the pointer stays.
UI_TEST("keyboard", "the next thing in a picture is another one, in its middle") {
  reset_layout(ctx);
  IM_CHECK(settled(ctx));
  ctx->Yield(2);
  const viz::Scene* scene = widgets::shown_scene("tiling_scene");
  IM_CHECK(scene != nullptr);
  for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
    viz::Point at{scene->size.w / 2, scene->size.h / 2};
    for (int i = 0; i < 300; ++i) {
      const viz::Point to = widgets::next_thing(*scene, at, dx, dy);
      if (to.x == at.x && to.y == at.y) break;
      IM_CHECK(viz::pick(*scene, to.x, to.y).has_value());
      IM_CHECK_SILENT((to.x - at.x) * static_cast<float>(dx) > 0 ||
                      (to.y - at.y) * static_cast<float>(dy) > 0);
      at = to;
    }
    IM_CHECK(at.x >= 0 && at.y >= 0 && at.x < scene->size.w && at.y < scene->size.h);
  }
}

}  // namespace tilescope::ui_test
