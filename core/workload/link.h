// Models how long a collective takes between the cards of one host, fitted to what NCCL took
// between two cards.
#pragma once
#include <string_view>

#include "core/workload/workload.h"

namespace tilescope::workload {

/// A kind of link between cards.
struct Link {
  const char* name;       // "NVLink 4"
  double speed = 1;       // its bandwidth over that of the link that was measured
  bool measured = false;  // true: this link is the one that was measured
};

/// Of a card by its name as the driver or the device table has it.
const Link& link_of(std::string_view card);

/// Microseconds of one call on a matrix of `bytes`. For two ranks an all-reduce takes what was
/// measured; for more, the time grows with the bytes that each rank sends and by one hop per
/// further rank. An all-gather also copies what it received to its place, at `dram_gb_per_second`.
/// 0 for one rank.
double collective_us(const Link& link, StepKind kind, double bytes, int ranks,
                     double dram_gb_per_second);

/// SMs that a transfer takes from a product which runs beside it, and keeps until it has ended:
/// NCCL's CTAs between two H200 (docs/performance.md, "Layers").
inline constexpr int kTransferSms = 16;

}  // namespace tilescope::workload
