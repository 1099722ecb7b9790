// Tensor maps by the driver of a card.
#pragma once
#include "worker/engine/emulate/launch_tensor_maps.h"
#include "worker/engine/gpu/gpu.h"

namespace tilescope::worker {

EncodeTensorMap card_encoder(const Gpu& gpu);

}  // namespace tilescope::worker
