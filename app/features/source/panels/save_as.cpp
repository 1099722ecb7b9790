#include "app/features/source/panels/save_as.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <string>
#include <utility>

#include "app/state/edit.h"
#include "app/state/private_copy.h"
#include "core/language/language.h"

namespace tilescope::widgets {
namespace {

struct SaveAs {
  bool asked = false;
  std::string path, said;
};
SaveAs& save_as() {
  static SaveAs s;
  return s;
}

}  // namespace

void save_source_as(AppContext& context, const SourceEdit& edit, const SourceView& view) {
  AppState& state = *context.state;
  SaveAs& s = save_as();
  if (std::exchange(s.asked, false) && state.edit.own()) {
    s.path = file_identity(state);
    s.said.clear();
    ImGui::OpenPopup("save_source_as");
  }
  if (!ImGui::BeginPopup("save_source_as")) return;
  ImGui::TextUnformatted(tr("This text as another file of yours, with its launch sheet"));
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(420 * context.scale);
  const bool enter = ImGui::InputText("##path", &s.path, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if (ImGui::Button(tr_id("Save")) || enter) {
    s.said = save_text_as(state, edit.bytes(view), s.path);
    if (s.said.empty()) {
      say(state, wording("Saved {}; it is what is looked at now.", s.path));
      ImGui::CloseCurrentPopup();
    }
  }
  if (!s.said.empty()) {
    ImGui::PushTextWrapPos(480 * context.scale);
    ImGui::TextUnformatted(s.said.c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::EndPopup();
}

Command save_as_command() {
  return {.id = "source.save_as",
          .title = "Save the text of Source as…",
          .menu = "File",
          .run =
              [](AppContext& context) {
                const bool own = context.state->edit.own() != nullptr;
                context.commands.request(own ? "view.go.source" : "kernel.export");
                save_as().asked = own;
              },
          .also = "kernel another file copy export"};
}

}  // namespace tilescope::widgets
