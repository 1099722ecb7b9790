// What watches a CTA: the trace recorder and the race checker, behind the handlers' one Observer.
#pragma once
#include <memory>
#include <vector>

#include "emulator/context.h"
#include "emulator/races.h"
#include "emulator/run_state.h"
#include "emulator/trace.h"

namespace tilescope::emulator {

class RunObserver final : public Observer {
 public:
  RunObserver(RunState& state, bool traced, std::byte* shared, Dim3 cta, size_t warps);

  /// Before an instruction; false if it is none that is recorded.
  bool begin_event(const Context& c, const Inst& in, uint32_t active, uint32_t epoch) {
    return recorder_ && recorder_->begin(c, in, active, epoch);
  }
  /// A block of which no event is kept, between these two, needs no observer but for races.
  bool only_counts(size_t block, uint32_t warp, uint32_t epoch) {
    return recorder_ && recorder_->only_counts(block, warp, epoch);
  }
  void count_block(size_t block, uint32_t warp) { recorder_->count_block(block, warp); }
  bool checks_races() const { return races_ != nullptr; }
  void end_event(const Context& c) { recorder_->end(c); }
  Trace take_trace(std::vector<uint32_t> epochs) { return recorder_->take(std::move(epochs)); }
  void set_epoch(uint32_t warp, uint32_t epoch) {
    if (races_) races_->set_epoch(warp, epoch);
  }

  void access(Context&, const Inst&, Space, bool is_store, const uint64_t* addresses,
              int bytes) override;
  bool copy(Context&, const Inst&, const uint64_t* shared, std::byte* const* from,
            const uint32_t* from_bytes, int bytes) override;
  void commit(Context&) override;
  void wait(Context&, uint32_t groups) override;

 private:
  const RunState& state_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<RaceChecker> races_;
};

}  // namespace tilescope::emulator
