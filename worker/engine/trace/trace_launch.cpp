#include "worker/engine/trace/trace_launch.h"

#include <algorithm>
#include <limits>

#include "worker/engine/compile/kernel_lines.h"
#include "worker/engine/compile/revision.h"
#include "worker/engine/error.h"
#include "worker/engine/trace/trace_run.h"
#include "worker/engine/trace/trace_window.h"

namespace tilescope::worker {
namespace {

// Of each loop the first iterations are shown: as many as of a kernel of two stages.
constexpr int kFirstIterations = 4;
// A loop of no more than the window holds of a longer one is shown as a whole.
constexpr int kWholeLoop = kFirstIterations + 3 + 1;
// What an iteration reads may have been brought by one so much earlier, and must be known, too.
constexpr int kLead = 4;
// An iteration may be a whole matrix product. So many events, folded, and so many recorded ones fit
// into a binary message (256 MiB, copies have two records of 300 bytes).
constexpr size_t kMostEvents = 100'000;
constexpr uint32_t kMostRecorded = 400'000;

/// Knows of an event the buffer and the iteration.
class LaunchFollower final : public EventFollower {
 public:
  LaunchFollower(const EmulatedLaunch& launch, int buffers, const InstructionLines& lines)
      : EventFollower(lines), launch_(launch), buffers_(buffers) {}

  DataEvent follow(const emulator::Trace& trace, const Live& live) override {
    const emulator::Event& event = trace.events.back();
    DataEvent data = begin(trace);
    data.loop = event.loop;
    data.k_step = event.iteration;
    if (event.address_slot < 0) return data;
    // A copy's global side says what it brings; shared memory has to be asked.
    const bool global = event.kind == emulator::EventKind::copy || !data.shared;
    const uint32_t lanes = addressing_lanes(event, data.instruction);
    const auto& address = trace.addresses[static_cast<size_t>(event.address_slot)];
    for (unsigned lane = 0; lane < 32 && data.matrix < 0; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      const int buffer =
          global ? locate(address[lane]).buffer : live.of_shared(address[lane]).buffer;
      if (buffer < buffers_) data.matrix = static_cast<int8_t>(buffer);
    }
    return data;
  }
  std::vector<TouchedBox> touched_by(const std::vector<DataEvent>&) const override { return {}; }
  emulator::Memory::Location locate(uint64_t address) const override {
    const emulator::Memory::Location at = launch_.memory.locate(address);
    return {at.buffer < buffers_ ? at.buffer : -1, at.offset};
  }

