// What emulate --check prints of any PTX file: the emulator's own account, in this order of keys.
#pragma once
#include <nlohmann/json.hpp>
#include <span>

#include "emulator/emulator.h"

namespace tilescope::worker {

/// {"kind","cta","warp","lane","address","ptx_line","source","line"}
nlohmann::ordered_json fault_json(const emulator::Fault& fault);
/// The same of what was found, and "remark", "count", "message", perhaps "other", and "ptx_lines"
/// where its source line was unrolled to several.
nlohmann::ordered_json finding_json(const emulator::Finding& finding);
nlohmann::ordered_json findings_json(std::span<const emulator::Finding> findings);

}  // namespace tilescope::worker
