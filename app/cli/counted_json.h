// What the emulator counted and a GPU measured, as JSON.
#pragma once
#include "app/cli/output.h"
#include "worker/messages/messages.h"

namespace tilescope::cli {

/// {"load":{"requests","sectors","bytes"},"store":{…}}
Json global_json(const worker::CountedTraffic& counted);
/// {"load":{"requests","wavefronts","ideal","conflicts","bytes"},"store":{…},"copy":{…}}
Json shared_json(const worker::CountedTraffic& counted);
/// By level, as `model` has them; null where nothing was counted.
Json counted_levels_json(const worker::CountedTraffic& counted);
/// {"norm","tolerance","ok","elements"}, or null.
Json verified_json(const std::optional<worker::Verification>& verified);
/// {"ctas","k","findings":[{"kind","cta","warp","lane","ptx_line","line","sentence"}]}
Json checks_json(const worker::CheckResult& checks);

}  // namespace tilescope::cli