 private:
  const EmulatedLaunch& launch_;
  int buffers_;  // the rest has no name
};

bool multiplies_matrices(const emulator::Program& program, const std::string& entry) {
  const auto all = program.instructions(entry);
  return std::ranges::any_of(all, [](const emulator::Instruction& in) {
    return in.opcode.find("mma.") != std::string::npos;
  });
}

/// Iterations of a loop that a trace has room for; unrolled bodies of thousands of lines are long.
int room_for(const TracedLoop& loop) {
  if (loop.iterations <= 0) return kWholeLoop;
  const uint64_t each = std::max<uint64_t>(1, loop.events / static_cast<uint64_t>(loop.iterations));
  return static_cast<int>(std::clamp<uint64_t>(kMostEvents / each, 2, kWholeLoop));
}

/// Of a loop whose iterations do not all have room the first and the chosen one come first.
TraceWindow::Ranges shown_of(const TracedLoop& loop, int chosen) {
  TraceWindow::Ranges ranges;
  const int iterations = loop.iterations, room = room_for(loop);
  const auto all = static_cast<uint32_t>(iterations);
  const bool beside = room >= kWholeLoop;  // those around the chosen one, and the last
  const int first = iterations <= room ? iterations : beside ? kFirstIterations : room / 2;
  add_range(ranges, 0, first, all);
  add_range(ranges, chosen - beside, chosen + 1 + beside, all);
  if (beside) add_range(ranges, iterations - 1, iterations, all);
  merge_ranges(ranges);
  return ranges;
}

TraceWindow::Ranges with_lead(TraceWindow::Ranges ranges, int lead) {
  for (auto& [first, end] : ranges) first -= std::min(first, static_cast<uint32_t>(lead));
  merge_ranges(ranges);
  return ranges;
}

/// The loop in which most is done.
int main_loop(const std::vector<emulator::TraceLoop>& loops) {
  const auto most = std::ranges::max_element(loops, {}, &emulator::TraceLoop::events);
  return most == loops.end() || most->events == 0 ? -1 : static_cast<int>(most - loops.begin());
}

void cut_off(TraceResult& result) {
  if (result.events.size() <= kMostEvents) return;
  result.truncated = true;
  for (size_t i = kMostEvents; i < result.events.size(); ++i) {
    if (result.events[i].first_raw < 0) continue;
    result.raw.resize(static_cast<size_t>(result.events[i].first_raw));
    break;
  }
  result.events.resize(kMostEvents);
}

}  // namespace

TraceResult trace_launch(const LaunchRequest& request, const TraceRequest& options) {
  TraceRun tracing{options};
  tracing.file = source_name(request);
  TraceResult result;
  {
    EmulatedLaunch first = prepare_launch(request);
    check_cta(options.cta, first.launch.grid);
    tracing.fma = !multiplies_matrices(*first.program, first.entry);
    tracing.max_events = kMostRecorded;
    const emulator::Trace counted = tracing.count(first);
    for (const emulator::TraceLoop& l : counted.loops) {
      result.loops.push_back({line_told(*first.program, l.ptx_line, tracing.file), l.ptx_line,
                              static_cast<int>(l.iterations), l.events});
    }
    for (const uint64_t address : first.buffers) {
      if (result.buffers.size() == std::numeric_limits<int8_t>::max()) break;
      result.buffers.push_back(first.memory.name(first.memory.locate(address).buffer));
    }
    result.main_loop = main_loop(counted.loops);
  }
  if (result.main_loop >= 0) {
    result.k_slices = result.loops[static_cast<size_t>(result.main_loop)].iterations;
  }
  if (options.k_step >= 0 && result.main_loop < 0) {
    fail(kUsage, "The k step is " + std::to_string(options.k_step) +
                     "; the kernel has no loop, so leave it out.");
  }
  const int chosen = std::max(options.k_step, 0);
  if (result.main_loop >= 0) check_inside("The k step", chosen, 0, result.k_slices);
  result.cta = options.cta;
  result.k_end = result.k_slices;
  result.revision = ptx_revision(request.ptx);

  std::vector<TraceWindow::Ranges> shown, recorded;
  for (const TracedLoop& loop : result.loops) {
    shown.push_back(shown_of(loop, chosen));
    recorded.push_back(with_lead(shown.back(), std::min(kLead, room_for(loop) / 2)));
  }
  if (result.main_loop >= 0) {
    for (const auto& [begin, end] : shown[static_cast<size_t>(result.main_loop)]) {
      for (uint32_t i = begin; i < end; ++i) result.recorded_k_steps.push_back(static_cast<int>(i));
    }
  }
  // Anew, as the kernel may have changed what it reads.
  EmulatedLaunch launch = prepare_launch(request);
  const InstructionLines lines(*launch.program, launch.entry);
  LaunchFollower follower(launch, static_cast<int>(result.buffers.size()), lines);
  const auto sort = [&](const emulator::Event& event, const DataEvent&) {
    const bool shows = event.loop < 0 || contains_value(shown[static_cast<size_t>(event.loop)],
                                                        static_cast<uint32_t>(event.iteration));
    return shows ? TraceRun::Goes::to_shown : TraceRun::Goes::nowhere;
  };
  tracing.record(launch, {.by_epoch = true, .kept = {}, .iterations = std::move(recorded)},
                 follower, sort, result);
  cut_off(result);
  return result;
}

}  // namespace tilescope::worker
