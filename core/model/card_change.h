// What of a card would have to be different for something else to be faster on it.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/model/device_table.h"

namespace tilescope::model {

/// Something that cards have more or less of.
struct CardPart {
  const char* name;  // "DRAM bandwidth"
  void (*scale)(DeviceRow& device, double factor);
};
std::span<const CardPart> card_parts();

struct CardChange {
  const char* part;
  double factor;  // 2: twice as much; 0.5: half
};
/// For each part the change nearest to none, up to eight times as much or as little, with which
/// `difference` has the other sign; parts with none are left out.
std::vector<CardChange> changes_that_turn(
    const DeviceRow& device, const std::function<double(const DeviceRow&)>& difference);

}  // namespace tilescope::model
