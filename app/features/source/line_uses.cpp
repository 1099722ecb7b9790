#include "app/features/source/line_uses.h"

#include <algorithm>

#include "app/state/code_link.h"
#include "app/state/compile_errors.h"
#include "app/state/present.h"
#include "app/state/private_copy.h"

namespace tilescope {

using worker::TraceEvent;

bool LineUse::wrong() const {
  return std::any_of(findings.begin(), findings.end(), [](const auto* f) { return !f->remark; });
}

namespace {

/// What the compiler said of the kernel's text, if it was not content. Uses point into it.
const std::vector<worker::CodeFinding>& errors_of_text(const AppState& state) {
  static std::string log, file;
  static std::vector<worker::CodeFinding> errors;
  const std::string now =
      state.derived.kernel ? std::string(state.derived.kernel->file) : file_identity(state);
  if (log != state.results.compile_log || file != now) {
    log = state.results.compile_log, file = now;
    errors = compile_errors(log, file);
  }
  return errors;
}

}  // namespace

std::map<int, LineUse> line_uses(const AppState& state, bool ptx) {
  std::map<int, LineUse> uses;
  if (!ptx) {
    for (const worker::CodeFinding& error : errors_of_text(state)) {
      uses[error.line].findings.push_back(&error);
    }
  }
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

std::map<int, LineUse> sass_uses(const AppState& state, const worker::SassListing& listing) {
  static const worker::CodeFinding spill = [] {
    worker::CodeFinding f;
    f.kind = "spill", f.remark = true;
    f.message =
        "a register goes to local memory or comes back, since there were not enough for all "
        "values; smaller tiles per warp or thread, or fewer CTAs per SM, leave more";
    return f;
  }();
  const std::map<int, LineUse> ptx = line_uses(state, true);
  const std::map<int, int> bearing = bearing_lines(listing);
  std::map<int, LineUse> uses;
  for (size_t i = 0; i < listing.lines.size(); ++i) {
    const worker::SassLine& line = listing.lines[i];
    const auto from = ptx.find(line.ptx_line);
    if (from == ptx.end() && !line.spill) continue;
    const int number = static_cast<int>(i) + 1;
    LineUse& use = uses[number];
    if (from != ptx.end()) use = from->second;
    if (const auto bears = bearing.find(number); bears != bearing.end()) {
      use.counted_as = counted_as(listing, number, bears->second);
    } else {
      use.figures = {};
    }
    if (line.spill) use.findings.push_back(&spill);
  }
  return uses;
}

}  // namespace tilescope
