// The bar of stepping over Source's text: by instruction, line, event, barrier and k step, until
// something is read or written, to a line; and where the run stands. Breakpoints in the margin.
#include <fmt/format.h>
#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>

#include "app/features/step/panels/step_parts.h"
#include "app/features/step/step_words.h"
#include "app/kit/header_row.h"
#include "app/kit/widgets.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/present.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using namespace widgets;

constexpr const char* kUnitTips[] = {
    "the next instruction of the PTX (F11)", "the next line of the source (F10)",
    "the next copy, load, store, wait, fma or mma (F6)", "the next barrier (F7)",
    "the next round of the outermost loop (F12)"};

/// "<", the unit's name, ">".
void unit_buttons(AppContext& context, AppState& state, int unit) {
  const float s = context.scale;
  const auto way = [&](const char* sign, const char* name, bool back) {
    if (ImGui::Button(fmt::format("{}###{}_{}", sign, name, unit).c_str())) {
      step_by(state, static_cast<StepUnit>(unit), back);
    }
    tooltip(context, back ? wording("Back, with Shift: to the one before {}", kUnitTips[unit])
                          : wording("To {}", kUnitTips[unit]));
  };
  way("<", "back", true);
  ImGui::SameLine(0, 3 * s);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr(kStepUnits[unit]));
  ImGui::SameLine(0, 3 * s);
  way(">", "on", false);
}

float unit_width(const AppContext& context, int unit) {
  return small_button_width("<") + ImGui::CalcTextSize(tr(kStepUnits[unit])).x +
         small_button_width(">") + 6 * context.scale;
}

void warp_choice(AppContext& context, StepView& view, const worker::StepAnswer* answer) {
  const std::string warp = wording("warp {}", answer ? shown_warp(view, *answer) : 0);
  const char* const labels[] = {warp.c_str(), "all warps"};
  int chosen = view.alone ? 0 : 1;
  beside(10 * context.scale, segmented_width(context, labels));
  if (segmented(context, "step_warps", labels, &chosen, segmented_width(context, labels))) {
    view.alone = chosen == 0;
  }
  tooltip(context,
          "Whose instructions these stop at: of the warp that is shown, or of whichever runs next. "
          "The others run on meanwhile, each to its next barrier, in the emulator's order");
}

/// What one may run until: typed, or taken from a list.
void until_field(AppContext& context, AppState& state, StepView& view, float width) {
  const float s = context.scale, arrow = ImGui::GetFrameHeight();
  ImGui::SetNextItemWidth(width - arrow - 2 * s);
  const bool entered = ImGui::InputTextWithHint("##until", "written:C[0,0]", &view.until,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  tooltip(
      context,
      "Run until: written:C[17,33], read:A+0:16, touched:s+128:4 (shared memory), register:%f1, "
      "line:54, ptx:200, event:mma, k:8, step:100, cta_end, end; several with | between them "
      "stop at whichever comes first");
  if (entered) step_until(state, view.until, ImGui::GetIO().KeyShift);
  ImGui::SameLine(0, 2 * s);
  if (ImGui::ArrowButton("##until_offers", ImGuiDir_Down)) ImGui::OpenPopup("until_offers");
  if (!ImGui::BeginPopup("until_offers")) return;
  for (const UntilOffer& offer : until_offers(state)) {
    const std::string label = offer.words + "###" + offer.motion;
    if (ImGui::MenuItem(label.c_str(), offer.motion.c_str())) view.until = offer.motion;
  }
  ImGui::EndPopup();
}

/// A button of the second row; false where it was not pressed.
bool row_button(const AppContext& context, const char* label, const char* tip,
                bool enabled = true) {
  beside(6 * context.scale, small_button_width(label));
  ImGui::BeginDisabled(!enabled);
  const bool pressed = ImGui::Button(tr_id(label));
  ImGui::EndDisabled();
  tooltip(context, tip);
  return pressed;
}

void until_row(AppContext& context, AppState& state, StepView& view) {
  const float s = context.scale;
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("until"));
  ImGui::SameLine(0, 6 * s);
  const float width = std::clamp(ImGui::GetContentRegionAvail().x * 0.34f, 110 * s, 240 * s);
  until_field(context, state, view, width);
  if (row_button(context, "Run back##until_back",
                 "Backward, to the last place where that happened")) {
    step_until(state, view.until, true);
  }
  if (row_button(context, "Run##until_on", "Forward, to the next place where it happens (Enter)")) {
    step_until(state, view.until, false);
  }
  const CodeLink link = linked_code(state);
  const std::string line = link.line > 0       ? wording("To line {}", link.line)
                           : link.ptx_line > 0 ? wording("To PTX {}", link.ptx_line)
                                               : tr("To line");
  if (row_button(context, (line + "###to_line").c_str(),
                 "To the line that was clicked; with Shift backward", link.any())) {
    step_to_line(state, ImGui::GetIO().KeyShift);
  }
  if (row_button(context, "Continue",
                 "To the nearest breakpoint, or the end of the run (F8); "
                 "with Shift backward")) {
    run_to_breakpoint(state, ImGui::GetIO().KeyShift);
  }
  if (row_button(context, "Undo", "To the place before the last motion", !view.passed.empty())) {
    step_back_to_before(state);
  }
  if (view.running) {
    if (row_button(context, "Stop", "Stays where it was (Escape)")) {
      context.commands.request("run.stop");
    }
  } else if (row_button(context, "End", "Ends stepping: Source follows the Timeline again")) {
    end_stepping(state);
  }
}

