// Warps: what each warp of the stepped CTA does, and which CTA that is.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/features/step/panels/step_parts.h"
#include "app/features/step/step_words.h"
#include "app/kit/core/cta_field.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

std::string index_words(BlockIndex at, bool deep) {
  return deep ? fmt::format("{},{},{}", at.x, at.y, at.z) : fmt::format("{},{}", at.x, at.y);
}

/// The CTA that runs, to be typed; or the whole grid.
void cta_fields(AppContext& context, AppState& state, StepView& view) {
  const float s = context.scale;
  const std::array<uint32_t, 3> of = step_grid(state);
  const BlockIndex grid{static_cast<int>(of[0]), static_cast<int>(of[1]), static_cast<int>(of[2])};
  const bool deep = grid.z > 1;
  BlockIndex at = view.cta;
  ImGui::BeginDisabled(view.whole_grid);
  const bool chosen = cta_field(context, "##step_cta", grid, &at,
                                "The CTA that runs: without those before it, and with those that "
                                "it waits for");
  ImGui::EndDisabled();
  if (chosen) step_cta(state, at, false);
  bool whole = view.whole_grid;
  const float check = ImGui::CalcTextSize(tr("whole grid")).x + 1.5f * ImGui::GetFrameHeight();
  beside(8 * s, check);
  if (ImGui::Checkbox(tr_id("whole grid"), &whole)) step_cta(state, view.cta, whole);
  tooltip(context, "Runs all CTAs in the order of their launch, from the first on");
  const BlockIndex looked = looked_at_cta(state);
  const bool known = state.derived.kernel || state.own_launch;
  if (view.whole_grid || !known || looked == view.cta) return;
  const std::string label = wording("Step CTA {}", index_words(looked, deep)) + "###step_selected";
  beside(8 * s, small_button_width(label.c_str()));
  if (ImGui::SmallButton(label.c_str())) step_cta(state, looked, false);
  tooltip(context, "The CTA that is chosen in Tiling");
}

/// CTAs that have begun: where they wait for each other one may look at each.
void resident_choice(AppContext& context, StepView& view, const emulator::StepState& s) {
  if (s.residents.size() < 2) return;
  ImGui::SetNextItemWidth(std::min(ImGui::GetContentRegionAvail().x, 200 * context.scale));
  const auto words = [](const emulator::StepState::Resident& r) {
    const std::string name = cta_name(r.cta);
    return (r.waits ? wording("{}, waits for others", name) : name) + "###" + name;
  };
  if (!ImGui::BeginCombo("##resident", cta_name(s.cta).c_str())) return;
  for (const emulator::StepState::Resident& r : s.residents) {
    const std::array<uint32_t, 3> at = {r.cta.x, r.cta.y, r.cta.z};
    if (ImGui::Selectable(words(r).c_str(), cta_name(r.cta) == cta_name(s.cta))) {
      view.resident = at;
      view.warp = -1;
    }
  }
  ImGui::EndCombo();
}

Tone tone_of(WarpWords::Kind kind) {
  switch (kind) {
    case WarpWords::Kind::next:
      return Tone::accent;
    case WarpWords::Kind::ready:
      return Tone::plain;
    case WarpWords::Kind::waits:
    case WarpWords::Kind::ended:
      break;
  }
  return Tone::dim;
}

void warp_row(AppContext& context, AppState& state, int warp, const WarpWords& words, bool first,
              bool shown) {
  ImGui::PushID(warp);
  ImGui::PushID(static_cast<int>(words.lanes));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string id = first ? "##warp" : "##split";
  if (ImGui::Selectable(id.c_str(), shown, ImGuiSelectableFlags_AllowOverlap,
                        {0, ImGui::GetTextLineHeight()})) {
    show_step_warp(state, warp);
  }
  tooltip(context, words.tip);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 ink = ImGui::GetColorU32(tone_color(context, tone_of(words.kind)));
  const float name = ImGui::CalcTextSize("warp 00 ").x;
  if (first) draw->AddText(at, ink, wording("warp {}", warp).c_str());
  const std::string doing = (words.kind == WarpWords::Kind::next ? "▶ " : "") + words.doing;
  const float room = width - name;
  // What it waits for goes before where it stands: that is the line, then the k step.
  std::string where = words.where;
  const auto fits = [&] {
    return ImGui::CalcTextSize((doing + "  " + where).c_str()).x <= room || where.empty();
  };
  if (!fits()) where = where.substr(0, where.find(" · "));
  if (!fits()) where.clear();
  draw->AddText({at.x + width - ImGui::CalcTextSize(where.c_str()).x, at.y}, ink, where.c_str());
  draw->AddText({at.x + name, at.y}, ink, elide(doing, std::max(room, 8.0f)).c_str());
  ImGui::PopID();
  ImGui::PopID();
}

void draw_warps(AppContext& context) {
  AppState& state = *context.state;
  StepView& view = state.of<StepView>();
  const worker::StepAnswer* answer = step_answer_or_why(context);
  if (!answer) return;
  const emulator::StepState& s = answer->state;
  cta_fields(context, state, view);
  resident_choice(context, view, s);
  if (s.warps.empty()) {
    return elided(context, "The run has ended: no warp is left.", Tone::dim);
  }
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  elided(context, warps_summary(s), Tone::dim);
  ImGui::PopFont();
  const int shown = shown_warp(view, *answer);
  if (ImGui::BeginChild("##warps")) {
    ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
    for (int w = 0; w < static_cast<int>(s.warps.size()); ++w) {
      bool first = true;
      for (const WarpWords& words : warp_words(s, w)) {
        warp_row(context, state, w, words, first, w == shown);
        first = false;
      }
    }
    ImGui::PopFont();
  }
  ImGui::EndChild();
}

constexpr Gesture kGestures[] = {
    {"click", "shows the warp's registers; steps are then of this warp"}};

}  // namespace

extern const Panel warps_panel = {
    .id = "warps",
    .title = "Warps",
    .docks = {.step = Dock::kLeftBottom},
    .draw = draw_warps,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
