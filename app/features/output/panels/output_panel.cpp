// Output: what a stepped run has shown up to its place. Findings of the checks, copies on their
// way, what the kernel printed; all of it goes backward with the run.

#include <algorithm>

#include "app/features/output/output_rows.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/panel.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/stepped_output.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

constexpr size_t kMostShown = 64 << 10;  // bytes of what was printed

/// "Go", where there is a moment to go to; its room where there is none.
void go_button(AppContext& context, AppState& state, const OutputMoment& moment, const char* what) {
  ImGui::BeginDisabled(moment.warp < 0);
  if (ImGui::SmallButton(tr_id("Go"))) step_to_moment(state, moment.cta, moment.warp, moment.step);
  ImGui::EndDisabled();
  if (moment.warp < 0) return tooltip(context, "It shows only when all CTAs have run");
  tooltip(context, wording("To {}: step {} of warp {}", what, moment.step, moment.warp));
  ImGui::SameLine(0, 6 * context.scale);
}

/// A line that marks its place in Source.
void marking_line(AppContext& context, AppState& state, const std::string& words,
                  const std::string& tip, const CodeLink& place) {
  const std::string shown = elide(words, std::max(ImGui::GetContentRegionAvail().x, 8.0f));
  if (ImGui::Selectable(shown.c_str()) && place.any()) link_place(state, place);
  tooltip(context, tip + (place.any() ? tr("\nClick: marks its line in Source") : ""));
}

void draw_findings(AppContext& context, AppState& state, const worker::StepAnswer& answer) {
  heading(context, "FINDINGS", findings_summary(answer));
  const std::vector<FindingSoFar> rows = findings_so_far(answer);
  if (rows.empty()) elided(context, "The checks have found nothing up to here.", Tone::dim);
  for (size_t i = 0; i < rows.size(); ++i) {
    const FindingSoFar& row = rows[i];
    ImGui::PushID(static_cast<int>(i));
    go_button(context, state, row.moment, "where it was seen first");
    if (row.moment.warp < 0) ImGui::SameLine(0, 6 * context.scale);
    ImGui::PushStyleColor(ImGuiCol_Text, tone_color(context, Tone::warning));
    marking_line(context, state, row.head, row.text, row.place);
    ImGui::PopStyleColor();
    ImGui::PushFont(context.fonts.text, Fonts::kCaption);
    ImGui::PushTextWrapPos(0);
    ImGui::TextColored(tone_color(context, Tone::dim), "%s", row.text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    ImGui::PopID();
  }
}

void draw_copies(AppContext& context, AppState& state, const emulator::StepState& s) {
  const std::vector<CopiesOfWarp> rows = copies_in_flight(s);
  heading(context, "COPIES ON THEIR WAY",
          rows.empty()
              ? std::string()
              : wording("cp.async of {} warp{}", rows.size(), rows.size() == 1 ? "" : "s"));
  if (rows.empty()) {
    elided(context, s.warps.empty() ? "The run has ended." : "No cp.async is waited for here.",
           Tone::dim);
  }
  for (const CopiesOfWarp& row : rows) {
    ImGui::PushID(1000 + row.warp);
    go_button(context, state, row.moment, "the commit of the oldest group, or the last copy");
    marking_line(context, state, wording("warp {}  {}", row.warp, row.words), row.tip, row.place);
    ImGui::PopID();
  }
}

void draw_printed(AppContext& context, AppState& state, const std::string& text) {
  heading(context, "PRINTED");
  if (text.empty()) {
    return elided(context, "The kernel has printed nothing up to here.", Tone::dim);
  }
  if (ImGui::SmallButton(tr_id("Copy"))) {
    ImGui::SetClipboardText(text.c_str());
    say(state, wording("Copied {} bytes.", text.size()));
  }
  ImGui::PushFont(context.fonts.mono, Fonts::kCaption);
  ImGui::PushTextWrapPos(0);
  const std::string shown = end_of_text(text, kMostShown);
  ImGui::TextUnformatted(shown.c_str(), shown.c_str() + shown.size());
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
}

void draw(AppContext& context) {
  AppState& state = *context.state;
  StepOutput& output = state.of<StepOutput>();
  output.wanted = true;
  if (!output.why.empty()) return (void)empty_panel(context, "Nothing to step", output.why);
  const worker::StepAnswer* answer = step_output(state);
  if (!answer) {
    return (void)empty_panel(context, "On the way",
                             "The checks run the launch once; then its findings so far, copies on "
                             "their way and what it prints stand here.");
  }
  draw_findings(context, state, *answer);
  draw_copies(context, state, answer->state);
  draw_printed(context, state, answer->state.output);
}

constexpr Gesture kGestures[] = {{"click on a row", "marks its line in Source"},
                                 {"Go", "steps to the moment of a finding or of a copy"}};

}  // namespace

extern const Panel output_panel = {
    .id = "output",
    .title = "Output",
    .docks = {.step = Dock::kBottomLeft},
    .draw = draw,
    .gestures = kGestures,
    .without_plan = true,
};

}  // namespace tilescope
