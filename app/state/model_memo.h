// The model's speed of many tiles. Each takes half a millisecond to compute, so results are
// remembered, and in one frame only so many are computed that it stays quick.
#pragma once
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
  /// Begins a frame: how many tiles may be computed until the next call.
  void begin_frame(int most) { left_ = most, behind_ = false; }
  bool is_behind() const { return behind_; }

 private:
  std::map<std::string, double> known_;
  int left_ = 1 << 30;  // without frames: all at once
  bool behind_ = false;
};

}  // namespace tilescope
