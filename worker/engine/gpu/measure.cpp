#include "worker/engine/gpu/measure.h"

#include "worker/engine/emulate/verify.h"
#include "worker/engine/gpu/loaded_kernel.h"

namespace tilescope::worker {

MeasureResult measure(GpuSession& session, const KernelRequest& asked, const KernelEntry& kernel,
                      const Code& code, const MeasureOptions& options) {
  const Gpu& gpu = session.gpu();
  KernelRequest request = asked;
  request.sms = gpu.limits().sm_count;  // whatever card it was made for
  MeasureResult result = measured_here(session, options.ordinal);
  result.compile_ms = code.compiled.compile_ms;

  session.set_time_limit(0);  // our own kernels end
  const GpuProblem& problem = session.problem(request.problem);
  session.set_time_limit(options.time_limit);
  options.check_cancelled();
  LoadedKernel ours(gpu, problem.addresses(), request, kernel, code);
  result.registers = ours.registers();
  result.spill_bytes = ours.local_bytes();

  problem.reset_c();
  ours.enqueue();
  gpu.synchronize(ours.name());
  const KernelPlan plan = plan_of(request, kernel);
  result.verified = problem.verify(tolerance_of(request.problem, plan));
  result.verified->ctas = result.verified->of_ctas = static_cast<uint64_t>(cta_count(plan.work));
  if (result.verified->ok && !options.only_verify) {
    std::optional<LibraryOperands> library;
    if (options.library) library = problem.library_operands();
    time_launches(session, problem.l2_flush(),
                  {.name = ours.name(), .enqueue = [&] { ours.enqueue(); }}, flops(request.problem),
                  library, options, result);
  }
  result.final = true;
  return result;
}

}  // namespace tilescope::worker
