#include "app/features/compare/panels/compare_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "app/features/compare/second_choices.h"
#include "app/kit/answer_frame.h"
#include "app/kit/widgets.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/second.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope::widgets {
namespace {

std::string figure_of(const AppState& side) {
  if (!side.edit.own() && !side.derived.legal()) return "cannot be launched";
  const HistoryPoint point = point_of(side);
  const char* mark = point.standing == Standing::modelled ? "~" : "";
  if (point.tflops) return mark + model::rate_text(*point.tflops);
  return point.time_us ? mark + model::time_text(*point.time_us) : std::string();
}

}  // namespace

void side_badge(const AppContext& context, bool first) {
  const float s = context.scale;
  const float side = ImGui::GetTextLineHeight() + 4 * s;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const char* name = first ? "A" : "B";
  ImGui::Dummy({side, side});
  const ImVec2 high{at.x + side - 1, at.y + side - 1};
  const ImU32 color = to_imgui(context.theme->text);
  if (first) {
    ImGui::GetWindowDrawList()->AddRect(at, high, color);
  } else {
    dashed_frame(at, high, color, 3 * s);
  }
  const ImVec2 text = ImGui::CalcTextSize(tr(name));
  ImGui::GetWindowDrawList()->AddText({at.x + (side - text.x) / 2, at.y + (side - text.y) / 2},
                                      color, name);
}

void side_head(const AppContext& context, const AppState& side, bool first) {
  const float s = context.scale;
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  side_badge(context, first);
  ImGui::SameLine(0, 6 * s);
  const std::string figure = figure_of(side);
  ImGui::PushFont(context.fonts.bold, Fonts::kText);
  const float figure_width = ImGui::CalcTextSize(figure.c_str()).x;
  ImGui::PopFont();
  const float room = right - ImGui::GetCursorPosX() - figure_width - 8 * s;
  const bool both = room > 80 * s;
  if (both) {
    ImGui::AlignTextToFramePadding();
    elided(context,
           side.edit.own() ? tile_label(side.edit)
                           : fmt::format("{} · {}", tile_label(side.edit), side.edit.rung().kernel),
           Tone::plain, room);
    ImGui::SameLine();
  }
  ImGui::SetCursorPosX(std::max(ImGui::GetCursorPosX(), right - figure_width));
  ImGui::PushFont(context.fonts.bold, Fonts::kText);
  elided(context, figure);
  ImGui::PopFont();
  const HistoryPoint point = point_of(side);
  tooltip(context, fmt::format("{}: {}{}{}", first ? "A" : "B", tr(name_of(point.standing)),
                               point.device.empty() ? "" : ", " + point.device,
                               point.date.empty() ? "" : ", " + point.date) +
                       (point.older_kernel ? tr(", with an older kernel") : ""));
}

void second_combo(AppContext& context) {
  AppState& state = *context.state;
  const Second& second = state.of<Second>();
  const std::string now = second.state ? second.name : std::string("nothing: choose B");
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::SetNextItemWidth(room);
  const std::string shown =
      elide(translated(now), room - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x);
  if (!ImGui::BeginCombo("##second", shown.c_str(), ImGuiComboFlags_HeightLarge)) {
    tooltip(context, "B: what A is compared with. Ctrl+B pins A as it stands.");
    return;
  }
  const char* section = "";
  int index = 0;
  for (const SecondChoice& choice : second_choices(state)) {
    if (std::string_view(section) != choice.section) {
      section = choice.section;
      ImGui::SeparatorText(tr(section));
    }
    if (ImGui::Selectable(fmt::format("{}##{}", translated(choice.title), index++).c_str())) {
      choose_second(state, choice);
    }
    tooltip(context, choice.tip);
  }
  ImGui::EndCombo();
}

bool need_second(AppContext& context, const char* what) {
  if (second_of(*context.state)) return true;
  side_badge(context, false);
  ImGui::SameLine(0, 6 * context.scale);
  second_combo(context);
  const std::optional<SecondChoice> fastest = fastest_choice(*context.state);
  bool with_fastest = false;
  if (empty_panel(context, wording("{}: there is no B yet", what).c_str(),
                  "Pin the present tile as B, then move a slider: everything that differs stands "
                  "here, with the reason.",
                  "Pin as B (Ctrl+B)", fastest ? "Compare with the fastest" : nullptr,
                  &with_fastest)) {
    context.commands.request("compare.pin");
  }
  if (fastest) tooltip(context, fastest->title + "\n" + fastest->tip);
  if (with_fastest) choose_second(*context.state, *fastest);
  return false;
}

const viz::Scene& SideCache::get(const AppContext& context, viz::Size size, const Picture& picture,
                                 const AppState& side) {
  std::unique_ptr<PictureState> now = picture.state(side);
  const viz::Palette& palette = palette_of(context);
  const bool same = of_ && size_ == size && scale_ == context.scale && palette_ == &palette &&
                    language_ == language_changes() && of_->same(*now);
  if (!same) {
    scene_ = now->build(palette, FontMeasure(context), size);
    size_ = size, scale_ = context.scale, palette_ = &palette, language_ = language_changes();
    of_ = std::move(now);
  }
  return scene_;
}

}  // namespace tilescope::widgets
