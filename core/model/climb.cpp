#include "core/model/climb.h"

#include <vector>

#include "core/model/names.h"

namespace tilescope::model {
namespace {

/// Two measurements of one tile differ by less than this.
constexpr double kNoise = 1.003;

class Climber {
 public:
  Climber(const Validate& validate, const Sliders& sliders, const TileConfig& from,
          const Problem& problem, const DeviceLimits& device, int most, const Speed& speed)
      : validate_(validate),
        sliders_(sliders),
        problem_(problem),
        device_(device),
        speed_(speed),
        left_(most),
        best_(from) {}

  TileConfig run(std::span<const TileConfig> others) {
    faster(best_);
    for (const TileConfig& tile : others) faster(tile);
    // A slider that brought nothing is tried again when another one has moved.
    for (int idle = 0, i = 0; idle < sliders_.count && left_ > 0; i = (i + 1) % sliders_.count) {
      idle = moved(sliders_.slider[i]) ? 0 : idle + 1;
    }
    return best_;
  }

 private:
  /// Goes along one slider as far as it gets faster.
  bool moved(const Slider& slider) {
    bool any = false;
    for (const int direction : {1, -1}) {
      bool further = false;
      while (const auto next =
                 neighbour(validate_, sliders_, best_, slider, direction, problem_, device_)) {
        if (!faster(next->tile)) break;
        further = any = true;
      }
      if (further) break;  // the other direction is where it came from
    }
    return any;
  }

  /// Measures a tile, once; true if it is the fastest so far.
  bool faster(const TileConfig& tile) {
    for (const TileConfig& known : asked_) {
      if (known == tile) return false;
    }
    if (left_ <= 0) return false;
    --left_;
    asked_.push_back(tile);
    const auto tflops = speed_(tile);
    if (!tflops || *tflops <= best_tflops_ * kNoise) return false;
    best_ = tile, best_tflops_ = *tflops;
    return true;
  }

  const Validate& validate_;
  const Sliders& sliders_;
  const Problem& problem_;
  const DeviceLimits& device_;
  const Speed& speed_;
  int left_;
  TileConfig best_;
  double best_tflops_ = 0;
  std::vector<TileConfig> asked_;
};

}  // namespace

std::optional<Neighbour> neighbour(const Validate& validate, const Sliders& sliders,
                                   const TileConfig& from, const Slider& slider, int direction,
                                   const Problem& problem, const DeviceLimits& device) {
  for (int i = 0; i < slider.count; ++i) {
    const int to = i + direction;
    if (slider.values[i] != get(from, slider.field) || to < 0 || to >= slider.count) continue;
    const int value = slider.values[to];
    Neighbour next{from, setting_text(slider.field, value)};
    set(next.tile, slider.field, value);
    if (validate(next.tile, problem, device).legal()) return next;
    Sliders others = sliders;  // this one stays where it was put
    for (Slider& s : others.slider) {
      if (s.field == slider.field) s.count = 1, s.values[0] = value;
    }
    const auto legal =
        nearest_legal(validate, others, next.tile, problem, device, TileFieldId::none);
    if (!legal) return std::nullopt;
    return Neighbour{legal->tile, next.label + ", " + legal->label};
  }
  return std::nullopt;
}

TileConfig climb(const Validate& validate, const Sliders& sliders, const TileConfig& from,
                 const Problem& problem, const DeviceLimits& device, int most, const Speed& speed,
                 std::span<const TileConfig> others) {
  return Climber(validate, sliders, from, problem, device, most, speed).run(others);
}

}  // namespace tilescope::model
