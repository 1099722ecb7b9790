// Where a stepped run of the present subject stands, for all that show a moment of it. The feature
// that steps writes it; nobody else does.
#pragma once
#include <cstdint>
#include <string>

#include "app/state/app_state.h"

namespace tilescope {

/// Before an instruction, or at the end of the run.
struct Stepped {
  bool on = false;
  uint64_t serial = 0;   // of the edit that is stepped,
  std::string revision;  // and of its PTX
  BlockIndex cta;
  int warp = 0;
  uint64_t step = 0;  // of the warp, as RawAccess::step
  uint64_t tick = 0;  // of the run
  uint32_t epoch = 0;
  int ptx_line = 0;  // 0: at an end
  std::string file;  // whose line `line` is; empty: none is known
  int line = 0;
  bool ended = false;
};

/// Null where nothing is stepped, or what is stepped is another edit's.
const Stepped* stepped(const AppState& state);

/// The line of the subject's own file, as Source shows it: of a .ptx that of the PTX. 0: none.
int stepped_line(const AppState& state, const Stepped& at);

/// The playhead and the chosen warp go to the place, where the trace holds that moment of it: to
/// the event that is to run next, or that was run last. False: it does not.
bool show_stepped(AppState& state, const Stepped& at);

/// The moment of the playhead, as a place of a stepped run is asked for: "at:2.1034". Empty: there
/// is none.
std::string playhead_motion(const AppState& state);

}  // namespace tilescope
