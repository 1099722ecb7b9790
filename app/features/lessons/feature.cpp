#include "app/state/feature.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/features/lessons/lesson_run.h"
#include "app/state/json_take.h"

namespace tilescope {
namespace lessons_row {
namespace {

void save(const AppState& state, nlohmann::json& session) {
  const LessonView& view = state.of<LessonView>();
  if (!view.open.empty()) session["lesson"] = {{"open", view.open}, {"step", view.step}};
}

/// Also of none: what is not said here somebody else's state would say.
void save_progress(const AppState& state, nlohmann::json& session) {
  session["lessons_done"] = state.of<LessonView>().done;
}

void load_progress(LessonView& view, const nlohmann::json& session) {
  const auto done = session.find("lessons_done");
  if (done == session.end() || !done->is_object()) return;
  for (const auto& [id, steps] : done->items()) {
    const Lesson* lesson = find_lesson(id);
    if (!lesson || !steps.is_number_integer()) continue;
    const auto all = static_cast<long long>(lesson->steps.size());
    int& mine = view.done[id];
    mine = std::max(mine, static_cast<int>(std::clamp(steps.get<long long>(), 0ll, all)));
  }
}

void load(AppState& state, const nlohmann::json& session) {
  LessonView& view = state.of<LessonView>();
  load_progress(view, session);
  view.open.clear();
  view.step = -1;
  const auto at = session.find("lesson");
  if (at == session.end() || !at->is_object()) return;
  std::string open;
  int step = -1;
  take(*at, "open", open), take(*at, "step", step);
  if (!find_lesson(open)) return;
  view.open = open;
  resume_step(state, step);
}

}  // namespace
}  // namespace lessons_row

extern const Feature lessons_feature{.begin_frame = look_at_lesson,
                                     .session = {.save = lessons_row::save,
                                                 .load = lessons_row::load,
                                                 .save_personal = lessons_row::save_progress},
                                     .answers = lesson_answers};

}  // namespace tilescope
