// The shell: panels, layouts, commands.
#include <hello_imgui/hello_imgui.h>
#include <hello_imgui/internal/hello_imgui_ini_settings.h>
#include <imgui_internal.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "app/shell/command_palette.h"
#include "app/shell/docking_file.h"
#include "app/shell/layouts.h"
#include "app/shell/save_pace.h"
#include "app/shell/shortcut.h"
#include "core/files/scratch_folder.h"
#include "core/files/whole_file.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// In front, and something is in it: drawn by itself, or in a child that scrolls.
bool is_drawn(const Panel& panel) {
  const ImGuiWindow* window = ImGui::FindWindowByName(panel.title);
  if (!window || !window->Active || window->Hidden) return false;
  if (window->DrawList->VtxBuffer.Size > 0) return true;
  for (const ImGuiWindow* child : ImGui::GetCurrentContext()->Windows) {
    if (child->ParentWindow == window && child->Active && child->DrawList->VtxBuffer.Size > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

UI_TEST("window", "every panel is drawn") {
  reset_layout(ctx);
  for (const Panel* panel : all_panels()) {
    show_panel(ctx, *panel);
    if (!is_drawn(*panel)) ctx->LogError("panel %s is not drawn", panel->id);
    IM_CHECK_SILENT(is_drawn(*panel));
  }
  screenshot(ctx, "all_panels");
}

UI_TEST("window", "layouts show their panels and nothing else") {
  for (const LayoutName& layout : kLayouts) {
    run_command(ctx, (std::string("view.layout.") + layout.id).c_str());
    run_command(ctx, "view.reset_layout");
    ctx->Yield(4);
    IM_CHECK_STR_EQ(HelloImGui::CurrentLayoutName().c_str(), layout.title);
    for (const Panel* panel : all_panels()) {
      const auto* window =
          HelloImGui::GetRunnerParams()->dockingParams.dockableWindowOfName(panel->title);
      IM_CHECK_EQ(window->isVisible, is_home(layout.title, *panel));
    }
    screenshot(ctx, layout.id);
  }
}

UI_TEST("window", "reset brings a closed panel back") {
  reset_layout(ctx);
  const Panel* first = all_panels().front();
  run_command(ctx, (std::string("view.panel.") + first->id).c_str());
  ctx->Yield(2);
  IM_CHECK(!is_drawn(*first));
  reset_layout(ctx);
  IM_CHECK(is_drawn(*first));
}

UI_TEST("window", "where panels are docked is written once they stand elsewhere") {
  reset_layout(ctx);
  const files::ScratchFolder folder;
  const std::filesystem::path file = std::filesystem::path(folder.path()) / kDockingFile;
  DockingFile docking(file);
  IM_CHECK(!docking.save());  // they may not stand yet
  const auto frames_go_by = [&] {
    for (int i = 0; i < 4; ++i) {
      ctx->Yield();
      docking.each_frame();
    }
  };
  frames_go_by();
  IM_CHECK(docking.save());
  IM_CHECK(!docking.save());
  const Panel* first = all_panels().front();
  run_command(ctx, (std::string("view.panel.") + first->id).c_str());
  frames_go_by();
  IM_CHECK(docking.save());
  // As it is read at the start.
  auto read = HelloImGui::GetRunnerParams()->dockingParams;
  read.dockableWindowOfName(first->title)->isVisible = true;
  HelloImGui::HelloImGuiIniSettings::LoadDockableWindowsVisibility(file.string(), &read);
  IM_CHECK(!read.dockableWindowOfName(first->title)->isVisible);
  const auto text = files::read_file(file.string());
  IM_CHECK(text && text->find("[Docking][Data]") != std::string::npos);
  std::filesystem::remove(file);
  IM_CHECK(std::filesystem::is_empty(folder.path()));
  reset_layout(ctx);
}

UI_TEST("window", "what changes is written every few seconds, and once more at rest") {
  SavePace pace;
  IM_CHECK(pace.is_time(100, false));
  // A pointer that moves: each fourth frame rests.
  int written = 0;
  double now = 100;
  for (int frame = 1; frame <= 600; ++frame, now += 1.0 / 60) {
    written += pace.is_time(now, frame % 4 == 0) ? 1 : 0;
  }
  IM_CHECK_EQ(written, 3);
  // It went on since: a frame is asked for, and then none any more.
  pace.is_time(now, false);
  IM_CHECK(!pace.is_time(now, true));
  const double wait = pace.due_in(now);
  IM_CHECK(wait > 0 && wait <= 3);
  IM_CHECK(pace.owes());
  now += wait + 0.01;
  IM_CHECK(pace.is_time(now, true));
  IM_CHECK(!pace.owes());
  IM_CHECK(pace.due_in(now) > 3600);
}

UI_TEST("window", "themes change at once") {
  run_command(ctx, "view.theme.light");
  IM_CHECK(shell().context.theme == &kLightTheme);
  IM_CHECK_EQ(ImGui::GetColorU32(ImGuiCol_WindowBg), to_imgui(kLightTheme.panel));
  run_command(ctx, "view.theme.dark");
  IM_CHECK_EQ(ImGui::GetColorU32(ImGuiCol_WindowBg), to_imgui(kDarkTheme.panel));
}

UI_TEST("commands", "ids and shortcuts are unique and can be typed") {
  std::set<std::string> ids, shortcuts;
  for (const Command& command : shell().commands.all()) {
    IM_CHECK_SILENT(ids.insert(command.id).second);
    IM_CHECK_SILENT(!command.title.empty());
    if (command.shortcut.empty()) continue;
    if (!shortcuts.insert(command.shortcut).second) {
      ctx->LogError("%s is used twice", command.shortcut.c_str());
    }
    if (parse_shortcut(command.shortcut) == ImGuiKey_None) {
      ctx->LogError("%s names no key", command.shortcut.c_str());
    }
  }
}

UI_TEST("commands", "the palette finds and runs a command") {
  run_command(ctx, "view.theme.dark");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
  ctx->Yield(3);
  ctx->KeyCharsAppend("theme lig");
  ctx->Yield(2);
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(4);
  IM_CHECK(shell().context.theme == &kLightTheme);
  run_command(ctx, "view.theme.dark");
}

UI_TEST("commands", "F1 lists shortcuts and Escape closes the list") {
  ctx->KeyPress(ImGuiKey_F1);
  ctx->Yield(3);
  IM_CHECK(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
  screenshot(ctx, "shortcuts");
  ctx->KeyPress(ImGuiKey_Escape);
  ctx->Yield(3);
  IM_CHECK(!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
}

UI_TEST("commands", "F1 lists every shortcut and what the mouse does in each panel") {
  const std::vector<ShortcutRow> rows = shortcut_rows(shell().commands);
  const auto holds = [&](const std::string& keys, const std::string& effect) {
    return std::ranges::any_of(
        rows, [&](const ShortcutRow& row) { return row.keys == keys && row.effect == effect; });
  };
  for (const Command& command : shell().commands.all()) {
    if (command.shortcut.empty()) continue;
    IM_CHECK_SILENT(holds(command.shortcut, command.title));
  }
  for (const char* id : {"controls", "tiling", "timeline", "fragment"}) {
    const Panel* panel = find_panel(id);
    IM_CHECK_SILENT(!panel->gestures.empty());
    for (const Gesture& gesture : panel->gestures) {
      IM_CHECK_SILENT(holds(gesture.hand, gesture.effect));
    }
  }
}

UI_TEST("commands", "Escape closes what is open, and shortcuts work again") {
  reset_layout(ctx);
  const auto open = [] {
    return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  };
  for (const char* item : {"//Controls/##presets", "//Fragment/##atom", "//Fragment/Copy as",
                           "//##MainMenuBar/##MenuBar/View", "//##MainMenuBar/##MenuBar/Kernel"}) {
    ctx->ItemClick(item);
    ctx->Yield(2);
    if (!open()) ctx->LogError("%s did not open", item);
    IM_CHECK_SILENT(open());
    ctx->KeyPress(ImGuiKey_Escape);
    ctx->Yield(2);
    if (open()) ctx->LogError("%s stays open", item);
    IM_CHECK_SILENT(!open());
  }
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_3);
  ctx->Yield(4);
  IM_CHECK(find_panel("benchmark") && is_drawn(*find_panel("benchmark")));
  IM_CHECK(!is_drawn(*find_panel("tiling")));
  reset_layout(ctx);
}

UI_TEST("commands", "the menu bar runs a command") {
  run_command(ctx, "view.theme.dark");
  ctx->SetRef("##MainMenuBar");
  ctx->MenuClick("View/Theme/Theme: light");
  ctx->Yield(3);
  IM_CHECK(shell().context.theme == &kLightTheme);
  run_command(ctx, "view.theme.dark");
}

UI_TEST("window", "each panel saves its own options, takes them back and bears any others") {
  AppContext& context = shell().context;
  int panels = 0;
  for (const Panel* panel : all_panels()) {
    if (!panel->save) continue;
    ++panels;
    IM_CHECK_SILENT(panel->load != nullptr);
    nlohmann::json before = nlohmann::json::object();
    panel->save(context, before);
    IM_CHECK_GT(before.size(), size_t{0});
    nlohmann::json wild = nlohmann::json::object(), after = nlohmann::json::object();
    for (const auto& [key, value] : before.items()) {
      wild[key] = value.is_string() ? nlohmann::json(7) : nlohmann::json(1e300);
    }
    panel->load(context, wild);
    panel->load(context, nlohmann::json::object());
    panel->save(context, after);
    if (before != after) ctx->LogError("%s took %s", panel->id, wild.dump().c_str());
    IM_CHECK_SILENT(before == after);
  }
  IM_CHECK_GE(panels, 3);
  const Panel* source = find_panel("source");
  show_panel(ctx, *source);
  ctx->ItemClick("//##header_source/source_tab/kernel");
  nlohmann::json kernel = nlohmann::json::object(), ptx = nlohmann::json::object();
  source->save(context, kernel);
  ctx->ItemClick("//##header_source/source_tab/PTX");
  source->save(context, ptx);
  IM_CHECK(kernel != ptx);
  source->load(context, kernel);
  source->save(context, ptx);
  IM_CHECK(kernel == ptx);
}

// tests/fixtures/extra.cpp: a panel that app/features/ does not know.
UI_TEST("fixture", "a panel of two files has tab, button, header, command, shortcut, options") {
  reset_layout(ctx);
  const Panel* extra = find_panel("extra");
  IM_CHECK_SILENT(extra != nullptr);
  show_panel(ctx, *extra);
  IM_CHECK(is_drawn(*extra));
  nlohmann::json options = nlohmann::json::object();
  ctx->ItemClick("//##header_extra/Zero");
  ctx->ItemClick("//Extra/Count");
  run_command(ctx, "extra.count");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_K);
  ctx->Yield(3);
  extra->save(shell().context, options);
  IM_CHECK_EQ(options.at("clicks").get<int>(), 3);
}

}  // namespace tilescope::ui_test
