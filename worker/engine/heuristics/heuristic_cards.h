// The cards that nvMatmulHeuristics predicts for, by the names that drivers and our own table give
// them.
#pragma once
#include <string>
#include <string_view>

namespace tilescope::worker {

struct HeuristicCard {
  int gpu;           // nvmmhNvidiaGpu_t
  const char* name;  // "H200 SXM"
};

/// nullptr if it has no such card.
const HeuristicCard* heuristic_card(std::string_view device_name);
/// "A100 SXM 80GB, A100 PCIe 80GB, …"
std::string heuristic_card_names();

}  // namespace tilescope::worker
