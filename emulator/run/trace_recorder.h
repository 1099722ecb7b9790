// Records the events of one CTA.
#pragma once
#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "emulator/machine/context.h"
#include "emulator/machine/run_state.h"
#include "emulator/run/loop_counter.h"

namespace tilescope::emulator {

/// Which event an instruction is, if any; of a generic access as if it were global.
std::optional<EventKind> event_kind(RowKind kind, bool fma);

class Recorder {
 public:
  Recorder(const RunState& state, Dim3 cta, size_t warps);
  /// Lanes of a warp begin with a block: said before all else about it.
  void enter_block(size_t block, uint32_t warp, uint32_t lanes) {
    loops_.enter(block, warp, lanes);
  }
  /// Told of each block a warp enters: true once all warps have come to the last epoch.
  bool has_come_to_end(uint32_t warp, uint32_t epoch) {
    if (epoch < options_.end_epoch) return false;
    if (!at_end_[warp]) at_end_[warp] = true, ++warps_at_end_;
    return warps_at_end_ == at_end_.size();
  }
  /// True if none of a block's events will be kept, however it runs: count_block() is enough.
  bool only_counts(size_t block, uint32_t warp, uint32_t epoch);
  void count_block(size_t block, uint32_t warp);
  bool begin(const Context& c, const Inst& in, uint32_t active, uint32_t epoch, uint64_t step);
  void access(Space space, bool is_store, const uint64_t* addresses, uint32_t mask, int bytes);
  void copy_target(const uint64_t* addresses, uint32_t mask);
  void end(const Context& c);
  const Trace& trace() const { return trace_; }
  bool records_fma() const { return options_.fma; }
  bool keeps() const { return keeping_; }  // the event that began last
  Trace take(std::vector<uint32_t> epochs);

 private:
  using Addresses = std::array<uint64_t, 32>;
  struct Pending {
    Event event;
    uint64_t order = 0;
    std::optional<Addresses> first, second;
    bool recorded = false;  // is in the trace already: only holds its place among the last ones
  };
  void store(Pending& p);
  /// Nothing has to wait until the end.
  bool keeps_at_once() const { return options_.keep_last_per_warp == 0; }
  int32_t put(const uint64_t* addresses, uint32_t mask);
  void learn_blocks();
  /// Some of the warp's next events lie in the ranges.
  bool in_ranges(uint32_t warp, uint32_t epoch, uint32_t events) const;

  const RunState& state_;
  const TraceOptions& options_;
  Trace trace_;
  LoopCounter loops_;
  std::vector<uint32_t> events_in_block_;  // kVaries where guards decide
  std::vector<uint64_t> order_;            // of trace_.events, where they may come out of order
  std::vector<std::deque<Pending>> last_;  // by warp
  Pending current_;
  std::vector<bool> at_end_;  // by warp
  size_t warps_at_end_ = 0;
  bool keeping_ = false;  // the current event
  uint64_t next_order_ = 0;
};

}  // namespace tilescope::emulator
