#include "app/features/fragment/panels/export_map.h"

#include <array>
#include <cstring>

#include "app/features/fragment/proofs.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "core/instructions/fragment_export.h"
#include "core/language/language.h"
#include "viz/vector/vector.h"

namespace tilescope::widgets {
namespace {

using model::Instruction;

/// What can be copied: one line per format.
struct Format {
  const char* label;
  std::string (*make)(const Instruction&, const std::string& checked);
};
constexpr Format kFormats[] = {
    {"Table: CSV",
     [](const Instruction& i, const std::string&) {
       return model::fragment_csv_head(i) + model::fragment_csv(i);
     }},
    {"Table: Markdown",
     [](const Instruction& i, const std::string&) { return model::fragment_markdown(i); }},
    {"Table: LaTeX",
     [](const Instruction& i, const std::string&) { return model::fragment_latex(i); }},
    {"Map: JSON", [](const Instruction& i, const std::string&) { return model::fragment_json(i); }},
    {"Index function: C++",
     [](const Instruction& i, const std::string& checked) {
       return model::fragment_cpp(i, checked);
     }},
};
constexpr const char* kEndings[] = {".svg", ".pdf", ".png"};

struct SaveForm {
  std::array<char, 512> path{};
  std::string said;  // what became of the last one
};
SaveForm& form() {
  static SaveForm f;
  return f;
}

/// What the C++ says of how its map was checked: a proof if there is one.
std::string checked_how(const Proofs& proofs, const Instruction& instruction) {
  const std::vector<worker::Proof>& all = proofs_of(proofs, instruction.name);
  if (all.empty() || !all.front().ok) return model::how_checked(instruction);
  return model::how_proven(all.front().device, all.front().driver, all.front().date);
}

void suggest(const Instruction& instruction, const char* ending) {
  std::string name = instruction.name;
  for (char& c : name) {
    if (c == '.' || c == ':') c = '_';
  }
  const std::string path = name + ending;
  std::strncpy(form().path.data(), path.c_str(), form().path.size() - 1);
  form().said.clear();
}

/// True if the file was written.
bool save_picture(AppContext& context,
                  const std::function<viz::Scene(const viz::TextMeasure&)>& scene) {
  const viz::CairoMeasure measure;
  std::string error;
  // Pixels of a PNG are those of the window.
  const bool ok =
      viz::write_file(scene(measure), form().path.data(), {context.scale, true}, &error);
  form().said = ok ? "" : error;
  if (ok) say(*context.state, wording("Saved {}.", form().path.data()));
  return ok;
}

}  // namespace

void export_map(AppContext& context, const Instruction& instruction,
                const std::function<viz::Scene(const viz::TextMeasure&)>& scene) {
  bool open_form = false;
  if (ImGui::Button(tr_id("Copy as"))) ImGui::OpenPopup("export_map");
  tooltip(context, "The map as a table or a C++ function; the picture as SVG, PDF or PNG.");
  if (ImGui::BeginPopup("export_map")) {
    const std::string checked = checked_how(context.state->of<Proofs>(), instruction);
    for (const Format& format : kFormats) {
      if (!ImGui::MenuItem(tr_id(format.label))) continue;
      ImGui::SetClipboardText(format.make(instruction, checked).c_str());
      say(*context.state, wording("Copied {} of {}.", format.label, instruction.name));
    }
    ImGui::Separator();
    for (const char* ending : kEndings) {
      const std::string label = wording("Save picture: {}…", ending + 1);
      if (!ImGui::MenuItem(label.c_str())) continue;
      suggest(instruction, ending);
      open_form = true;
    }
    ImGui::EndPopup();
  }
  if (open_form) ImGui::OpenPopup("save_picture");
  if (!ImGui::BeginPopup("save_picture")) return;
  ImGui::TextUnformatted(tr("The picture as it stands, to the file"));
  ImGui::SetNextItemWidth(420 * context.scale);
  const bool enter = ImGui::InputText("##path", form().path.data(), form().path.size(),
                                      ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if ((ImGui::Button(tr_id("Save")) || enter) && save_picture(context, scene))
    ImGui::CloseCurrentPopup();
  if (!form().said.empty()) ImGui::TextWrapped("%s", form().said.c_str());
  ImGui::EndPopup();
}

}  // namespace tilescope::widgets
