// A card's result as JSON, the same in what `bench` and `sweep` print, in recordings and in own
// results. Its fields are written and read here only; docs/recordings.md says what they mean.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "worker/messages/messages.h"

namespace tilescope::worker {

/// What ran: kernel, tile (by the kernel's own sliders), size, types, layout, alpha, beta, and what
/// is not as usual: C's order, leading dimensions. The SMs that a grid is made of are left to the
/// caller.
nlohmann::ordered_json recorded_request(const KernelRequest& request, const Sliders& sliders);
/// Throws std::invalid_argument, a sentence, or nlohmann's exception where there is no such
/// request: sizes are 1 to kMaxExtent, SMs 1 to kMostSms, values of the tile 0 to kMaxExtent.
/// Whether the kernel has such a tile is not asked.
KernelRequest read_recorded_request(const nlohmann::json& line);

/// Adds what was measured, and what follows from it ("of_library", "tflops_per_ghz"). What was not
/// measured is null.
void put_recorded(nlohmann::ordered_json& line, const MeasureResult& measured);
/// Reads what put_recorded() has written; `standing` becomes "recorded". Throws as
/// read_recorded_request() does, where a figure is less than nothing, too.
MeasureResult read_recorded(const nlohmann::json& line);

nlohmann::ordered_json recorded_tile(const TileConfig& tile, const Sliders& sliders);
/// {"norm","tolerance","ok","elements","of","ctas","nan","infinite","untouched","first"}, or null.
nlohmann::ordered_json recorded_verification(const std::optional<Verification>& verified);
std::optional<Verification> read_recorded_verification(const nlohmann::json& line);

}  // namespace tilescope::worker
