#include "core/model/nearest_legal.h"

#include <cstdlib>

#include "core/model/names.h"

namespace tilescope::model {
namespace {

/// Notch of a slider that lies nearest to a value.
int nearest_notch(const Slider& slider, int value) {
  int best = 0;
  for (int i = 1; i < slider.count; ++i) {
    const auto distance = [&](int notch) { return std::llabs(1LL * slider.values[notch] - value); };
    if (distance(i) < distance(best)) best = i;
  }
  return best;
}

class Search {
 public:
  Search(const Validate& validate, const Sliders& sliders, const TileConfig& tile,
         const Problem& problem, const DeviceLimits& device, TileFieldId field)
      : validate_(validate), sliders_(sliders), problem_(problem), device_(device), field_(field) {
    // The walk starts from what the kernel offers; a value it does not offer counts as moved.
    for (int i = 0; i < sliders.count; ++i) {
      start_[i] = nearest_notch(sliders.slider[i], get(tile, sliders.slider[i].field));
    }
  }

  /// Tiles with at most `movable` sliders moved beside the offending one.
  std::optional<TileConfig> best_with(int movable) {
    found_ = false;
    best_cost_ = 1 << 30;
    TileConfig tile;
    walk(0, tile, movable, 0);
    return found_ ? std::optional(best_) : std::nullopt;
  }

 private:
  void walk(int index, TileConfig& tile, int movable, int cost) {
    if (cost >= best_cost_) return;
    if (index == sliders_.count) {
      if (!validate_(tile, problem_, device_).legal()) return;
      best_ = tile;
      best_cost_ = cost;
      found_ = true;
      return;
    }
    const Slider& slider = sliders_.slider[index];
    const bool free = slider.field == field_;
    // Nearest notch first, the lower of two before the higher: the first of equal cost stays.
    for (int step = 0; step < 2 * slider.count; ++step) {
      const int distance = (step + 1) / 2;
      const int notch = start_[index] + (step % 2 == 1 ? -distance : distance);
      if (notch < 0 || notch >= slider.count) continue;
      if (distance > 0 && !free && movable == 0) break;
      set(tile, slider.field, slider.values[notch]);
      walk(index + 1, tile, movable - (distance > 0 && !free), cost + distance);
    }
  }

  const Validate& validate_;
  const Sliders& sliders_;
  const Problem& problem_;
  const DeviceLimits& device_;
  TileFieldId field_;
  int start_[kTileFieldCount] = {};
  TileConfig best_;
  int best_cost_ = 0;
  bool found_ = false;
};

std::string label(const Sliders& sliders, const TileConfig& from, const TileConfig& to) {
  std::string text;
  for (int i = 0; i < sliders.count; ++i) {
    const TileFieldId field = sliders.slider[i].field;
    const int value = get(to, field);
    if (value == get(from, field)) continue;
    if (!text.empty()) text += ", ";
    text += setting_text(field, value);
  }
  return text;
}

}  // namespace

std::optional<NearestLegal> nearest_legal(const Validate& validate, const Sliders& sliders,
                                          const TileConfig& tile, const Problem& problem,
                                          const DeviceLimits& device, TileFieldId field) {
  const Rule rule = validate(tile, problem, device).rule;
  // No tile mends these.
  if (rule == Rule::none || rule == Rule::extent_range || rule == Rule::types ||
      rule == Rule::order || rule == Rule::leading_dimension || rule == Rule::device_too_old ||
      rule == Rule::device_too_new) {
    return std::nullopt;
  }
  Search search(validate, sliders, tile, problem, device, field);
  for (int movable = 0; movable <= sliders.count; ++movable) {
    if (const auto best = search.best_with(movable)) return {{*best, label(sliders, tile, *best)}};
  }
  return std::nullopt;
}

}  // namespace tilescope::model
