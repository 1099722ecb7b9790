// Why a tile takes the time that the model expects: where it goes, beside another tile's; and which
// neighbours should take less.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "core/model/card_change.h"

namespace tilescope {

/// What the present tile is compared with.
struct TimeReference {
  std::string name;  // "pinned: wide", "before: 128×128×64, 64×64, 3 stages"
  Edit edit;
  model::Prediction prediction;  // from the plan alone, as `WhyTime::now` is
};

struct WhyTime {
  // From the plan alone where there is a reference, so that both are told alike; else what
  // `derived.prediction` has.
  model::Prediction now;
  std::optional<TimeReference> reference;
};
/// The last pinned tile of the same problem, else the one before in the history; null: none.
struct ComparedTile {
  std::string name;
  const Edit* edit = nullptr;  // of the state
};
ComparedTile compared_tile(const AppState& state);
/// The tile must be legal. The reference: compared_tile().
WhyTime why_time(const AppState& state);

/// What would have to be different about the card for the other one to be faster; `why` must have a
/// reference. Launches that such a card could not run are left out.
std::vector<model::CardChange> what_would_turn(const AppState& state, const WhyTime& why);
/// "By the model 128×128×64 would no longer be faster on a card with 2 times the DRAM bandwidth or
/// half the SMs."
std::string turning_words(const AppState& state, const WhyTime& why);

struct BetterTile {
  TileConfig tile;
  std::string label;  // what changes: "4 stages", "block N 256, warp N 64"
  double gain = 0;    // of TFLOPS: 0.05 = 5 % more
};
/// Neighbours, a slider one notch up or down (with the fewest others that it takes to be legal),
/// that the model expects more of, the best first; at most `most`. `complete`: false while some
/// have not had their turn yet.
std::vector<BetterTile> better_tiles(const AppState& state, size_t most, bool* complete);

}  // namespace tilescope
