#include "app/kit/core/extent_fields.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>

#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

struct ProblemField {
  ExtentField field;
  int Problem::*extent;
};
std::array<ProblemField, 3>& fields_of_problem() {
  static std::array<ProblemField, 3> fields = {
      {{{"M", "Rows of A and C, 1 to 1,048,576"}, &Problem::m},
       {{"N", "Columns of B and C, 1 to 1,048,576"}, &Problem::n},
       {{"K", "Columns of A and rows of B: the length of each dot product, 1 to 1,048,576"},
        &Problem::k}}};
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
  for (const ProblemField& field : fields_of_problem()) {
    const std::string now = model::grouped(state.edit.problem.*field.extent);
    text = std::max(text, ImGui::CalcTextSize(now.c_str()).x);
  }
  ImGui::PopFont();
  return text + 2 * ImGui::GetStyle().FramePadding.x + ImGui::CalcTextSize("M").x +
         5 * context.scale;
}

}  // namespace

bool extent_field(AppContext& context, ExtentField& field, int* value, float label_width,
                  float width) {
  const int now = *value;
  if (field.refused && now != field.before) field.refused = false;
  const std::string id = fmt::format("##{}", field.label);
  const bool active = ImGui::GetActiveID() == ImGui::GetID(id.c_str());
  if (!active && !field.refused)
    std::snprintf(field.text, sizeof field.text, "%s", model::grouped(now).c_str());
  ImGui::BeginGroup();
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr(field.label));
  ImGui::SameLine(label_width, 0);
  ImGui::SetNextItemWidth(width - label_width);
  ImGui::PushFont(context.fonts.mono, Fonts::kLabel);
  const bool warn = field.refused;
  if (warn) ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(context.theme->warning));
  ImGui::InputText(id.c_str(), field.text, sizeof field.text, ImGuiInputTextFlags_AutoSelectAll);
  if (warn) ImGui::PopStyleColor();
  ImGui::PopFont();
  const bool done = ImGui::IsItemDeactivatedAfterEdit();
  ImGui::EndGroup();
  tooltip(context, field.tip);
  if (!done) return false;
  const std::optional<int> extent = extent_of(field.text);
  field.refused = !extent;
  field.before = now;
  if (!extent || *extent == now) return false;
  *value = *extent;
  return true;
}

std::vector<std::string> refused_extent(const ExtentField& field, int value) {
  if (!field.refused) return {};
  const std::string most = model::grouped(kMaxExtent), stays = model::grouped(value);
  return {wording("{} = {} is not from 1 to {}; it stays {}.", field.label,
                  field.text[0] ? field.text : "nothing", most, stays),
          wording("{}: 1 to {}; it stays {}.", field.label, most, stays)};
}

void extent_fields(AppContext& context, AppState& state) {
  const float gap = 4 * context.scale;
  // A line of three, of two, or one each: an extent is never cut.
  const float room = ImGui::GetContentRegionAvail().x + gap;
  const float extent = extent_width(context, state) + gap;
  const int a_line = std::clamp(static_cast<int>(room / extent), 1, 3);
  int column = 0;
  const float label = ImGui::CalcTextSize("M").x + 5 * context.scale;
  for (ProblemField& one : fields_of_problem()) {
    if (column > 0) ImGui::SameLine(0, gap);
    column = (column + 1) % a_line;
    Problem p = state.edit.problem;
    const float width = room / static_cast<float>(a_line) - gap;
    if (extent_field(context, one.field, &(p.*one.extent), label, width)) set_problem(state, p);
  }
}

std::vector<std::string> refused_extents(const AppState& state) {
  for (const ProblemField& one : fields_of_problem()) {
    if (one.field.refused) return refused_extent(one.field, state.edit.problem.*one.extent);
  }
  return {};
}

}  // namespace tilescope::widgets
