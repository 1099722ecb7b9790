// The calls of the child that asks nvMatmulHeuristics:
//   "secondOpinion": KernelRequest + {"gpu": name of the card, "count": 8} → SecondOpinion
//   "library": {} → {"file", "version", "why_not"}: what there is, for doctor
#include "worker/engine/error.h"
#include "worker/engine/heuristics/matmul_heuristics.h"
#include "worker/engine/methods.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

constexpr int kDefaultCount = 8, kMostCount = 64;

json second_opinion(const json& params, CallContext&) {
  const int count = params.value("count", kDefaultCount);
  if (count < 1 || count > kMostCount) {
    fail(kUsage, "\"count\" is " + std::to_string(count) + "; it goes from 1 to " +
                     std::to_string(kMostCount) + ".");
  }
  const KernelRequest request = request_of(params);
  std::string why_not;
  const MatmulHeuristics* library = MatmulHeuristics::open(&why_not);
  if (!library) fail(kMissing, why_not);
  return library->ask(request, params.at("gpu").get<std::string>(), count);
}

json library(const json&, CallContext&) {
  std::string why_not;
  const MatmulHeuristics* library = MatmulHeuristics::open(&why_not);
  return {{"file", library ? library->file() : ""},
          {"version", library ? library->version() : ""},
          {"why_not", why_not}};
}

}  // namespace

MethodTable heuristics_methods() {
  return {{"secondOpinion", guarded(second_opinion)}, {"library", guarded(library)}};
}

}  // namespace tilescope::worker
