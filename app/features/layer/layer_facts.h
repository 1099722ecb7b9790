// What can be said of the chosen layer: plain functions of the state.
#pragma once
#include <string>
#include <vector>

#include "app/features/layer/layer_view.h"
#include "app/state/app_state.h"

namespace tilescope {

const workload::Layer& chosen_layer(const AppState& state);
/// The layer alone: kernel, tile and problem stay, and nothing of them is asked again. `drag`: as
/// of set_tile_field().
void set_layer(AppState& state, const workload::Layer& layer, int drag = 0);

LayerQuestion layer_question(const AppState& state);
/// The layer that pictures draw: the chosen one, or the last legal one where that is none. Null:
/// there was none.
const workload::Layer* shown_layer(const AppState& state);
/// Of the chosen layer on the chosen device; null: not known yet.
const LayerModel* layer_model(const AppState& state);
/// All that the model is asked of is known.
bool layer_modelled(const AppState& state);
/// Numbers of ranks that the strong scaling compares: 1, 2, 4, 8 and the chosen one.
std::vector<int> scaling_ranks(const workload::Layer& layer);
/// The same layer over so many ranks.
workload::Layer over_ranks(workload::Layer layer, int ranks);

/// One card per rank where there are so many alike, else the chosen card for all, else the
/// emulator.
LayerPlace layer_place(const AppState& state);
LayerPlace layer_place(const AppState& state, int ranks);
/// Where a rank runs: "cuda:1", "emulator".
std::string rank_place(const LayerPlace& place, int rank);
/// Of the chosen layer, run where it would be run now; null: not run yet.
const LayerMeasured* layer_measured(const AppState& state);
/// The same of another number of ranks.
const LayerMeasured* layer_measured(const AppState& state, int ranks);
/// ", 2026-11-20" of a run on another day than today, else nothing: for a line of words.
std::string day_words(const LayerMeasured& measured);
/// Keeps it in the place of what the same question had before.
void keep_measured(AppState& state, LayerMeasured measured);

/// Whether a run takes times, or is verified alone.
bool runs_on_cards(const AppState& state);
/// Why the layer cannot be run now, in one sentence; empty: it can.
std::string why_no_run(const AppState& state);
/// The error of the last run, if it was of what is chosen now.
const std::string& layer_error(const AppState& state);

/// The step that is chosen, one that the layer has.
int chosen_step(const AppState& state);
/// Chooses a step; its GEMM becomes the edit, so that all other panels show it. Of no GEMM, and
/// before it has been modelled, the edit stays.
void choose_step(AppState& state, int step);

/// "tilescope-cli layer column …": the same run in a shell.
std::string layer_command(const AppState& state);
/// "128×256×64, 3 stages" of a step's choice; empty: it has none.
std::string step_tile(const LayerStep& step);

}  // namespace tilescope
