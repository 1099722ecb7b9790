// The changes a person can make, each one function: undo, session and command line go through them.
#pragma once
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// A state as at first start: mma_multistage at 4096³ with its default tile.
AppState initial_state();

/// Recomputes what follows from the edit. Called by every function below.
void derive(AppState& state);

/// True if the parts of a tile fill it exactly, even if something else makes it illegal. Only then
/// can a plan be made and a picture be drawn.
bool has_plan(const KernelEntry& kernel, const TileConfig& tile);

/// `drag`: id of the widget being dragged; all changes of one drag are one undo step. 0 = none.
void set_tile_field(AppState& state, TileFieldId field, int value, int drag = 0);
void set_tile(AppState& state, const TileConfig& tile);
void set_kernel(AppState& state, const std::string& id);
/// A file of one's own is looked at, as a step that undo goes back over.
void open_own_kernel(AppState& state, const OwnKernel& kernel);
/// Back to the rung that it was opened from.
void leave_own_kernel(AppState& state);
/// Problem extents, layout, alpha, beta; types follow the kernel.
void set_problem(AppState& state, const Problem& problem, int drag = 0);
/// For features that change their part of the edit (Edit::beside): makes the present edit a step of
/// undo first.
void remember_edit(AppState& state, int drag = 0);
/// Changes problem, kernel and tile at once, but not what features have chosen: for a preset, a
/// point of the history, a state file.
void set_edit(AppState& state, const Edit& edit);

bool can_undo(const AppState& state);
bool can_redo(const AppState& state);
void undo(AppState& state);
void redo(AppState& state);

/// `z`: of a kernel without a plan, whose CTA is named by blockIdx: {y, x}.
void select_cta(AppState& state, Coord tile, int z = 0);
void select_warp(AppState& state, int warp);
void select_mma(AppState& state, int mi, int ni);
void select_lane(AppState& state, int lane);
void select_value(AppState& state, Operand operand, int value);
void select_level(AppState& state, int level);
/// Makes it name something that is there, once the launch of a kernel of one's own is known.
void settle_selection(AppState& state);

/// Says in the status bar, for some seconds, what a click has done.
void say(AppState& state, const std::string& sentence);

/// "128×128×64, 64×64, 3 stages": the tile in one line.
std::string tile_label(const Edit& edit);

}  // namespace tilescope
