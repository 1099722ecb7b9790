// What a picture is made of, as a value: whoever draws it more than once makes it anew only when
// that has changed.
#pragma once
#include <memory>
#include <utility>

#include "viz/scene/scene.h"

namespace tilescope {

class PictureState {
 public:
  virtual ~PictureState() = default;
  /// Of the same picture and equal in all that it shows.
  virtual bool same(const PictureState& other) const = 0;
  virtual viz::Scene build(const viz::Palette& palette, const viz::TextMeasure& measure,
                           viz::Size size) const = 0;
};

template <class State>
class PictureStateOf : public PictureState {
 public:
  using Build = viz::Scene (*)(const State&, const viz::Palette&, const viz::TextMeasure&,
                               viz::Size);
  PictureStateOf(State state, Build build) : state_(std::move(state)), build_(build) {}

  bool same(const PictureState& other) const override {
    const auto* of = dynamic_cast<const PictureStateOf*>(&other);
    return of && of->build_ == build_ && of->state_ == state_;
  }
  viz::Scene build(const viz::Palette& palette, const viz::TextMeasure& measure,
                   viz::Size size) const override {
    return build_(state_, palette, measure, size);
  }

 private:
  State state_;
  Build build_;
};

/// picture_state(state, &viz::build_tiling).
template <class State>
std::unique_ptr<PictureState> picture_state(State state,
                                            typename PictureStateOf<State>::Build build) {
  return std::make_unique<PictureStateOf<State>>(std::move(state), build);
}

}  // namespace tilescope
