// What the model says of many tiles at once: half a millisecond each, so remembered, and of a
// frame only as many as leave it quick.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "core/model/prediction.h"
#include "kernels/registry.h"

namespace tilescope {

class ModelMemo {
 public:
  /// Nothing for a tile whose turn has not come in this frame; `is_behind()` then.
  /// The tile must be legal.
  std::optional<double> tflops(const KernelEntry& kernel, const TileConfig& tile,
                               const Problem& problem, const model::DeviceRow& gpu);
  /// So many may be computed until the next call.
  void begin_frame(int most) { left_ = most, behind_ = false; }
  bool is_behind() const { return behind_; }

 private:
  std::map<std::string, double> known_;
  int left_ = 1 << 30;  // without frames: all at once
  bool behind_ = false;
};

}  // namespace tilescope
