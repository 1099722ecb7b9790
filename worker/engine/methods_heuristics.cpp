// The calls of the child that asks nvMatmulHeuristics.
#include "worker/engine/error.h"
#include "worker/engine/heuristics/matmul_heuristics.h"
#include "worker/engine/methods.h"

namespace tilescope::worker {
namespace {

constexpr int kMostCount = 64;

SecondOpinion second_opinion(const calls::SecondOpinion::Request& asked, const Running&) {
  if (asked.count < 1 || asked.count > kMostCount) {
    fail(kUsage, "\"count\" is " + std::to_string(asked.count) + "; it goes from 1 to " +
                     std::to_string(kMostCount) + ".");
  }
  std::string why_not;
  const MatmulHeuristics* library = MatmulHeuristics::open(&why_not);
  if (!library) fail(kMissing, why_not);
  return library->ask(asked.request, asked.gpu, asked.count);
}

calls::Library::Answer library(const calls::Nothing&, const Running&) {
  std::string why_not;
  const MatmulHeuristics* library = MatmulHeuristics::open(&why_not);
  return {library ? library->file() : "", library ? library->version() : "", why_not};
}

}  // namespace

MethodTable heuristics_methods() {
  MethodTable table;
  serve<calls::SecondOpinion>(table, second_opinion);
  serve<calls::Library>(table, library);
  return table;
}

}  // namespace tilescope::worker
