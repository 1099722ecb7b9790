// What links the pictures: one hover, one selection, one moment, in the words of viz.
#pragma once
#include <array>

#include "app/state/app_state.h"
#include "app/state/pictures.h"
#include "app/widgets/scene_view.h"

namespace tilescope::widgets {

/// Takes over hover and clicks of a picture: a click selects what is under it, a double click goes
/// one level in.
void follow_input(AppState& state, const SceneInput& input);
/// Selects what a pick names.
void select_pick(AppState& state, const viz::Pick& pick);

/// The tooltip of an element: matrix, row, column, global address and sector, shared address and
/// bank, lane and register, and where its value came from.
void pick_tooltip(AppContext& context, const viz::Pick& pick);

/// The same for an instruction that is not the kernel's: no addresses, since it has no matrices.
void atom_tooltip(AppContext& context, const viz::FragmentState& f, const viz::Pick& pick);

/// A scene is rebuilt only when something it shows has changed.
class SceneCache {
 public:
  /// What a panel draws it with beside the state: its tab, its zoom.
  using Options = std::array<float, 4>;

  template <class Build>
  const viz::Scene& get(const AppContext& context, viz::Size size, int option, Build build) {
    return get(context, size, Options{static_cast<float>(option)}, context.state->hover_before.pick,
               build);
  }
  template <class Build>
  const viz::Scene& get(const AppContext& context, viz::Size size, const Options& options,
                        const std::optional<viz::Pick>& hover, Build build) {
    const Key key{context.state->picture_serial,
                  size.w,
                  size.h,
                  context.scale,
                  context.theme,
                  hover,
                  options};
    if (!filled_ || !(key == key_)) {
      scene_ = build();
      key_ = key;
      filled_ = true;
    }
    return scene_;
  }

 private:
  struct Key {
    uint64_t serial = 0;
    float w = 0, h = 0, scale = 0;
    const Theme* theme = nullptr;
    std::optional<viz::Pick> hover;
    Options options{};
    bool operator==(const Key&) const = default;
  };
  Key key_;
  bool filled_ = false;
  viz::Scene scene_;
};

}  // namespace tilescope::widgets
