// The table of accesses in Memory traffic: warp instructions, and the sectors or wavefronts that
// they cost, at best and in fact.
#pragma once
#include "app/panel.h"
#include "app/state/access_rows.h"

namespace tilescope::widgets {

/// A click chooses a row: Source marks its lines. A row that the line clicked in Source belongs to
/// is marked, too.
void access_table(AppContext& context);

/// The cell of what lies beyond the ideal: "+25 %", "✓ 0". True where it is worth a word.
bool excess_text(const AppContext& context, const AccessFigures& figures);

}  // namespace tilescope::widgets
