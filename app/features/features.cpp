// The features that exist, from feature_list.h.
#include "app/state/feature.h"

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

const Picture* find_picture(std::string_view name) {
  for (const Picture* picture : all_pictures()) {
    if (name == picture->name) return picture;
  }
  return nullptr;
}

}  // namespace tilescope
