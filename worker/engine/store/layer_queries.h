// What this machine's cards have measured of layers, and which of it still holds.
#pragma once
#include <string>
#include <vector>

#include "worker/engine/store/store.h"

namespace tilescope::worker {

/// Keeps a run, with a hash of its kernels' sources. Empty, or why nothing was kept, in a sentence.
std::string keep_layer(Store& store, const KeptLayer& kept, const std::string& kernel_dir);

/// Of each request and number of cards the newest run, if its kernels' sources are still as they
/// are in `kernel_dir` (empty: built in).
std::vector<KeptLayer> kept_layers(Store& store, const std::string& card,
                                   const std::string& kernel_dir);

}  // namespace tilescope::worker
