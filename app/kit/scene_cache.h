// Keeps the last picture of a panel together with the state that it was made of, and makes it again
// when it is asked for with another state. So a picture is never older than what stands beside it.
#pragma once
#include <optional>

#include "app/kit/scene_view.h"
#include "core/language/language.h"

namespace tilescope::widgets {

template <class State>
class SceneCache {
 public:
  using Build = viz::Scene (*)(const State&, const viz::Palette&, const viz::TextMeasure&,
                               viz::Size);
  explicit SceneCache(Build build) : build_(build) {}

  const viz::Scene& get(const AppContext& context, viz::Size size, const State& state) {
    const viz::Palette& palette = palette_of(context);
    Key key{state, size, context.scale, &palette, language_changes()};
    if (!key_ || !(*key_ == key)) {
      scene_ = build_(state, palette, FontMeasure(context), size);
      key_ = std::move(key);
    }
    return scene_;
  }

 private:
  struct Key {
    State state;
    viz::Size size;
    float scale = 1;
    const viz::Palette* palette = nullptr;
    uint64_t language = 0;
    bool operator==(const Key&) const = default;
  };
  Build build_;
  std::optional<Key> key_;
  viz::Scene scene_;
};

}  // namespace tilescope::widgets
