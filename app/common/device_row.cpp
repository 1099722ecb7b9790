#include "app/common/device_row.h"

#include "core/model/card_row.h"

namespace tilescope {

model::DeviceRow model_row(const worker::DeviceInfo& card) {
  return model::row_of_card(
      {card.name, card.limits, card.clock_mhz, card.dram_gb_per_second, card.l2_bytes});
}

}  // namespace tilescope
