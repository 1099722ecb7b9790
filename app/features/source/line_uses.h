// What each line of the kernel's source or PTX does and costs, and what is wrong with it: of what
// stands now.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/state/access_rows.h"
#include "app/state/app_state.h"

namespace tilescope {

/// What a line does, from the events that the trace saw on it.
struct LineUse {
  worker::TraceEvent::Kind kind{};
  bool shared = false;
  bool traced = false;  // `kind` is known
  LineFigures figures;
  std::string counted_as;  // whose they are; empty: the line's own
  std::vector<const worker::CodeFinding*> findings;
  bool wrong() const;
};

/// By line; nothing while the results are of another tile.
std::map<int, LineUse> line_uses(const AppState& state, bool ptx);
/// What the machine code does, from the PTX lines that it was made of; and where it spills.
std::map<int, LineUse> sass_uses(const AppState& state, const worker::SassListing& listing);

}  // namespace tilescope
