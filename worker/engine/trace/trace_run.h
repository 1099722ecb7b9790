// Runs a CTA for a trace and makes the event list of what it records, with a plan or without.
#pragma once
#include <functional>
#include <string>

#include "worker/engine/emulate/emulated_launch.h"
#include "worker/engine/trace/trace.h"
#include "worker/engine/trace/trace_event.h"

namespace tilescope::worker {

struct TraceRun {
  const TraceRequest& options;
  bool fma = false;  // products are those of single lanes
  uint32_t max_events = emulator::TraceOptions().max_events;
  /// The run ends with it: see TraceOptions.
  uint32_t end_epoch = emulator::TraceOptions().end_epoch;
  /// The kernel's own source, whose lines are told; empty = the entry's.
  std::string file = {};

  /// Warps from this number on are producers. An mbarrier lets one bring a slice as soon as the one
  /// that had its stage before is given back, so they are shown so many slices ahead of the others,
  /// but not before this epoch.
  uint32_t first_producer = ~0u, producers_ahead = 0, producers_begin = 0;

  /// Nothing is recorded: how long the run is.
  emulator::Trace count(EmulatedLaunch& launch) const;

  enum class Goes { to_shown, to_lead, nowhere };
  using Sort = std::function<Goes(const emulator::Event& event, const DataEvent& data)>;
  /// Fills `events`, `lead`, `raw` and what all traces have in common. `sort` sees each recorded
  /// event, in the order in which they run.
  void record(EmulatedLaunch& launch, emulator::TraceRanges ranges, EventFollower& follower,
              const Sort& sort, TraceResult& result) const;

 private:
  emulator::Trace run(EmulatedLaunch& launch, emulator::TraceRanges ranges,
                      emulator::Provenance* provenance) const;
};

uint32_t largest(const std::vector<uint32_t>& values);
/// Fails with exit code 2.
void check_inside(const char* what, int value, int begin, int end);
void check_cta(const BlockIndex& cta, const emulator::Dim3& grid);

}  // namespace tilescope::worker
