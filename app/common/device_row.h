// A card that is here as the model knows cards.
#pragma once
#include "core/model/device_table.h"
#include "worker/messages/messages.h"

namespace tilescope {

/// What the model takes of a card: what it says of itself, the rest of its kind.
model::DeviceRow model_row(const worker::DeviceInfo& card);

}  // namespace tilescope