/// The instruction as it stands in the PTX.
std::string ptx_text(const AppState& state, int line) {
  const Results& r = present_results(state);
  if (!r.compile || line <= 0 || !ImGui::IsItemHovered()) return {};
  std::string_view rest = r.compile->ptx;
  for (int i = 1; i < line && !rest.empty(); ++i) {
    const size_t end = rest.find('\n');
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  const std::string_view text = rest.substr(0, rest.find('\n'));
  const size_t from = text.find_first_not_of(" \t");
  return from == text.npos ? std::string() : std::string(text.substr(from, 400));
}

}  // namespace

void draw_step_bar(AppContext& context) {
  AppState& state = *context.state;
  StepView& view = state.of<StepView>();
  if (!view.on) return;
  const worker::StepAnswer* answer = step_answer(state);
  for (int unit = 0; unit < static_cast<int>(std::size(kStepUnits)); ++unit) {
    if (unit > 0) beside(12 * context.scale, unit_width(context, unit));
    unit_buttons(context, state, unit);
  }
  warp_choice(context, view, answer);
  until_row(context, state, view);
  // One line that is there anyway, so that the text below stays where it is.
  if (!view.note.empty()) {
    elided(context, view.note, Tone::warning);
    tooltip(context, view.note);
  } else if (answer) {
    const bool fault = answer->state.place.fault.has_value();
    const OwnKernel* own = state.edit.own();
    const std::string file = own                    ? name_of(*own)
                             : state.derived.kernel ? state.derived.kernel->file
                                                    : "";
    const std::string words = place_words(answer->state.place, file);
    elided(context, words, fault ? Tone::warning : Tone::dim);
    tooltip(context, words + "\n" + ptx_text(state, answer->state.place.ptx_line));
  } else {
    elided(context, view.given_up ? "Stopped." : "The emulator runs to the first instruction …",
           Tone::dim);
  }
  ImGui::Separator();
}

void draw_breakpoint(AppContext& context, CodeText text, int line, ImVec2 at, ImVec2 size) {
  const AppState& state = *context.state;
  const StepView& view = state.of<StepView>();
  if (view.breakpoints.empty()) return;
  const bool ptx = shows_ptx(state, text);
  if (text == CodeText::sass) return;
  for (const Breakpoint& b : view.breakpoints) {
    if (b.line != line || ptx != (b.where != Breakpoint::Where::source)) continue;
    if (!applies(state, b)) continue;
    // Left of the numbers, which begin a glyph from the edge.
    const float radius = std::min(size.y * 0.3f, 3 * context.scale);
    const ImVec2 middle{at.x + radius, at.y + size.y / 2};
    const ImU32 color = to_imgui(context.theme->warning);
    ImDrawList* draw = ImGui::GetWindowDrawList();
    if (b.on) {
      draw->AddCircleFilled(middle, radius, color);
    } else {
      draw->AddCircle(middle, radius, color);
    }
    return;
  }
}

void click_breakpoint(AppContext& context, CodeText text, int line) {
  toggle_breakpoint(*context.state, text, line);
}

}  // namespace tilescope
