#include "worker/engine/emulate/verify_part.h"

#include "core/model/verification_order.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/check.h"
#include "worker/engine/emulate/cta_classes.h"
#include "worker/engine/emulate/mismatch.h"
#include "worker/engine/emulate/run_pass.h"
#include "worker/engine/emulate/verify.h"
#include "worker/engine/error.h"
#include "worker/messages/findings.h"

namespace tilescope::worker {
namespace {

void require_groups(const KernelPlan& plan, std::span<const int> groups) {
  const int all = model::cta_groups(plan);
  if (groups.empty()) fail(kUsage, "No CTAs are named that are to be verified.");
  for (const int g : groups) {
    if (g >= 0 && g < all) continue;
    fail(kUsage, "There is no group " + std::to_string(g) + " of CTAs; the grid has " +
                     std::to_string(all) + ", from 0 on.");
  }
}

}  // namespace

VerifiedPart verify_part(const KernelRequest& request, const KernelEntry& kernel,
                         std::string_view ptx, std::span<const int> groups,
                         const VerifyPartOptions& options) {
  const KernelPlan plan = plan_of(request, kernel);
  require_groups(plan, groups);
  GemmFill fill{options.data, {}, options.threads};
  fill.unpacked = true;
  emulator::RunOptions run;
  run.threads = options.threads;
  run.cancel = options.cancelled;
  run.max_warp_instructions = warp_instructions_of(options.max_lane_instructions);
  std::vector<Coord> completed;
  for (const int g : groups) {
    const model::CtaGroup group = model::cta_group(plan, g);
    fill.tiles.insert(fill.tiles.end(), group.tiles.begin(), group.tiles.end());
    completed.insert(completed.end(), group.completed.begin(), group.completed.end());
    for (const int cta : group.ctas) run.ctas.push_back(dim3(block_index(launch_of(plan), cta)));
  }
  VerifiedPart part;
  const Problem& p = request.problem;
  part.tolerance = tolerance_of(p, plan);
  part.usual_square = usual_square(p);
  if (fill.tiles.empty()) return part;  // CTAs without work
  EmulatedGemm gemm = prepare_gemm(request, kernel, ptx, fill);
  part.arithmetic = gemm.arithmetic();
  if (gemm.pass) run_pass(gemm, fill, run);
  const emulator::RunResult ran = gemm.run(run);
  if (ran.fault) fail_with(*ran.fault, *gemm.program, kernel.file, ran.findings);
  std::vector<Rect> rects;
  for (const Coord tile : completed) rects.push_back(tile_rect(gemm.plan, p, tile));
  part.sums = compare(reference_input(gemm, p), gemm.data(gemm.c), joined(std::move(rects)),
                      part.tolerance, options.threads, options.cancelled);
  if (options.cancelled && options.cancelled->load()) fail_cancelled();
  const Verification v = verdict(part.sums, part.tolerance, part.usual_square);
  if (v.ok || v.elements == 0 || !options.explain) return part;
  CheckResult checks;
  explain(request, kernel, ptx, v, options.cancelled, checks);
  part.findings = std::move(checks.findings);
  return part;
}

}  // namespace tilescope::worker
