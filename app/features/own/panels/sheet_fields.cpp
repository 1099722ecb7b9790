#include "app/features/own/panels/sheet_fields.h"

#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <array>

#include "app/kit/widgets.h"
#include "core/language/language.h"
#include "core/sheet/argument_spec.h"

namespace tilescope {
namespace {

using namespace widgets;

bool is_guess(const sheet::LaunchSheet& sheet, const std::string& field) {
  return std::ranges::find(sheet.guesses, field) != sheet.guesses.end();
}

/// What a person has changed is no guess any more.
void settle(sheet::LaunchSheet& sheet, const std::string& field) {
  std::erase(sheet.guesses, field);
}

void name_cell(const AppContext& context, const sheet::LaunchSheet& sheet, const std::string& field,
               const std::string& text, const std::string& tip) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  const bool guess = is_guess(sheet, field);
  elided(context, (guess ? "~ " : "") + text, guess ? Tone::accent : Tone::plain);
  tooltip(context, std::string(translated(tip)) +
                       (guess ? tr("\n~ guessed: look at it before you run") : ""));
  ImGui::TableNextColumn();
}

bool extent_row(const AppContext& context, sheet::LaunchSheet& sheet, const char* field,
                std::optional<sheet::Extent>& extent, const char* tip) {
  name_cell(context, sheet, field, field, tip);
  const sheet::Extent before = extent.value_or(sheet::Extent{});
  std::array<int, 3> values{static_cast<int>(before.x), static_cast<int>(before.y),
                            static_cast<int>(before.z)};
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::InputInt3(fmt::format("##own_{}", field).c_str(), values.data())) return false;
  for (int& value : values) value = std::max(value, 1);
  extent = sheet::Extent{static_cast<uint32_t>(values[0]), static_cast<uint32_t>(values[1]),
                         static_cast<uint32_t>(values[2])};
  settle(sheet, field);
  return true;
}

/// One CTA is as none, unless the kernel wants it said.
bool cluster_row(const AppContext& context, const sheet::Signature& signature,
                 sheet::LaunchSheet& sheet) {
  if (!extent_row(context, sheet, "cluster", sheet.cluster,
                  "CTAs of a cluster along x, y and z; 1, 1, 1: as the kernel says")) {
    return false;
  }
  if (sheet.cluster == sheet::Extent{} && !signature.explicit_cluster) sheet.cluster.reset();
  return true;
}

bool shared_row(const AppContext& context, sheet::LaunchSheet& sheet) {
  name_cell(context, sheet, "shared", "shared",
            "Bytes of dynamic shared memory: the third number of a launch");
  int bytes = static_cast<int>(sheet.shared);
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::InputInt("##own_shared", &bytes, 0)) return false;
  sheet.shared = static_cast<uint32_t>(std::clamp(bytes, 0, static_cast<int>(sheet::kMostShared)));
  settle(sheet, "shared");
  return true;
}

}  // namespace

float sheet_width(const AppContext& context) {
  return std::min(560 * context.scale, ImGui::GetContentRegionAvail().x);
}

bool sheet_fields(const AppContext& context, const sheet::Signature& signature,
                  sheet::LaunchSheet& sheet) {
  bool changed = false;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingStretchProp;
  if (!ImGui::BeginTable("own_sheet", 2, kFlags, {sheet_width(context), 0})) return false;
  ImGui::TableSetupColumn(tr("what"), ImGuiTableColumnFlags_WidthStretch, 0.42f);
  ImGui::TableSetupColumn(tr("value"), ImGuiTableColumnFlags_WidthStretch, 0.58f);
  changed |= extent_row(context, sheet, "grid", sheet.grid, "CTAs along x, y and z");
  changed |= extent_row(context, sheet, "block", sheet.block, "Threads of a CTA along x, y and z");
  changed |= cluster_row(context, signature, sheet);
  changed |= shared_row(context, sheet);
  sheet.args.resize(std::max(sheet.args.size(), signature.parameters.size()));
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const sheet::Parameter& parameter = signature.parameters[i];
    const std::string field = wording("args[{}]", i);
    name_cell(context, sheet, field, sheet::text_of(parameter),
              wording("{} ({}, {} bytes). A number as i32:5 or f32:1.5; a buffer as "
                      "buf:f32:ROWSxCOLS:random|zeros|index|FILE:in|out|inout, where FILE may "
                      "be a .npy; in:FILE, out:BYTES, bytes:HEX",
                      sheet::text_of(parameter), parameter.ptx, parameter.bytes));
    ImGui::SetNextItemWidth(-1);
    ImGui::PushFont(context.fonts.mono, Fonts::kLabel);
    if (ImGui::InputText(fmt::format("##own_arg{}", i).c_str(), &sheet.args[i])) {
      settle(sheet, field);
      changed = true;
    }
    ImGui::PopFont();
  }
  ImGui::EndTable();
  return changed;
}

}  // namespace tilescope
