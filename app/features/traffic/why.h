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
  model::Prediction prediction;            // from the plan alone, as `WhyTime::now` is
  std::optional<HistoryPoint> timed = {};  // what a clock says of it
};

struct WhyTime {
  // From the plan alone where there is a reference, so that both are told alike; else what
  // `derived.prediction` has.
  model::Prediction now;
  std::optional<TimeReference> reference;
  std::optional<HistoryPoint> timed = {};  // of the present tile
};
/// The last pinned tile of the same problem, else the one before in the history; null: none.
struct ComparedTile {
  std::string name;
  const Edit* edit = nullptr;  // of the state
};
ComparedTile compared_tile(const AppState& state);
/// The tile must be legal. The reference: compared_tile().
WhyTime why_time(const AppState& state);

/// "Model and card disagree: …", where they name another of the two as the faster; else empty.
std::string disagreement_words(const WhyTime& why);

/// What would have to be different about the card for the other one to be faster; `why` must have a
/// reference. Launches that such a card could not run are left out.
std::vector<model::CardChange> what_would_turn(const AppState& state, const WhyTime& why);
/// "By the model 128×128×64 would no longer be faster on a card with 2 times the DRAM bandwidth or
/// half the SMs."
std::string turning_words(const AppState& state, const WhyTime& why);

struct BetterTile {
  TileConfig tile;
  std::string label;                       // what changes: "4 stages", "block N 256, warp N 64"
  double gain = 0;                         // of TFLOPS: 0.05 = 5 % more
  Standing standing = Standing::modelled;  // of its figure
  std::string date = {};
  std::optional<double> modelled_gain = {};  // of one that was timed
};
struct BetterTiles {
  /// Neighbours that are faster: those that were timed first, then those that the model expects
  /// more of; the best of each first.
  std::vector<BetterTile> tiles;
  /// Those that the model expects more of, though the clock says otherwise.
  std::vector<BetterTile> refuted;
  /// The fastest that was ever timed, where it is faster and none of `tiles`.
  std::optional<BetterTile> fastest;
  bool complete = true;  // false while some have not had their turn yet
};
/// Neighbours: a slider one notch up or down, with the fewest others that it takes to be legal. At
/// most `most` of each kind. What was timed is compared with what was timed of the present tile, or
/// with the model's figure where nothing was; what was not is compared by the model alone.
BetterTiles better_tiles(const AppState& state, size_t most);

}  // namespace tilescope
