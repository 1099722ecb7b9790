// A row of the device table for a card that is there: what it says of itself, and of what it does
// not say (rates of its units, bandwidth of L2) what is known of its kind.
#pragma once
#include <string_view>

#include "core/model/device_table.h"

namespace tilescope::model {

/// What a driver tells of a card; 0 = unknown.
struct CardFacts {
  std::string_view name;  // "NVIDIA H200"
  DeviceLimits limits;
  double clock_mhz = 0, dram_gb_per_second = 0, l2_bytes = 0;
};

/// The table's row if the card is in it by name, else that of the likest card (the same compute
/// capability, or the nearest; the likest memory), its rates scaled by SMs and clock. Limits are
/// the card's own in any case. The row's texts live as long as the program.
DeviceRow row_of_card(const CardFacts& card);

}  // namespace tilescope::model
