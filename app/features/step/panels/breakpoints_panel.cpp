// Breakpoints: where a stepped run stops, lines and findings; on, off, removed.

#include <algorithm>

#include "app/features/step/panels/step_parts.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/state/code_link.h"
#include "app/state/present.h"
#include "core/language/language.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

using namespace widgets;

std::string words_of_breakpoint(const Breakpoint& b) {
  switch (b.where) {
    case Breakpoint::Where::source:
      return wording("line {}", b.line);
    case Breakpoint::Where::ptx:
      return wording("PTX line {}", b.line);
    case Breakpoint::Where::finding:
      break;
  }
  return wording("{}, PTX line {}, warp {}", b.text, b.line, b.warp);
}

/// The text of a row; a click marks its line in Source.
void line_of_code(AppContext& context, AppState& state, const std::string& words, CodeText text,
                  int line) {
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string shown = elide(words, std::max(width, 8.0f));
  if (ImGui::Selectable(shown.c_str())) link_code(state, text, line);
  tooltip(context, wording("{}\nClick: marks the line in Source", words));
}

/// Those of the present subject. True: there are some.
bool list(AppContext& context, AppState& state, StepView& view) {
  const float s = context.scale;
  size_t remove = view.breakpoints.size();
  bool any = false;
  for (size_t i = 0; i < view.breakpoints.size(); ++i) {
    Breakpoint& b = view.breakpoints[i];
    if (!applies(state, b)) continue;
    any = true;
    ImGui::PushID(static_cast<int>(i));
    ImGui::Checkbox("##on", &b.on);
    tooltip(context, "Whether a run stops there");
    ImGui::SameLine(0, 4 * s);
    if (ImGui::SmallButton("x")) remove = i;
    tooltip(context, "Removes it");
    ImGui::SameLine(0, 6 * s);
    ImGui::AlignTextToFramePadding();
    line_of_code(context, state, words_of_breakpoint(b),
                 b.where == Breakpoint::Where::source ? CodeText::kernel : CodeText::ptx, b.line);
    ImGui::PopID();
  }
  if (remove < view.breakpoints.size()) {
    view.breakpoints.erase(view.breakpoints.begin() + static_cast<std::ptrdiff_t>(remove));
  }
  return any;
}

/// What the checks have found, each to be stopped at.
bool findings(AppContext& context, AppState& state) {
  bool any = false;
  int number = 0;
  for (const worker::CodeFinding& f : present_results(state).findings) {
    if (f.remark || f.ptx_line <= 0) continue;
    if (!any) heading(context, "AT FINDINGS");
    any = true;
    ImGui::PushID(1000 + number++);
    bool on = has_breakpoint(state, f);
    if (ImGui::Checkbox("##finding", &on)) toggle_finding(state, f);
    tooltip(context, "Stops where it was seen first: its PTX line, in that warp");
    ImGui::SameLine(0, 6 * context.scale);
    ImGui::AlignTextToFramePadding();
    line_of_code(context, state,
                 wording("{}, {}, warp {}", worker::finding_word(f.kind),
                         place_words(state, {f.line, f.ptx_line}), f.warp),
                 f.line > 0 ? CodeText::kernel : CodeText::ptx, f.line > 0 ? f.line : f.ptx_line);
    ImGui::PopID();
  }
  return any;
}

void draw_breakpoints(AppContext& context) {
  AppState& state = *context.state;
  StepView& view = state.of<StepView>();
  const bool some = list(context, state, view);
  const bool found = findings(context, state);
  if (!some && !found) {
    empty_panel(context, "No breakpoint",
                "A click beside a line's number in Source sets one, and F9 at the clicked line. "
                "Continue (F8) stops at whichever comes first.");
    return;
  }
  if (!some) return;
  if (ImGui::Button(tr_id("Run to the next"))) run_to_breakpoint(state, false);
  tooltip(context, "F8; with Shift the last one before this place");
  beside(6 * context.scale, small_button_width("Remove all"));
  if (ImGui::Button(tr_id("Remove all"))) {
    std::erase_if(view.breakpoints, [&](const Breakpoint& b) { return applies(state, b); });
  }
}

}  // namespace

extern const Panel breakpoints_panel = {
    .id = "breakpoints",
    .title = "Breakpoints",
    .docks = {.step = Dock::kBottomLeft},
    .draw = draw_breakpoints,
    .commands = step_commands,
    .without_plan = true,
};

}  // namespace tilescope
