// What emulate --check prints.
#pragma once
#include <span>

#include "app/cli/output.h"
#include "emulator/emulator.h"

namespace tilescope::cli {

/// {"kind","cta","warp","lane","address","ptx_line","source","line"}
Json fault_json(const emulator::Fault& fault);
/// The same of what was found, and "remark", "count", "message", perhaps "other".
Json finding_json(const emulator::Finding& finding);
Json findings_json(std::span<const emulator::Finding> findings);

}  // namespace tilescope::cli
