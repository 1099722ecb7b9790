// Clusters of CTAs are not emulated: what asks for more than one CTA per cluster is refused, so
// that no CTA is told that it stands alone where it would not.
#pragma once
#include <string>

#include "emulator/ptx/module.h"

namespace tilescope::emulator {

/// Why an entry that says this cannot be run; empty if it can.
std::string refused_clusters(const Function& entry);
/// Why a statement of it, or of a function that it calls, cannot be: it reads a register whose
/// value would be another on a card. Empty if it can.
std::string refused_cluster_register(const Function& entry, const Statement& s);

}  // namespace tilescope::emulator
