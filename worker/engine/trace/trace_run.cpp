#include "worker/engine/trace/trace_run.h"

#include <algorithm>

#include "worker/engine/compile/kernel_lines.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/error.h"
#include "worker/engine/trace/trace_fold.h"

namespace tilescope::worker {

emulator::Trace TraceRun::run(EmulatedLaunch& launch, emulator::TraceRanges ranges,
                              emulator::Provenance* provenance) const {
  emulator::RunOptions run_options;
  const emulator::Dim3 cta = dim3(options.cta);
  run_options.ctas = {cta};
  run_options.cancel = options.cancelled;
  run_options.max_warp_instructions = warp_instructions_of(options.max_lane_instructions);
  emulator::TraceOptions& recording = run_options.trace.emplace();
  recording.cta = cta;
  recording.fma = fma;
  recording.max_events = max_events;
  recording.end_epoch = end_epoch;
  recording.ranges = std::move(ranges);
  run_options.provenance = provenance;
  emulator::RunResult ran = launch.run(std::move(run_options));
  if (ran.fault) fail_with(*ran.fault, *launch.program, file);
  return std::move(*ran.trace);
}

emulator::Trace TraceRun::count(EmulatedLaunch& launch) const { return run(launch, {}, nullptr); }

void TraceRun::record(EmulatedLaunch& launch, emulator::TraceRanges ranges, EventFollower& follower,
                      const Sort& sort, TraceResult& result) const {
  std::vector<DataEvent> shown, lead;
  CopyGroups groups;
  emulator::Provenance::Options following;
  following.only_traced = following.first_run = true;  // of sums it is told whose they are
  following.each = [&](const emulator::Trace& so_far, const emulator::Provenance::Live& live) {
    DataEvent data = follower.follow(so_far, live);
    const emulator::Event& event = so_far.events.back();
    groups.follow(event, data);
    const Goes goes = sort(event, data);
    if (goes == Goes::nowhere) return;
    (goes == Goes::to_shown ? shown : lead).push_back(std::move(data));
  };
  emulator::Provenance provenance(std::move(following));
  emulator::Trace recorded = run(launch, std::move(ranges), &provenance);
  for (emulator::Event& e : recorded.events) {
    if (e.warp < first_producer || e.epoch < producers_begin) continue;
    e.epoch = std::max(producers_begin, e.epoch - std::min(e.epoch, producers_ahead));
  }
  result.warps = static_cast<int>(recorded.warps);
  result.epochs = static_cast<int>(largest(recorded.epochs_in_warp)) + 1;
  result.truncated = recorded.truncated;
  const auto line_of = [&](int ptx_line) { return line_told(*launch.program, ptx_line, file); };
  TraceResult before;
  fold_events(std::move(lead), follower, recorded, line_of, false, before);
  result.lead = std::move(before.events);
  fold_events(std::move(shown), follower, recorded, line_of, options.raw, result);
}

uint32_t largest(const std::vector<uint32_t>& values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

void check_inside(const char* what, int value, int begin, int end) {
  if (value >= begin && value < end) return;
  fail(kUsage, std::string(what) + " is " + std::to_string(value) + "; this launch has " +
                   std::to_string(begin) + " to " + std::to_string(end - 1) + ".");
}

void check_cta(const BlockIndex& cta, const emulator::Dim3& grid) {
  check_inside("The CTA's x", cta.x, 0, static_cast<int>(grid.x));
  check_inside("The CTA's y", cta.y, 0, static_cast<int>(grid.y));
  check_inside("The CTA's z", cta.z, 0, static_cast<int>(grid.z));
}

}  // namespace tilescope::worker
