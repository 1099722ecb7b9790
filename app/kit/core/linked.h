// Links the pictures: they share one hover, one selection and one moment. Turns what a picture's
// pick names into those, and back.
#pragma once
#include <string>

#include "app/kit/scene_view.h"
#include "app/state/app_state.h"
#include "viz/scene/fragment/fragment_scene.h"

namespace tilescope::widgets {

/// Takes over hover and clicks of a picture: a click selects what is under it.
void follow_input(AppState& state, const SceneInput& input);
/// Goes one level into what a pick names: from a CTA to its warps, from a warp to its mma tiles.
/// Returns false if there is no level below.
bool enter_pick(AppState& state, const viz::Pick& pick);
/// Selects what a pick names.
void select_pick(AppState& state, const viz::Pick& pick);

/// The tooltip of an element: matrix, row, column, global address and sector, shared address and
/// bank, lane and register, and where its value came from.
void pick_tooltip(AppContext& context, const viz::Pick& pick);

/// The same for an instruction that is no plan's: no addresses, since it has no matrices. `more`:
/// what else is known of the value.
void atom_tooltip(AppContext& context, const viz::FragmentState& f, const viz::Pick& pick,
                  const std::string& more = {});

}  // namespace tilescope::widgets
