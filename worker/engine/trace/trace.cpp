#include "worker/engine/trace/trace.h"

#include <algorithm>

#include "worker/engine/compile/kernel_lines.h"
#include "worker/engine/compile/revision.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/emulate/origin.h"
#include "worker/engine/error.h"
#include "worker/engine/trace/trace_data.h"
#include "worker/engine/trace/trace_fold.h"
#include "worker/engine/trace/trace_items.h"
#include "worker/engine/trace/trace_window.h"

namespace tilescope::worker {
namespace {

emulator::RunResult run_cta(EmulatedGemm& gemm, const KernelEntry& kernel,
                            const TraceRequest& options, emulator::TraceOptions recording,
                            emulator::Provenance* provenance = nullptr) {
  emulator::RunOptions run_options;
  const emulator::Dim3 cta = dim3(options.cta);
  run_options.ctas = {cta};
  run_options.cancel = options.cancelled;
  run_options.max_warp_instructions = warp_instructions_of(kMostLaneInstructions);
  recording.cta = cta;
  recording.fma = gemm.plan.math() == Math::simt;
  run_options.trace = std::move(recording);
  run_options.provenance = provenance;
  emulator::RunResult ran = gemm.run(std::move(run_options));
  if (ran.fault) fail_with(*ran.fault, *gemm.program, kernel.file);
  return ran;
}

emulator::TraceOptions keeping(bool by_epoch, const TraceWindow::Ranges& ranges) {
  emulator::TraceOptions recording;
  recording.ranges = {by_epoch, ranges};
  return recording;
}

/// What a stage holds, and whether it was waited for, is told by these alone.
bool leads(const emulator::Event& event) {
  using emulator::EventKind;
  return event.kind == EventKind::copy || event.kind == EventKind::store_shared ||
         event.kind == EventKind::wait;
}

uint32_t largest(const std::vector<uint32_t>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

/// The window follows from how long the run is: a first run tells.
TraceWindow find_window(EmulatedGemm& gemm, const KernelEntry& kernel, const TraceRequest& options,
                        int k_step) {
  const emulator::RunResult ran = run_cta(gemm, kernel, options, keeping(true, {}));
  const int cta = launch_index(launch_of(gemm.plan), options.cta);
  return choose_window(gemm.plan, {cta, options.item}, k_step,
                       largest(ran.trace->epochs_in_warp) + 1, largest(ran.trace->events_in_warp));
}

void check_inside(const char* what, int value, int begin, int end) {
  if (value >= begin && value < end) return;
  fail(kUsage, std::string(what) + " is " + std::to_string(value) + "; this launch has " +
                   std::to_string(begin) + " to " + std::to_string(end - 1) + ".");
}

}  // namespace

TraceResult trace(const KernelRequest& request, const KernelEntry& kernel, std::string_view ptx,
                  const TraceRequest& options) {
  const KernelPlan plan = plan_of(request, kernel);
  const Launch launch = launch_of(plan);
  check_inside("The CTA's x", options.cta.x, 0, launch.grid_x);
  check_inside("The CTA's y", options.cta.y, 0, launch.grid_y);
  check_inside("The CTA's z", options.cta.z, 0, launch.grid_z);
  const int cta = launch_index(launch, options.cta);
  check_inside("The work item", options.item, 0, work_items(plan.work, cta));
  const WorkItem item = work_item(plan.work, cta, options.item);
  const int k_step = options.k_step < 0 ? item.k_begin : options.k_step;
  check_inside("The k step", k_step, item.k_begin, item.k_end);

  TraceResult result;
  result.cta = options.cta, result.item = options.item;
  result.tile = item.tile;
  result.k_slices = plan.work.k_slices;
  result.k_begin = item.k_begin, result.k_end = item.k_end;
  result.revision = ptx_revision(ptx);
  // What the operands hold changes nothing in a trace: they stay zero.
  GemmFill nothing;
  nothing.skip = true;
  require_followed(request.problem);
  EmulatedGemm gemm = prepare_gemm(request, kernel, ptx, nothing);

  const TraceWindow window = find_window(gemm, kernel, options, k_step);
  const InstructionLines lines(*gemm.program, kEntryName);
  DataFollower follower(gemm, lines);
  std::vector<DataEvent> shown, lead;
  CopyGroups groups;
  ItemFollower items(plan, cta);
  emulator::Provenance::Options following;
  following.only_traced = true;
  following.each = [&](const emulator::Trace& so_far, const emulator::Provenance::Live& live) {
    DataEvent data = follower.follow(so_far, live);
    const emulator::Event& event = so_far.events.back();
    groups.follow(event, data);
    const int item_now = items.item_of(event, data);
    if (window.as_planned && item_now != options.item) return;
    if (window.shows(event.epoch, event.index)) {
      shown.push_back(std::move(data));
    } else if (gemm.plan.stages() > 0 && leads(event)) {
      lead.push_back(std::move(data));
    }
  };
  emulator::Provenance provenance(std::move(following));
  const emulator::RunResult ran =
      run_cta(gemm, kernel, options, keeping(window.by_epoch, window.recorded), &provenance);
  const emulator::Trace& recorded = *ran.trace;
  result.warps = static_cast<int>(recorded.warps);
  result.epochs = static_cast<int>(largest(recorded.epochs_in_warp)) + 1;
  result.recorded_k_steps = window.k_steps;
  const auto kernel_line_of = [&](int line) {
    return kernel_line(*gemm.program, line, kernel.file);
  };
  TraceResult before;
  fold_events(std::move(lead), gemm, follower, recorded, kernel_line_of, false, before);
  result.lead = std::move(before.events);
  fold_events(std::move(shown), gemm, follower, recorded, kernel_line_of, options.raw, result);
  return result;
}

}  // namespace tilescope::worker
