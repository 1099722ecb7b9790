#include "worker/engine/trace/trace.h"

#include <algorithm>

#include "worker/engine/compile/revision.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/emulate/origin.h"
#include "worker/engine/trace/trace_data.h"
#include "worker/engine/trace/trace_items.h"
#include "worker/engine/trace/trace_run.h"
#include "worker/engine/trace/trace_window.h"

namespace tilescope::worker {
namespace {

/// What a stage holds, and whether it was waited for, is told by these alone.
bool leads(const emulator::Event& event) {
  using emulator::EventKind;
  return event.kind == EventKind::copy || event.kind == EventKind::store_shared ||
         event.kind == EventKind::wait;
}

/// Of a run that ended with a work item: whether the plan was right about where that is. All else
/// would have left out its last slice, or shown slices of the next item behind it.
bool ends_with(const WorkItem& item, const std::vector<TraceEvent>& events) {
  using Kind = TraceEvent::Kind;
  int64_t last_of_item = -1, last_of_others = -1;
  for (const TraceEvent& e : events) {
    if (e.kind != Kind::mma && e.kind != Kind::fma) continue;
    int64_t& last = e.k_step == item.k_end - 1 ? last_of_item : last_of_others;
    last = std::max<int64_t>(last, e.epoch);
  }
  return last_of_item >= std::max<int64_t>(last_of_others, 0);
}

}  // namespace

TraceResult trace(const KernelRequest& request, const KernelEntry& kernel, std::string_view ptx,
                  const TraceRequest& options) {
  const KernelPlan plan = plan_of(request, kernel);
  const Launch launch = launch_of(plan);
  check_cta(options.cta, dim3({launch.grid_x, launch.grid_y, launch.grid_z}));
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

  TraceRun tracing{.options = options, .fma = gemm.plan.math() == Math::simt, .file = kernel.file};
  if (plan.producer_threads > 0) {
    tracing.first_producer = static_cast<uint32_t>(plan.warps());
    tracing.producers_ahead = static_cast<uint32_t>(plan.stages() - 1);
    tracing.producers_begin = static_cast<uint32_t>(item_epochs(plan, cta).front().slices);
  }
  const InstructionLines lines(*gemm.program, kEntryName);
  const auto record = [&](const TraceRun& run, const TraceWindow& window) {
    TraceResult recorded = result;
    recorded.recorded_k_steps = window.k_steps;
    DataFollower follower(gemm, lines);
    ItemFollower items(plan, cta);
    const auto sort = [&](const emulator::Event& event, const DataEvent& data) {
      const int item_now = items.item_of(event, data);
      if (window.as_planned && item_now != options.item) return TraceRun::Goes::nowhere;
      if (window.shows(event.epoch, event.index)) return TraceRun::Goes::to_shown;
      return gemm.plan.stages() > 0 && leads(event) ? TraceRun::Goes::to_lead
                                                    : TraceRun::Goes::nowhere;
    };
    run.record(gemm, {.by_epoch = window.by_epoch, .kept = window.recorded, .iterations = {}},
               follower, sort, recorded);
    return recorded;
  };

  // The window follows from how long the run is. With barriers each slice the plan says that, and
  // the run itself whether the plan is right; else a first run tells. Behind an item that is not
  // the CTA's last, nothing has to be run.
  const TileWorker worker{cta, options.item};
  const std::vector<ItemEpochs> planned = item_epochs(plan, cta);
  const int64_t epochs = planned.back().end;
  const TraceWindow window =
      choose_window(gemm.plan, worker, k_step, static_cast<uint32_t>(epochs), 0);
  if (window.by_epoch) {
    const ItemEpochs& at = planned[static_cast<size_t>(options.item)];
    const bool is_last = at.end >= epochs;
    TraceRun cut = tracing;
    if (!is_last) cut.end_epoch = static_cast<uint32_t>(at.end);
    TraceResult recorded = record(cut, window);
    const bool right = is_last ? recorded.epochs == epochs : ends_with(item, recorded.events);
    recorded.epochs = static_cast<int>(epochs);
    if (right) return recorded;
  }
  const emulator::Trace counted = tracing.count(gemm);
  return record(tracing,
                choose_window(gemm.plan, worker, k_step, largest(counted.epochs_in_warp) + 1,
                              largest(counted.events_in_warp)));
}

}  // namespace tilescope::worker
