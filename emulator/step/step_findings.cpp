#include "emulator/step/step_findings.h"

#include <algorithm>

namespace tilescope::emulator {
namespace {

/// As long as a person would wait: about ten seconds.
constexpr uint64_t kMostChecked = 30'000'000;

/// Steps of a warp that have been run, with the one that met a fault.
uint64_t steps_run(const Journey& journey, const CtaRunner& cta, uint32_t warp) {
  const bool stands_here =
      journey.runner() == &cta && cta.position().inside && cta.current_warp() == warp;
  if (!stands_here) return cta.warps()[warp].steps;
  return cta.step_at(cta.position().inst) + (journey.is_at_end() ? 1 : 0);
}

bool has_passed(const Journey& journey, const Finding& finding) {
  const bool over = journey.is_at_end();
  if (over && !journey.work().fault) return true;
  if (!finding.seen) return false;
  const Dim3 at = finding.fault.cta;
  const CtaRunner* cta = nullptr;
  for (const Turns::Resident& r : journey.turns().residents()) {
    if (same(r.runner->cta(), at)) cta = r.runner.get();
  }
  const CtaRunner* last = journey.runner();
  if (!cta && over && last && same(last->cta(), at)) cta = last;  // that met the fault
  if (!cta) return journey.turns().has_ended(at);
  return finding.seen->warp < cta->warps().size() &&
         finding.seen->step < steps_run(journey, *cta, finding.seen->warp);
}

}  // namespace

RunResult Journey::checked() {
  go_to(0);
  RunOptions options = run_options_;
  options.check = true;
  options.max_warp_instructions = options_.max_warp_instructions
                                      ? std::min(options_.max_warp_instructions, kMostChecked)
                                      : kMostChecked;
  Memory memory = memory_.copy();
  RunResult result = run(*program_, work_.state.entry->info.name, launch_, memory, options);
  if (result.fault && result.fault->kind == Fault::Kind::cancelled) throw Stepper::Cancelled{};
  return result;
}

StepFindings findings_at(const Journey& journey, const RunResult& checked) {
  StepFindings all;
  for (const Finding& f : checked.findings) {
    if (f.remark) continue;
    if (f.fault.kind == Fault::Kind::limit) {
      all.cut_short = true;
    } else if (has_passed(journey, f)) {
      all.found.push_back(f);
    } else {
      ++all.later;
    }
  }
  return all;
}

}  // namespace tilescope::emulator
