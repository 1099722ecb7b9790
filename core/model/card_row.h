// A row of the device table for a card that is present. What the driver tells of it is taken from
// there; what the driver does not tell (rates of its units, bandwidth of the L2) from the table's
// row of the card that is most like it.
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

/// The table's row if it has the card by name; else the row of the most similar card (by compute
/// capability, then by memory), its rates scaled by SMs and clock. Limits are the card's own in any
/// case. The row's texts live as long as the program.
DeviceRow row_of_card(const CardFacts& card);

}  // namespace tilescope::model
