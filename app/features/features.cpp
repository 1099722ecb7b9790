// The features that exist, from feature_list.h.
#include "app/state/feature.h"

#include "core/language/language.h"

namespace tilescope {

#define TILESCOPE_FEATURE(name) extern const Feature name##_feature;
#include "app/features/feature_list.h"
#undef TILESCOPE_FEATURE

std::span<const Feature* const> all_features() {
  static constexpr const Feature* kAll[] = {
#define TILESCOPE_FEATURE(name) &name##_feature,
#include "app/features/feature_list.h"
#undef TILESCOPE_FEATURE
  };
  return kAll;
}

std::vector<const Picture*> all_pictures() {
  std::vector<const Picture*> all;
  for (const Feature* feature : all_features()) {
    for (const Picture& picture : feature->pictures) all.push_back(&picture);
  }
  return all;
}

std::vector<Answer> answers_of_features(const AppState& state, std::string_view typed) {
  std::vector<Answer> all;
  for (const Feature* feature : all_features()) {
    if (!feature->answers) continue;
    for (Answer& answer : feature->answers(state, typed)) all.push_back(std::move(answer));
  }
  return all;
}

std::string why_no_plan(const AppState& state, std::string_view what) {
  if (state.derived.kernel) return {};
  const OwnKernel* own = state.edit.own();
  const std::string name = own ? name_of(*own) : tr("It");
  return wording(
      "{} is drawn from what a rung of the ladder says of its tiles; {} says nothing of them. "
      "Choose "
      "a rung to see it.",
      translated(what), name);
}

const NamedFigure* find_figure(std::string_view id) {
  for (const Feature* feature : all_features()) {
    for (const NamedFigure& figure : feature->figures) {
      if (id == figure.id) return &figure;
    }
  }
  return nullptr;
}

const Picture* find_picture(std::string_view name) {
  for (const Picture* picture : all_pictures()) {
    if (name == picture->name) return picture;
  }
  return nullptr;
}

}  // namespace tilescope
