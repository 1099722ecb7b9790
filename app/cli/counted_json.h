// What the emulator counted and a GPU measured, as JSON.
#pragma once
#include "app/cli/output.h"
#include "worker/messages/messages.h"

namespace tilescope::cli {

/// {"load":{"requests","sectors","bytes"},"store":{…},"bulk_load":{…},"bulk_store":{…}}. Here and
/// below the counts are the worker's or the emulator's own.
template <class Counts>
Json global_json(const Counts& counts) {
  const auto part = [](const auto& g) -> Json {
    return {{"requests", g.requests}, {"sectors", g.sectors}, {"bytes", g.bytes}};
  };
  return {{"load", part(counts.global_load)},
          {"store", part(counts.global_store)},
          {"bulk_load", part(counts.bulk_load)},
          {"bulk_store", part(counts.bulk_store)}};
}
/// {"load":{"requests","wavefronts","ideal","conflicts","bytes"},"store":{…},"copy":{…},
/// "product":{…}}
template <class Counts>
Json shared_json(const Counts& counts) {
  const auto part = [](const auto& s) -> Json {
    return {{"requests", s.requests},
            {"wavefronts", s.wavefronts},
            {"ideal", s.ideal},
            {"conflicts", s.wavefronts - s.ideal},
            {"bytes", s.bytes}};
  };
  return {{"load", part(counts.shared_load)},
          {"store", part(counts.shared_store)},
          {"copy", part(counts.shared_copy)},
          {"product", part(counts.shared_product)}};
}
/// By level, as `model` has them; null where nothing was counted.
Json counted_levels_json(const worker::CountedTraffic& counted);
/// worker::recorded_verification(): {"norm","tolerance","ok","elements","of",…}, or null.
Json verified_json(const std::optional<worker::Verification>& verified);
/// {"ctas","k","findings":[{"kind","cta","warp","lane","ptx_line","line","sentence"}]}
Json checks_json(const worker::CheckResult& checks);

}  // namespace tilescope::cli
