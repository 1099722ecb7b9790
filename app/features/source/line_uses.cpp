#include "app/features/source/line_uses.h"

#include <algorithm>

#include "app/state/present.h"

namespace tilescope {

using worker::TraceEvent;

bool LineUse::wrong() const {
  return std::any_of(findings.begin(), findings.end(), [](const auto* f) { return !f->remark; });
}

std::map<int, LineUse> line_uses(const AppState& state, bool ptx) {
  std::map<int, LineUse> uses;
  const Results& r = present_results(state);
  if (r.trace) {
    for (const TraceEvent& e : r.trace->events) {
      const int line = ptx ? e.ptx_line : e.line;
      if (line <= 0) continue;
      LineUse& use = uses[line];
      if (!use.traced) use.kind = e.kind, use.shared = e.shared, use.traced = true;
    }
  }
  for (const worker::CodeFinding& f : r.findings) {
    const int line = ptx ? f.ptx_line : f.line;
    if (line > 0) uses[line].findings.push_back(&f);
  }
  if (r.emulated) {
    const worker::CountedTraffic& counted = r.emulated->counted;
    for (const auto& l : ptx ? counted.ptx_lines : counted.source_lines) {
      uses[l.line].figures = {l.warp_instructions, l.sectors, l.wavefronts, l.ideal};
    }
  }
  return uses;
}

}  // namespace tilescope
