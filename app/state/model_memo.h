// The model's speed of many tiles. Each takes half a millisecond to compute, of a large ragged
// problem up to a hundred, so results are remembered, and in one frame only so many are computed
// that it stays quick.
#pragma once
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "core/model/prediction.h"
#include "kernels/registry.h"

namespace tilescope {

class ModelMemo {
 public:
  /// Empty for a tile that has to wait for a later frame; is_behind() is then true.
  /// The tile must be legal.
  std::optional<double> tflops(const KernelEntry& kernel, const TileConfig& tile,
                               const Problem& problem, const model::DeviceRow& gpu);
  /// Begins a frame: until the next call one tile is computed in any case, and further ones while
  /// there are fewer than `most` and they took less than `ms`.
  void begin_frame(int most, double ms = kNoEnd) {
    most_ = most, most_ms_ = ms;
    computed_ = 0, took_ms_ = 0, behind_ = false;
  }
  bool is_behind() const { return behind_; }

 private:
  static constexpr double kNoEnd = std::numeric_limits<double>::infinity();
  std::map<std::string, double> known_;
  int most_ = 1 << 30;  // without frames: all at once
  double most_ms_ = kNoEnd;
  int computed_ = 0;  // in this frame
  double took_ms_ = 0;
  bool behind_ = false;
};

}  // namespace tilescope
