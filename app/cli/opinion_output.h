// model --second-opinion: what NVIDIA's nvMatmulHeuristics says of the same.
#pragma once
#include <string>

#include "app/cli/output.h"
#include "app/cli/request_options.h"
#include "worker/messages/second_opinion.h"

namespace tilescope::cli {

/// Throws (exit code 3) with the way out where the library is missing or does not know the card
/// or the kernel. `gpu`: the card's name.
worker::SecondOpinion ask_second_opinion(const RequestOptions& options, const Request& request,
                                         const std::string& gpu);
Json second_opinion_json(const worker::SecondOpinion& opinion);
void print_second_opinion(const worker::SecondOpinion& opinion);

}  // namespace tilescope::cli
