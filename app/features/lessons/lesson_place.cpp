#include "app/features/lessons/lesson_place.h"

#include "app/state/edit.h"
#include "app/state/feature.h"

namespace tilescope {

extern const Feature lessons_feature;

namespace {

using nlohmann::json;

/// What features would save of what is chosen, each under its own keys.
json choices_of(const AppState& state) {
  json all = json::object();
  for (const Feature* feature : all_features()) {
    const SessionPart& part = feature->session;
    if (part.save && !part.personal && feature != &lessons_feature) part.save(state, all);
  }
  return all;
}

/// The values of `to` that are not those of `from`.
json changes_between(const json& from, const json& to) {
  json changes = json::object();
  for (const auto& [key, value] : to.items()) {
    const auto before = from.find(key);
    if (before != from.end() && *before == value) continue;
    const bool inside = before != from.end() && before->is_object() && value.is_object();
    changes[key] = inside ? changes_between(*before, value) : value;
  }
  return changes;
}

/// Of `all` what `shape` has a value for.
json of_shape(const json& all, const json& shape) {
  json part = json::object();
  for (const auto& [key, value] : shape.items()) {
    const auto at = all.find(key);
    if (at == all.end()) continue;
    part[key] = value.is_object() && at->is_object() ? of_shape(*at, value) : *at;
  }
  return part;
}

/// The same kernel and problem; of one's own the same file: its sheet is found once it is open.
bool same_subject(const Edit& a, const Edit& b) {
  if (a.own() && b.own()) return a.own()->file == b.own()->file;
  return same_request(a, b);
}

/// A state of its own, in which a lesson is gone through in thought.
AppState apart_from(const AppState& state) {
  AppState other;
  other.view = state.view, other.device = state.device, other.devices = state.devices;
  other.recordings = state.recordings, other.kernel_dir = state.kernel_dir;
  other.models = state.models;
  other.store = state.store;
  other.edit = initial_state().edit;
  derive(other);
  return other;
}

}  // namespace

std::vector<LessonPlace> places_of(const AppState& state, const Lesson& lesson) {
  AppState other = apart_from(state);
  std::vector<LessonPlace> places;
  std::vector<json> choices;
  json before = choices_of(other), touched = json::object();
  const auto add = [&](const std::vector<std::string>& changes) {
    if (!do_as_typed(other, changes).empty()) return false;
    json now = choices_of(other);
    touched.merge_patch(changes_between(before, now));
    places.push_back({other.edit, {}});
    choices.push_back(now);
    before = std::move(now);
    return true;
  };
  if (add(lesson.start)) {
    for (const LessonStep& step : lesson.steps) {
      if (!add(step.changes)) break;
    }
  }
  for (size_t i = 0; i < places.size(); ++i) places[i].choices = of_shape(choices[i], touched);
  return places;
}

LessonPlace present_place(const AppState& state, const LessonPlace& as) {
  return {state.edit,
          as.choices.empty() ? json::object() : of_shape(choices_of(state), as.choices)};
}

bool stands_at(const AppState& state, const LessonPlace& place) {
  if (!same_subject(state.edit, place.edit)) return false;
  return place.choices.empty() || of_shape(choices_of(state), place.choices) == place.choices;
}

void go_to_place(AppState& state, const LessonPlace& place) {
  const bool other = !same_subject(state.edit, place.edit);
  if (other) set_edit(state, Edit(place.edit));
  if (place.choices.empty()) return;
  json wanted = choices_of(state);
  if (of_shape(wanted, place.choices) == place.choices) return;
  if (!other) remember_edit(state, 0);  // one step of undo for both
  wanted.merge_patch(place.choices);
  for (const Feature* feature : all_features()) {
    const SessionPart& part = feature->session;
    if (!part.save || !part.load || part.personal || feature == &lessons_feature) continue;
    json own = json::object();
    part.save(state, own);
    bool touched = false;
    for (const auto& [key, value] : own.items()) touched |= place.choices.contains(key);
    if (touched) part.load(state, wanted);
  }
}

}  // namespace tilescope
