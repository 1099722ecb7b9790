// The form that puts something away by a name, over those that there are.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>

#include "app/kit/widgets.h"
#include "app/shell/named.h"
#include "app/shell/picture_part.h"
#include "app/state/edit.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

constexpr const char* kPopup = "By a name";

struct NameForm {
  const NamedKind* kind = nullptr;
  std::string name, said;
};
NameForm& name_form() {
  static NameForm f;
  return f;
}

void put(ShellState& shell, const std::vector<std::string>& names) {
  NameForm& f = name_form();
  f.said = why_no_name(f.name);
  const bool replaces = std::ranges::count(names, f.name) > 0;
  if (f.said.empty() && !replaces && names.size() >= kMostNamed) {
    f.said = wording("There are {} already, which is as many as are kept: take one away first.",
                     names.size());
  }
  if (f.said.empty()) f.said = f.kind->put(shell, f.name);
  if (!f.said.empty()) return;
  say(*shell.context.state,
      wording("{} the {} \"{}\".", replaces ? "Replaced" : "Saved", f.kind->id, f.name));
  ImGui::CloseCurrentPopup();
}

void list_names(ShellState& shell, const std::vector<std::string>& names) {
  NameForm& f = name_form();
  const AppContext& context = shell.context;
  for (const std::string& name : names) {
    ImGui::PushID(name.c_str());
    if (ImGui::Selectable(
            name.c_str(), f.name == name,
            ImGuiSelectableFlags_NoAutoClosePopups | ImGuiSelectableFlags_AllowOverlap,
            {330 * context.scale, 0})) {
      f.name = name;
    }
    ImGui::SameLine(350 * context.scale);
    if (ImGui::SmallButton(tr_id("Forget"))) f.kind->forget(shell, name);
    ImGui::PopID();
  }
}

}  // namespace

void draw_named_form(ShellState& shell) {
  NameForm& f = name_form();
  if (const NamedKind* kind = std::exchange(shell.want_named, nullptr)) {
    f = {.kind = kind, .name = {}, .said = {}};
    ImGui::OpenPopup(kPopup);
  }
  const float s = shell.context.scale;
  if (!begin_form(shell.context, kPopup)) return;
  const std::vector<std::string> names = f.kind->names(shell);
  ImGui::TextUnformatted(std::string_view(f.kind->id) == "state"
                             ? tr("This state, by the name of")
                             : tr("This layout, by the name of"));
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(330 * s);
  const bool enter = ImGui::InputText("##name", &f.name, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine(350 * s);
  if (ImGui::Button(tr_id("Save")) || enter) put(shell, names);
  if (!f.said.empty()) ImGui::TextWrapped("%s", f.said.c_str());
  list_names(shell, names);
  ImGui::EndPopup();
}

}  // namespace tilescope
