// What emulate --provenance prints (docs/emulator.md).
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "emulator/provenance.h"

namespace tilescope::worker {

/// Rows of stored elements; a buffer is named by the index of its --arg: argument_of[buffer].
nlohmann::ordered_json provenance_json(const emulator::Provenance& provenance,
                                       std::span<const int> argument_of);

}  // namespace tilescope::worker
