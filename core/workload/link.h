// What a collective takes between the cards of one host: a model, from what NCCL took on two.
#pragma once
#include <string_view>

#include "core/workload/workload.h"

namespace tilescope::workload {

/// A kind of link between cards.
struct Link {
  const char* name;       // "NVLink 4"
  double speed = 1;       // of the bandwidth of the link that was measured
  bool measured = false;  // its own times stand behind it
};

/// Of a card by its name as the driver or the device table has it.
const Link& link_of(std::string_view card);

/// Microseconds of one call on a matrix of so many bytes. `ranks` of 2: an all-reduce as it was
/// measured; else by the bytes that each rank sends, and a hop more a rank. 0 for one rank.
double collective_us(const Link& link, StepKind kind, double bytes, int ranks);

/// How a product and a transfer that run side by side share the card: what remains of the speed of
/// each. Measured (docs/performance.md, "Layers").
inline constexpr double kProductBesideTransfer = 0.8;
inline constexpr double kTransferBesideProduct = 0.6;

}  // namespace tilescope::workload
