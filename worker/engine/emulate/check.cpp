#include "worker/engine/emulate/check.h"

#include <algorithm>

#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/cta_classes.h"
#include "worker/engine/emulate/cure.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/error.h"

namespace tilescope::worker {

int k_to_check(const KernelPlan& plan, const Problem& problem) {
  return k_with_slices(plan, problem, 0);
}

int k_with_slices(const KernelPlan& plan, const Problem& problem, int least) {
  const int slices = ceil_div(problem.k, plan.block_k);
  const int cycle = plan.stages() > 0 ? plan.stages() : 8;
  int kept = std::max(2 * plan.stages() + 3, least);  // with the last one
  kept += ((slices - kept) % cycle + cycle) % cycle;
  if (kept >= slices) return problem.k;
  return problem.k - (slices - kept) * plan.block_k;
}

CheckResult check_classes(const KernelRequest& request, const KernelEntry& kernel,
                          std::string_view ptx, const CheckOptions& options) {
  const Problem& p = request.problem;
  CheckResult result;
  result.k = options.whole_k ? p.k : k_to_check(plan_of(request, kernel), p);
  result.whole_k = result.k == p.k;
  GemmFill fill{options.data, {}, options.threads};
  fill.k = result.k;
  emulator::RunOptions run_options;
  // CTAs that share out slices have other work with a shorter k.
  const std::vector<CtaClass> classes = cta_classes(plan_told(request, kernel, result.k), p);
  fill.tiles = tiles_of(classes);
  for (const CtaClass& c : classes) {
    for (const BlockIndex at : c.ctas) run_options.ctas.push_back(dim3(at));
  }
  result.ctas = executed_ctas(classes);
  run_options.threads = options.threads;
  run_options.cancel = options.cancelled;
  // Each instruction costs several times as much here, and a shorter k has fewer.
  run_options.max_warp_instructions = warp_instructions_of(options.max_lane_instructions) / 4;
  run_options.check = true;
  EmulatedGemm gemm = prepare_gemm(request, kernel, ptx, fill);
  emulator::RunResult ran = gemm.run(run_options);
  if (ran.fault && (ran.fault->kind == emulator::Fault::Kind::cancelled ||
                    ran.fault->kind == emulator::Fault::Kind::limit)) {
    fail_with(*ran.fault, *gemm.program, kernel.file);
  }
  tell_cures(ran, *gemm.program, ptx, [&](const std::string& changed, uint64_t most) {
    emulator::RunOptions again = run_options;
    again.max_warp_instructions = most;
    return prepare_gemm(request, kernel, changed, fill).run(again);
  });
  if (options.cancelled && options.cancelled->load()) fail_cancelled();
  // Speed is judged by the counts of the whole problem.
  std::erase_if(ran.findings, [](const emulator::Finding& f) { return f.remark; });
  result.findings = code_findings(ran.findings, *gemm.program, kernel.file);
  if (ran.fault && result.findings.empty()) {
    emulator::Finding fault;
    fault.fault = *ran.fault;
    result.findings.push_back(code_finding(fault, *gemm.program, kernel.file));
  }
  return result;
}

}  // namespace tilescope::worker
