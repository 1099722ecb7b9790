// emulate --ask C[ROW,COL] of a kernel of somebody's own whose sheet says what C is.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/ask.h"
#include "app/cli/own_flags.h"

namespace tilescope::cli {

/// "C[3, 5] = A[3, 0…63] · B[0…63, 5], 64 products", and the ways of its factors.
void print_origin(const worker::OriginResult& origin);

/// Where these elements came from, each at the end of the CTA that stores it: of `cta` if it is
/// given (in order of x, then y, then z), else of the first that was seen to. Throws (exit code 2)
/// for one that lies outside of C, or that no CTA stores.
std::vector<worker::OriginResult> element_origins(const OwnFlags& flags, const OwnLaunch& own,
                                                  const std::vector<Ask>& elements,
                                                  std::optional<uint64_t> cta,
                                                  WorkerSession& worker);

}  // namespace tilescope::cli
