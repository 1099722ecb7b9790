// Findings: all that is wrong with the present kernel or slow about it, errors first, then by what
// the launch may gain; a click shows a row in Source, Tiling and Timeline.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/features/findings/findings_list.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/present.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using namespace widgets;

struct Count {
  int errors = 0, remarks = 0;
};
Count count(const std::vector<FindingRow>& rows) {
  const auto errors = std::ranges::count_if(rows, &FindingRow::error);
  return {static_cast<int>(errors), static_cast<int>(rows.size()) - static_cast<int>(errors)};
}

const char* plural(int n) { return n == 1 ? "" : "s"; }

/// "up to ~12 µs"; what it means stands in the tooltip.
std::string gain_words(const FindingRow& row) {
  if (!row.gain_us || *row.gain_us < 0.001) return "";
  const std::string time = model::time_text(*row.gain_us);
  return row.hidden ? wording("hidden, ~{}", time) : wording("up to ~{}", time);
}

std::string tip_of(const AppState& state, const FindingRow& row) {
  std::string tip;
  if (!gain_words(row).empty()) {
    tip = wording("{} {} spends ~{} of the launch's {}~{} on what is too much here{}.\n",
                  state.edit.own() ? "At full speed" : "By the model", row.unit.c_str(),
                  model::time_text(*row.gain_us), state.edit.own() ? "at least " : "",
                  model::time_text(row.launch_us),
                  row.hidden ? wording(", but {} takes longer: little of it would be seen",
                                       row.longest.c_str())
                             : "");
  }
  if (row.alike > 0) {
    tip += wording("{} more like it at this line: an unrolled loop, or several operands.\n",
                   row.alike);
  }
  if (row.seen) {
    tip += wording("Seen first in CTA ({}, {}, {}), warp {}, lane {}.\n", row.seen->cta.x,
                   row.seen->cta.y, row.seen->cta.z, row.seen->warp, row.seen->lane);
  }
  return tip + (row.place.any() ? tr("Click: its line in Source, its first event in Timeline")
                                : tr("It is of the kernel as a whole"));
}

bool is_chosen(const AppState& state, const FindingRow& row) {
  const CodeLink link = linked_code(state);
  if (!link.any() || !row.place.any()) return false;
  return row.place.line > 0 ? link.line == row.place.line : link.ptx_line == row.place.ptx_line;
}

/// Heads and sentence of one row; the whole of it can be clicked.
void draw_row(AppContext& context, AppState& state, const FindingRow& row, int number) {
  const float s = context.scale, pad = 6 * s;
  const float width = ImGui::GetContentRegionAvail().x;
  const Tone tone = row.error ? Tone::warning : Tone::accent;
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  const float text_height =
      ImGui::CalcTextSize(row.text.c_str(), nullptr, false, width - 2 * pad).y;
  ImGui::PopFont();
  const float line = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size{width, line + text_height + 2.5f * pad};
  ImGui::PushID(number);
  if (ImGui::InvisibleButton("##finding", size, ImGuiButtonFlags_EnableNav)) go_to(state, row);
  const bool hovered = ImGui::IsItemHovered();
  tooltip(context, tip_of(state, row));
  ImGui::PopID();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  if (hovered || is_chosen(state, row)) {
    draw->AddRectFilled(at, end, to_imgui(context.theme->accent_ground), 4 * s);
  }
  draw->AddRectFilled({at.x, at.y + pad}, {at.x + 3 * s, end.y - pad},
                      ImGui::GetColorU32(tone_color(context, tone)));
  // The gain stands right; what is left of it shortens.
  const std::string gain = gain_words(row), place = place_words(state, row.place);
  ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
  const float gain_width = gain.empty() ? 0 : ImGui::CalcTextSize(gain.c_str()).x + pad;
  if (!gain.empty()) {
    draw->AddText({end.x - pad - gain_width + pad, at.y + pad},
                  ImGui::GetColorU32(tone_color(context, row.hidden ? Tone::dim : Tone::plain)),
                  gain.c_str());
  }
  ImGui::PopFont();
  std::string head = (row.error ? "✗ " : "△ ") + std::string(translated(row.title));
  if (!place.empty()) head += " · " + place;
  if (row.alike > 0) head += fmt::format(" ×{}", row.alike + 1);
  ImGui::PushFont(context.fonts.bold, Fonts::kLabel);
  const std::string shown = elide(head, width - 3 * pad - gain_width);
  draw->AddText({at.x + 1.5f * pad, at.y + pad}, ImGui::GetColorU32(tone_color(context, tone)),
                shown.c_str());
  ImGui::PopFont();
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  draw->AddText(ImGui::GetFont(), ImGui::GetFontSize(),
                {at.x + 1.5f * pad, at.y + pad + line + 0.25f * pad},
                ImGui::GetColorU32(tone_color(context, Tone::dim)), row.text.c_str(), nullptr,
                width - 2.5f * pad);
  ImGui::PopFont();
}

