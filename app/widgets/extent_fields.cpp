#include "app/widgets/extent_fields.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>

#include "app/state/edit.h"
#include "app/widgets/widgets.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

/// What was typed into M, N or K, kept while it is no extent of a problem.
struct ExtentField {
  const char* label;
  int Problem::*extent;
  const char* tip;
  char text[24] = "";
  bool refused = false;
  int before = 0;  // the extent when it was refused
};
std::array<ExtentField, 3>& fields_of_problem() {
  static std::array<ExtentField, 3> fields = {
      {{"M", &Problem::m, "Rows of A and C, 1 to 1,048,576"},
       {"N", &Problem::n, "Columns of B and C, 1 to 1,048,576"},
       {"K", &Problem::k,
        "Columns of A and rows of B: the length of each dot product, 1 to 1,048,576"}}};
  return fields;
}

/// 1 to kMaxExtent, thousands grouped or not; anything else is no extent.
std::optional<int> extent_of(std::string text) {
  std::erase_if(text, [](char c) { return c == ',' || c == ' '; });
  int value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < 1 || value > kMaxExtent) return {};
  return value;
}

/// Of the widest extent with its label.
float extent_width(const AppContext& context, const AppState& state) {
  ImGui::PushFont(context.fonts.mono, Fonts::kLabel);
  float text = ImGui::CalcTextSize("9,999").x;
  for (const ExtentField& field : fields_of_problem()) {
    const std::string now = model::grouped(state.edit.problem.*field.extent);
    text = std::max(text, ImGui::CalcTextSize(now.c_str()).x);
  }
  ImGui::PopFont();
  return text + 2 * ImGui::GetStyle().FramePadding.x + ImGui::CalcTextSize("M").x +
         5 * context.scale;
}

void extent_field(AppContext& context, AppState& state, ExtentField& field, float width) {
  const int now = state.edit.problem.*field.extent;
  if (field.refused && now != field.before) field.refused = false;
  const std::string id = fmt::format("##{}", field.label);
  const bool active = ImGui::GetActiveID() == ImGui::GetID(id.c_str());
  if (!active && !field.refused)
    std::snprintf(field.text, sizeof field.text, "%s", model::grouped(now).c_str());
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(field.label);
  ImGui::SameLine(0, 3 * context.scale);
  ImGui::SetNextItemWidth(width - ImGui::CalcTextSize("M").x - 5 * context.scale);
  ImGui::PushFont(context.fonts.mono, Fonts::kLabel);
  const bool warn = field.refused;
  if (warn) ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->warning));
  ImGui::InputText(id.c_str(), field.text, sizeof field.text, ImGuiInputTextFlags_AutoSelectAll);
  if (warn) ImGui::PopStyleColor();
  ImGui::PopFont();
  const bool done = ImGui::IsItemDeactivatedAfterEdit();
  ImGui::EndGroup();
  tooltip(context, field.tip);
  if (!done) return;
  const std::optional<int> extent = extent_of(field.text);
  field.refused = !extent;
  field.before = now;
  if (!extent) return;
  Problem p = state.edit.problem;
  p.*field.extent = *extent;
  set_problem(state, p);
}

/// Why what was typed is not taken; it stands in its field until it is changed.
void refused_extents(AppContext& context, const AppState& state) {
  for (const ExtentField& field : fields_of_problem()) {
    if (!field.refused) continue;
    ImGui::PushID(field.label);
    if (ImGui::BeginChild("##refused", {0, 0}, ImGuiChildFlags_AutoResizeY)) {
      ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->warning));
      ImGui::TextWrapped(
          "%s", fmt::format("{} = {} is not from 1 to {}; it stays {}.", field.label,
                            field.text[0] ? field.text : "nothing", model::grouped(kMaxExtent),
                            model::grouped(state.edit.problem.*field.extent))
                    .c_str());
      ImGui::PopStyleColor();
    }
    ImGui::EndChild();
    ImGui::PopID();
  }
}

}  // namespace

void extent_fields(AppContext& context, AppState& state) {
  const float gap = 4 * context.scale;
  // A line of three, of two, or one each: an extent is never cut.
  const float room = ImGui::GetContentRegionAvail().x + gap;
  const float extent = extent_width(context, state) + gap;
  const int a_line = std::clamp(static_cast<int>(room / extent), 1, 3);
  int column = 0;
  for (ExtentField& field : fields_of_problem()) {
    if (column > 0) ImGui::SameLine(0, gap);
    column = (column + 1) % a_line;
    extent_field(context, state, field, room / static_cast<float>(a_line) - gap);
  }
  refused_extents(context, state);
}

}  // namespace tilescope::widgets
