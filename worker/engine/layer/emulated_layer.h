// A layer in the emulator: every product by the kernel's own PTX, rank after rank.
#pragma once
#include <atomic>
#include <functional>
#include <string>

#include "worker/messages/messages_layer.h"

namespace tilescope::worker {

struct EmulateLayerOptions {
  /// m·n·k of all products on all ranks, up to which the whole layer is run and compared. Beyond
  /// it a CTA of each kind of each product is, by itself, and nothing is added over the ranks.
  static constexpr double kWholeLimit = 4.0 * 1024 * 1024 * 1024;
  std::string arch, kernel_dir;
  DeviceLimits limits;
  int threads = 1;
  const std::atomic<bool>* cancelled = nullptr;
  std::function<void(std::string stage, int done, int all)> progress = nullptr;
};

/// Fails as emulate() does; a wrong result is no failure.
LayerResult emulate_layer(const LayerRequest& request, const EmulateLayerOptions& options);

}  // namespace tilescope::worker
