#include "app/features/source/panels/export_kernel.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "app/features/source/export.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "core/language/language.h"

namespace tilescope::widgets {
namespace {

constexpr const char* kLabel = "Export .cu";

std::array<char, 512>& path() {
  static std::array<char, 512> text{};
  return text;
}

/// "mma_multistage_128x128x64.cu", in the folder that was named last.
void suggest(const AppState& state) {
  const KernelPlan& plan = state.derived.plan;
  const std::string name = fmt::format("{}_{}x{}x{}.cu", state.edit.rung().kernel, plan.block_m,
                                       plan.block_n, plan.block_k);
  const std::string before = path().data();
  const std::string folder = before.substr(0, before.rfind('/') + 1);
  const std::string text = (before.find('/') == before.npos ? "" : folder) + name;
  path().fill('\0');
  std::strncpy(path().data(), text.c_str(), path().size() - 1);
}

}  // namespace

float export_button_width() { return small_button_width(kLabel); }

bool export_button(AppContext& context) {
  const bool legal = context.state->derived.legal();
  ImGui::BeginDisabled(!legal);
  const bool pressed = ImGui::SmallButton(tr_id(kLabel));
  ImGui::EndDisabled();
  tooltip(context, legal ? "This kernel at this tile as one file that nvcc builds; its main "
                           "launches, verifies and times it"
                         : "An illegal tile cannot be launched, here or elsewhere");
  return pressed;
}

void export_kernel(AppContext& context, bool asked) {
  AppState& state = *context.state;
  Export& e = state.of<Export>();
  if (asked) {
    suggest(state);
    e.error.clear();
    ImGui::OpenPopup("export_kernel");
  }
  if (!ImGui::BeginPopup("export_kernel")) return;
  ImGui::TextUnformatted(tr("The kernel at this tile; its main launches, verifies and times it"));
  ImGui::SetNextItemWidth(420 * context.scale);
  const bool enter = ImGui::InputText("##path", path().data(), path().size(),
                                      ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if ((ImGui::Button(tr_id("Save")) || enter) && path()[0] != '\0') {
    e.wanted = path().data();
    e.written.clear();
  }
  if (!e.error.empty()) ImGui::TextWrapped("%s", e.error.c_str());
  if (!e.written.empty()) {
    say(state, wording("Saved {}.", e.written));
    e.written.clear();
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace tilescope::widgets
