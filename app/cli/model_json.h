// The model's answer as JSON, shared by `model` and `bench`.
#pragma once
#include "app/cli/output.h"
#include "core/model/formulas.h"

namespace tilescope::cli {

/// {"registers","shared","l1","l2","dram"} as docs/cli.md says; each also "exact" and
/// "flop_per_byte".
Json levels_json(const model::Traffic& traffic);
Json formulas_json(const model::Analysis& analysis);

}  // namespace tilescope::cli
