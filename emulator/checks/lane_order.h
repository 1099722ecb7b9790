// Decides whether one lane's access is ordered before that of another lane of the same warp: it is
// if both have waited for each other in between (bar.warp.sync, a shuffle, a barrier). Times are
// the warp's clock, as SharedChecker keeps it.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace tilescope::emulator {

class LaneOrder {
 public:
  /// All that was done before `clock` lies in the past.
  void start(uint32_t clock) {
    floor_ = clock - 1;
    if (!in_parts_) return;
    for (auto& lane : known_) lane.fill(0);
    in_parts_ = false;
  }
  /// The lanes have waited for each other, and know of all that was done up to `clock`.
  void meet(uint32_t lanes, uint32_t alive, uint32_t clock) {
    if ((alive & ~lanes) == 0) {
      floor_ = std::max(floor_, clock);
      return;
    }
    in_parts_ = true;
    std::array<uint32_t, 32> all{};  // what any of them knew
    for (uint32_t m = lanes; m; m &= m - 1) {
      const std::array<uint32_t, 32>& known = known_[lane_of(m)];
      for (size_t i = 0; i < 32; ++i) all[i] = std::max(all[i], known[i]);
    }
    for (uint32_t m = lanes; m; m &= m - 1) all[lane_of(m)] = clock;
    for (uint32_t m = lanes; m; m &= m - 1) known_[lane_of(m)] = all;
  }
  /// Whether `lane` comes behind what lane `by` did at `clock`.
  bool knows(uint32_t lane, uint32_t by, uint32_t clock) const {
    return clock <= floor_ || lane == by || known_[lane][by] >= clock;
  }
  /// The same of several lanes that are not known: true if there is any doubt.
  bool may_know(uint32_t clock) const { return clock <= floor_ || in_parts_; }
  bool all_know(uint32_t clock) const { return clock <= floor_; }

 private:
  static size_t lane_of(uint32_t mask) { return static_cast<size_t>(std::countr_zero(mask)); }
  uint32_t floor_ = 0;     // all lanes know what was done up to here
  bool in_parts_ = false;  // some have met without the others
  std::array<std::array<uint32_t, 32>, 32> known_{};
};

}  // namespace tilescope::emulator
