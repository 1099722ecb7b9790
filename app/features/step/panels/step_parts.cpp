#include "app/features/step/panels/step_parts.h"

#include <algorithm>

#include "app/features/step/step_words.h"
#include "app/kit/widgets.h"
#include "app/state/origin_elements.h"
#include "app/state/origins.h"
#include "core/language/language.h"

namespace tilescope::widgets {

const worker::StepAnswer* step_answer_or_why(AppContext& context) {
  AppState& state = *context.state;
  StepView& view = state.of<StepView>();
  view.wanted.any = true;
  const std::string why = why_no_step(state);
  if (!why.empty()) {
    empty_panel(context, "Nothing to step", why);
    return nullptr;
  }
  if (const worker::StepAnswer* answer = step_answer(state)) return answer;
  if (view.given_up && !view.running) {
    const std::string note = view.note.empty() ? "Stepping was stopped." : view.note;
    if (empty_panel(context, "Not stepped", note, "Begin again")) view.given_up.reset();
    return nullptr;
  }
  empty_panel(context, "On the way", "The emulator runs to the first instruction.");
  return nullptr;
}

void hatch(ImDrawList* draw, ImVec2 from, ImVec2 to, ImU32 color) {
  const float height = to.y - from.y, apart = std::max(4.0f, height / 2);
  draw->PushClipRect(from, to, true);
  for (float x = from.x - height; x < to.x; x += apart) {
    draw->AddLine({x, to.y}, {x + height, from.y}, color);
  }
  draw->PopClipRect();
}

void until_items(AppContext& context, const char* kind, const std::string& place,
                 const std::string& words) {
  AppState& state = *context.state;
  const std::string what = std::string(kind) + ":" + place;
  const std::string on = wording("Run until {}", words) + "###on_" + what;
  const std::string back = wording("Back to where {}", words) + "###back_" + what;
  if (ImGui::MenuItem(on.c_str())) step_until(state, what, false);
  if (ImGui::MenuItem(back.c_str())) step_until(state, what, true);
}

void origin_items(AppContext& context, const std::optional<worker::OriginQuestion>& question) {
  if (!question) return;
  AppState& state = *context.state;
  ImGui::Separator();
  const std::string words = origin_words(state, *question);  // asks, too
  const Origins& o = state.origins;
  const bool known = o.serial == state.edit_serial && o.asked == question && o.answer;
  const std::vector<OriginElements> all =
      known ? origin_elements(state, *o.answer) : std::vector<OriginElements>();
  if (all.empty()) {
    ImGui::BeginDisabled();
    ImGui::MenuItem(words.substr(0, words.find('\n')).c_str());
    ImGui::EndDisabled();
  }
  for (const OriginElements& e : all) {
    const std::string back = wording("Back to where its {} was read", e.words) + "###" + e.motion;
    if (ImGui::MenuItem(back.c_str())) {
      step_until(state, e.motion, true);
    }
  }
}

}  // namespace tilescope::widgets
