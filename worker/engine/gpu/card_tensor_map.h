// Tensor maps by the driver of a card.
#pragma once
#include "worker/engine/emulate/tensor_maps.h"
#include "worker/engine/gpu/gpu.h"

namespace tilescope::worker {

EncodeTensorMap card_encoder(const Gpu& gpu);

}  // namespace tilescope::worker
