#include "app/kit/core/cta_field.h"

#include <imgui.h>

#include <algorithm>

#include "app/kit/widgets.h"
#include "core/language/language.h"

namespace tilescope::widgets {
namespace {

constexpr float kGap = 4, kNumber = 46;

float numbers_width(const AppContext& context, BlockIndex grid) {
  return static_cast<float>(grid.z > 1 ? 3 : 2) * kNumber * context.scale;
}

}  // namespace

float cta_field_width(const AppContext& context, BlockIndex grid) {
  return ImGui::CalcTextSize(tr("CTA")).x + kGap * context.scale + numbers_width(context, grid);
}

bool cta_field(const AppContext& context, const char* id, BlockIndex grid, BlockIndex* cta,
               const char* what) {
  int at[] = {cta->x, cta->y, cta->z};
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("CTA"));
  ImGui::SameLine(0, kGap * context.scale);
  ImGui::SetNextItemWidth(numbers_width(context, grid));
  if (grid.z > 1) {
    ImGui::InputInt3(id, at);
  } else {
    ImGui::InputInt2(id, at);
  }
  const bool typed = ImGui::IsItemDeactivatedAfterEdit();
  tooltip(context, wording("{}\nx, y{} of blockIdx; the grid is {} × {} × {}", what,
                           grid.z > 1 ? " and z" : "", grid.x, grid.y, grid.z));
  if (!typed) return false;
  const auto within = [](int value, int count) {
    return std::clamp(value, 0, std::max(0, count - 1));
  };
  *cta = {within(at[0], grid.x), within(at[1], grid.y), within(at[2], grid.z)};
  return true;
}

}  // namespace tilescope::widgets
