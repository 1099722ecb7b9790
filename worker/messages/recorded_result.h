// A result of a card as it is written down: by `bench` and `sweep`, in recordings, in own results.
// One writer and one reader of its fields; their meaning: docs/recordings.md.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "worker/messages/messages.h"

namespace tilescope::worker {

/// What ran: kernel, tile (by the kernel's own sliders), size, types, layout, alpha, beta, and what
/// is not as usual: C's order, leading dimensions. The SMs that a grid is made of are left to the
/// caller.
nlohmann::ordered_json recorded_request(const KernelRequest& request, const Sliders& sliders);
/// Throws std::invalid_argument or nlohmann's exception where there is no such request.
KernelRequest read_recorded_request(const nlohmann::json& line);

/// Puts down what was measured, and what follows from it ("of_library", "tflops_per_ghz"). What was
/// not measured is null.
void put_recorded(nlohmann::ordered_json& line, const MeasureResult& measured);
/// What put_recorded() was given, but for what is of another kind there: `standing` is "recorded".
MeasureResult read_recorded(const nlohmann::json& line);

nlohmann::ordered_json recorded_tile(const TileConfig& tile, const Sliders& sliders);
/// {"norm","tolerance","ok","elements","of","ctas","nan","infinite","untouched","first"}, or null.
nlohmann::ordered_json recorded_verification(const std::optional<Verification>& verified);
std::optional<Verification> read_recorded_verification(const nlohmann::json& line);

}  // namespace tilescope::worker
