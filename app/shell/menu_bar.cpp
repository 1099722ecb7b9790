#include <hello_imgui/hello_imgui.h>

#include <map>
#include <string>
#include <vector>

#include "app/shell/bars.h"
#include "app/shell/keyboard_mode.h"
#include "app/shell/layouts.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

/// "View/Panels" as a tree: items of this menu, then its sub-menus, both in the commands' order.
struct Menu {
  std::string title;
  std::vector<const Command*> items;
  std::vector<Menu> children;

  Menu& child(const std::string& name) {
    for (Menu& menu : children) {
      if (menu.title == name) return menu;
    }
    children.push_back({name, {}, {}});
    return children.back();
  }
};

/// "View/Panels" in the tree.
Menu& menu_of(Menu& root, const std::string& path) {
  Menu* menu = &root;
  size_t begin = 0;
  while (begin <= path.size()) {
    const size_t slash = std::min(path.find('/', begin), path.size());
    menu = &menu->child(path.substr(begin, slash - begin));
    begin = slash + 1;
  }
  return *menu;
}

Menu make_menus(const CommandTable& commands) {
  Menu root;
  for (const char* name : {"File", "Edit", "View", "Kernel", "Device"}) root.child(name);
  for (const Command& command : commands.all()) {
    if (command.menu.empty() || command.menu.starts_with("Help")) continue;
    menu_of(root, command.menu).items.push_back(&command);
  }
  for (const Command& command : commands.all()) {  // last, wherever its commands come from
    if (command.menu.starts_with("Help")) menu_of(root, command.menu).items.push_back(&command);
  }
  return root;
}

bool is_empty(const Menu& menu) {
  for (const Menu& child : menu.children) {
    if (!is_empty(child)) return false;
  }
  return menu.items.empty();
}

void draw_menu(const Menu& menu, AppContext& context) {
  if (is_empty(menu)) return;
  if (!ImGui::BeginMenu(tr_id(menu.title.c_str()))) return;
  bool any = menu.items.empty();
  for (const Command* command : menu.items) {
    const bool enabled = !command->enabled || command->enabled(context);
    const bool checked = command->checked && command->checked(context);
    std::string label = title_id(command->title);
    if (command->label) {
      label = command->label();
      if (label.empty()) continue;
      label += "###" + command->title;
    }
    any = true;
    if (ImGui::MenuItem(label.c_str(),
                        command->shortcut.empty() ? nullptr : command->shortcut.c_str(), checked,
                        enabled)) {
      context.commands.request(command->id);
    }
  }
  if (!any) ImGui::TextDisabled("%s", tr("none yet"));
  if (!menu.items.empty() && !menu.children.empty()) ImGui::Separator();
  for (const Menu& child : menu.children) draw_menu(child, context);
  ImGui::EndMenu();
}

/// One of several choices, the chosen one on the accent's ground with the accent's edge.
bool segment(const char* label, bool chosen, const Theme& theme) {
  if (chosen) {
    ImGui::PushStyleColor(ImGuiCol_Button, to_imgui(theme.accent_ground));
    ImGui::PushStyleColor(ImGuiCol_Border, to_imgui(theme.accent));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
  } else {
    ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(theme.dim));
    ImGui::PushStyleColor(ImGuiCol_Button, to_imgui(with_alpha(theme.frame, 0)));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  }
  const bool clicked = ImGui::Button(tr_id(label));
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
  return clicked;
}

void draw_layout_choice(AppContext& context) {
  const std::string current = HelloImGui::CurrentLayoutName();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  for (const LayoutName& layout : kLayouts) {
    if (segment(tr_id(layout.title), current == layout.title, *context.theme)) {
      context.commands.request(std::string("view.layout.") + layout.id);
    }
  }
  ImGui::PopStyleVar();
}

/// The same where there is less room.
void draw_layout_combo(AppContext& context, float width) {
  const std::string current = HelloImGui::CurrentLayoutName();
  ImGui::SetNextItemWidth(width);
  if (!ImGui::BeginCombo("##layout", tr(current.c_str()))) return;
  for (const LayoutName& layout : kLayouts) {
    if (ImGui::Selectable(tr_id(layout.title), current == layout.title)) {
      context.commands.request(std::string("view.layout.") + layout.id);
    }
  }
  ImGui::EndCombo();
}

float layout_choice_width() {
  float width = 0;
  for (const LayoutName& layout : kLayouts) {
    width += ImGui::CalcTextSize(tr(layout.title)).x + ImGui::GetStyle().FramePadding.x * 2;
  }
  return width;
}

void draw_search(AppContext& context, float width) {
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, ImVec2(0, 0.5f));
  ImGui::PushStyleColor(ImGuiCol_Text, to_imgui(context.theme->dim));
  if (ImGui::Button(tr_id("Any command##search"), ImVec2(width, 0))) {
    context.commands.request("help.palette");
  }
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const char* keys = "Ctrl+P";
  const ImVec2 size = ImGui::CalcTextSize(keys);
  ImGui::GetWindowDrawList()->AddText(
      {high.x - size.x - ImGui::GetStyle().FramePadding.x, (low.y + high.y - size.y) / 2},
      to_imgui(context.theme->dim), keys);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
}

}  // namespace

void draw_menu_bar(ShellState& shell) {
  AppContext& context = shell.context;
  const float s = context.scale;
  ImGui::PushFont(context.fonts.bold, 0.f);
  ImGui::TextUnformatted(tr("Tilescope"));
  ImGui::PopFont();
  const Menu menus = make_menus(shell.commands);
  if (take_menu_request()) ImGui::OpenPopup(tr_id(menus.children.front().title.c_str()));
  for (const Menu& menu : menus.children) draw_menu(menu, context);

  // Widgets a little lower than the bar, centred in it. What does not fit is left out from the
  // right: every one of these is in the menus as well.
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(8 * s, 2.5f * s));
  const float bar_height = ImGui::GetWindowHeight();
  const float y = (bar_height - ImGui::GetFrameHeight()) / 2;
  const float right_end = ImGui::GetWindowWidth() - 8 * s;
  ImGui::SetCursorPosY(y);
  const float taken = context.model.draw_menu_bar_right(context, right_end);
  const float end = right_end - taken - 12 * s;
  float x = ImGui::GetCursorPosX() + 12 * s;
  const float combo = 96 * s, least_search = 130 * s;
  if (x + layout_choice_width() < end) {
    ImGui::SetCursorPos({x, y});
    draw_layout_choice(context);
    x += layout_choice_width() + 16 * s;
  } else if (x + combo < end) {
    ImGui::SetCursorPos({x, y});
    draw_layout_combo(context, combo);
    x += combo + 8 * s;
  }
  if (const float width = std::min(260 * s, end - x); width > least_search) {
    ImGui::SetCursorPos({x, y});
    draw_search(context, width);
  }
  ImGui::PopStyleVar();
}

}  // namespace tilescope
