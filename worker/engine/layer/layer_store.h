// What this machine's cards have measured of layers, kept from session to session: a line a run.
// Format: docs/recordings.md.
#pragma once
#include <string>
#include <vector>

#include "worker/messages/messages_layer.h"

namespace tilescope::worker {

/// Appends a run to the card's file in `folder`, with a hash of its kernels' sources. Empty, or why
/// nothing was kept, in a sentence.
std::string keep_layer(const std::string& folder, const KeptLayer& kept,
                       const std::string& kernel_dir);

/// Of each request and number of cards the newest run, if its kernels' sources are still as they
/// are in `kernel_dir` (empty: built in). Lines that are not understood are passed over.
std::vector<KeptLayer> kept_layers(const std::string& folder, const std::string& card,
                                   const std::string& kernel_dir);

}  // namespace tilescope::worker
