// The table of accesses in Memory traffic: warp instructions, and the sectors or wavefronts that
// they cost, at best and in fact.
#pragma once
#include "app/panel.h"

namespace tilescope::widgets {

/// A click chooses a row: Source marks its lines. A row that the line clicked in Source belongs to
/// is marked, too.
void access_table(AppContext& context);

}  // namespace tilescope::widgets
