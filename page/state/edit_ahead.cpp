// A page compiles nothing, so nothing ahead: what lies one notch away is mostly in the pack that is
// there, and else a fetch away.
#include "app/live/edit_runner.h"

namespace tilescope {

void EditRunner::request_neighbours(AppState&) {}

}  // namespace tilescope
