// What emulate --check and --provenance print.
#pragma once
#include <span>

#include "app/cli/output.h"
#include "emulator/emulator.h"
#include "emulator/provenance.h"

namespace tilescope::cli {

/// {"kind","remark","count","cta","warp","lane","address","ptx_line","source","line","message",…}
Json finding_json(const emulator::Finding& finding);
Json findings_json(std::span<const emulator::Finding> findings);

/// Rows of stored elements (docs/emulator.md); a buffer is named by the index of its --arg.
Json provenance_json(const emulator::Provenance& provenance, std::span<const int> argument_of);

}  // namespace tilescope::cli
