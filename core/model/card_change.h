// By how much one property of a card (its DRAM bandwidth, its SMs, …) would have to differ before
// the slower of two tiles became the faster one. Read as an explanation: "with half the DRAM
// bandwidth the other tile wins" says that this tile wins by needing more of it.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/model/device_table.h"

namespace tilescope::model {

/// A property of a card that the time model reads, and how to scale it.
struct CardPart {
  const char* name;  // "DRAM bandwidth"
  void (*scale)(DeviceRow& device, double factor);
};
std::span<const CardPart> card_parts();

struct CardChange {
  const char* part;
  double factor;  // 2: twice as much; 0.5: half
};
/// `difference` gives for a card how much longer one thing takes than another, in any unit. For
/// each part: the factor nearest to 1, between 1/8 and 8, at which that difference changes its
/// sign. Parts for which it never does are left out.
std::vector<CardChange> changes_that_turn(
    const DeviceRow& device, const std::function<double(const DeviceRow&)>& difference);

}  // namespace tilescope::model
