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
/// measured; else by the bytes that each rank sends, and a hop more a rank. An all-gather also puts
/// what it got in its place, at `dram_gb_per_second`. 0 for one rank.
double collective_us(const Link& link, StepKind kind, double bytes, int ranks,
                     double dram_gb_per_second);

/// SMs that a transfer takes from a product which runs beside it, and keeps until it has ended:
/// NCCL's CTAs between two H200 (docs/performance.md, "Layers").
inline constexpr int kTransferSms = 16;

}  // namespace tilescope::workload