void empty(AppContext& context, AppState& state) {
  const std::string looked = looked_at(state);
  if (!looked.empty()) {
    const bool more = !present_results(state).emulated->checks.whole_k;
    if (empty_panel(context, "Nothing found", looked, more ? "Check all of k" : nullptr)) {
      context.commands.request("run.check");
    }
    return;
  }
  if (state.edit.own() && state.results.error.empty()) {
    empty_panel(context, "Nothing known yet",
                "The checks fill this list once the kernel has been run: Launch sheet.");
    return;
  }
  if (!state.edit.own() && !state.derived.legal()) {
    empty_panel(context, "Nothing to look at", "An illegal tile is not run.");
    return;
  }
  empty_panel(context, "Nothing known yet",
              state.results.error.empty()
                  ? "The checks of the emulator and the counts fill this list in a moment."
                  : state.results.error);
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  const std::vector<FindingRow> rows = findings_list(state);
  if (rows.empty()) return empty(context, state);
  int number = 0;
  for (const FindingRow& row : rows) draw_row(context, state, row, number++);
  ImGui::PushFont(context.fonts.text, Fonts::kCaption);
  ImGui::PushTextWrapPos(0);
  const Count n = count(rows);
  if (n.errors == 0) {
    const std::string looked = looked_at(state);
    ImGui::TextColored(tone_color(context, Tone::dim), "%s", looked.c_str());
  }
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
}

void draw_header(AppContext& context) {
  AppState& state = *context.state;
  const std::vector<FindingRow> rows = findings_list(state);
  if (rows.empty()) return;
  const Count n = count(rows);
  const std::string words =
      wording("{} error{}, {} remark{}", n.errors, plural(n.errors), n.remarks, plural(n.remarks));
  const HeaderItem items[] = {
      {ImGui::CalcTextSize(words.c_str()).x,
       [&] { elided(context, words, n.errors > 0 ? Tone::warning : Tone::dim); }},
      {small_button_width("Copy"),
       [&] {
         if (!ImGui::SmallButton(tr_id("Copy"))) return;
         ImGui::SetClipboardText(findings_text(state, rows).c_str());
         const int copied = static_cast<int>(rows.size());
         say(state, wording("Copied {} finding{}.", copied, plural(copied)));
       }},
      {small_button_width("Check all of k"),
       [&] {
         const auto* command = context.commands.find("run.check");
         ImGui::BeginDisabled(!command || !command->enabled(context));
         if (ImGui::SmallButton(tr_id("Check all of k"))) context.commands.request("run.check");
         ImGui::EndDisabled();
       }},
  };
  header_row(context, items);
}

}  // namespace

extern const Panel findings_panel = {
    .id = "findings",
    .title = "Findings",
    .docks = {.explore = Dock::kRightBottom,
              .learn = Dock::kRightTop,
              .tune = Dock::kBottomRight,
              .step = Dock::kLeftBottom},
    .draw = draw,
    .draw_header = draw_header,
    .without_plan = true,
};

}  // namespace tilescope
