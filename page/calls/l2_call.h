// The simulation of the L2 as a call of the window to the page's planner.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "core/model/l2_simulation.h"
#include "worker/messages/messages.h"

namespace tilescope::web {

struct L2Call {
  static constexpr const char* name = "l2";
  /// Binary beside the answer: model::L2Tile after model::L2Tile, as they lie in memory: both sides
  /// are modules of one build.
  static constexpr const char* tiles = "l2.tiles";

  worker::KernelRequest of;
  model::L2Machine machine;
};
nlohmann::json write_l2_call(const L2Call& call);
L2Call read_l2_call(const nlohmann::json& params);

/// Without its tiles.
nlohmann::json write_l2_traffic(const model::L2Traffic& traffic);
model::L2Traffic read_l2_traffic(const nlohmann::json& answer, std::span<const std::byte> tiles);

}  // namespace tilescope::web
