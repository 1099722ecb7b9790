// What emulate --check prints.
#pragma once
#include <span>

#include "app/cli/output.h"
#include "emulator/emulator.h"

namespace tilescope::cli {

/// {"kind","remark","count","cta","warp","lane","address","ptx_line","source","line","message",…}
Json finding_json(const emulator::Finding& finding);
Json findings_json(std::span<const emulator::Finding> findings);

}  // namespace tilescope::cli
