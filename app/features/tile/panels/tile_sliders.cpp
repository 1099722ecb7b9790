#include "app/features/tile/panels/tile_sliders.h"

#include <span>
#include <string>
#include <vector>

#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "core/language/language.h"
#include "core/model/done_otherwise.h"
#include "core/model/names.h"

namespace tilescope::widgets {
namespace {

/// What other features make of a click, and put below a slider.
void slider_clicked(AppContext& context, TileFieldId field) {
  for (const FeatureWindow* window : feature_windows()) {
    if (window->slots.slider_clicked) window->slots.slider_clicked(context, field);
  }
}
void under_slider(AppContext& context, TileFieldId field, SliderTicks ticks) {
  for (const FeatureWindow* window : feature_windows()) {
    if (window->slots.under_slider) window->slots.under_slider(context, field, ticks);
  }
}

}  // namespace

void tile_sliders(AppContext& context, AppState& state) {
  const KernelEntry& kernel = *state.derived.kernel;
  const MmaAtom& atom = state.derived.plan.atom;
  std::string what = model::name_of(atom.kind);
  if (is_instruction(atom.kind)) what += wording(" m{}n{}k{}", atom.m, atom.n, atom.k);
  const WorkKind work = state.derived.plan.work.kind;
  if (work != WorkKind::one_tile) what = wording("{}, {}", what, model::name_of(work));
  heading(context, "TILE", what);
  // Where there is room for two of them beside each other, half as many rows.
  const float least = 180 * context.scale;
  const bool wide = ImGui::GetContentRegionAvail().x >= 2 * least + 12 * context.scale;
  const bool table = wide && ImGui::BeginTable("sliders", 2, ImGuiTableFlags_SizingStretchSame);
  for (int i = 0; i < kernel.sliders.count; ++i) {
    if (table) ImGui::TableNextColumn();
    const Slider& slider = kernel.sliders.slider[i];
    const TileField& field = kTileFields[static_cast<int>(slider.field)];
    const Violation& v = state.derived.violation;
    int value = get(state.edit.rung().tile, slider.field);
    const bool illegal = !v.legal() && (v.field == slider.field || v.field2 == slider.field);
    const std::span<const int> values{slider.values, static_cast<size_t>(slider.count)};
    const std::string tip =
        wording("{}.\nRight click: its curve, swept where there is a GPU", field.what);
    const ValueSlider row{field.name, field.label, values, illegal, tip.c_str()};
    const auto right_click = [&] {
      if (ImGui::IsItemHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Right))
        slider_clicked(context, slider.field);
    };
    if (*field.names) {
      std::vector<std::string> names;
      for (const int offered : values) names.push_back(model::value_name(slider.field, offered));
      if (choice_row(context, row, names, &value)) set_tile_field(state, slider.field, value);
      right_click();
      const std::string otherwise = model::done_otherwise(
          state.derived.plan, state.edit.rung().tile, state.edit.problem, slider.field);
      if (!otherwise.empty()) {
        const std::string texts[] = {otherwise, otherwise.substr(0, otherwise.find(':'))};
        note_line(context, texts, Tone::dim);
      }
      under_slider(context, slider.field, {});
      continue;
    }
    std::string remark;
    if (value_slider(context, row, &value, &remark)) {
      set_tile_field(state, slider.field, value, last_slider_id());
    }
    if (!remark.empty()) say(state, remark);
    // One visit of a slider is one step of undo: a drag, or some turns of the wheel.
    const bool left = !ImGui::IsItemHovered() && !ImGui::IsItemFocused() && !ImGui::IsItemActive();
    right_click();
    if (ImGui::IsItemDeactivated() || (left && state.drag == last_slider_id())) state.drag = 0;
    under_slider(context, slider.field, last_slider_ticks());
  }
  if (table) ImGui::EndTable();
}

}  // namespace tilescope::widgets
