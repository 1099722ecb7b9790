#include "emulator/observers.h"

namespace tilescope::emulator {

RunObserver::RunObserver(RunState& state, bool traced, std::byte* shared, Dim3 cta, size_t warps)
    : state_(state) {
  if (traced) recorder_ = std::make_unique<Recorder>(state, cta, warps);
  if (state.options->check_races) {
    races_ = std::make_unique<RaceChecker>(shared, state.shared_bytes, warps);
  }
}

void RunObserver::access(Context& c, const Inst& in, Space space, bool is_store,
                         const uint64_t* addresses, int bytes) {
  const bool atomic = state_.rows.rows[in.row]->kind == RowKind::atomic;
  if (races_ && space == Space::shared && !atomic) {
    races_->access(c, in, is_store, addresses, bytes);
  }
  if (recorder_) recorder_->access(space, is_store, addresses, c.mask, bytes);
}

bool RunObserver::copy(Context& c, const Inst& in, const uint64_t* shared, std::byte* const* from,
                       const uint32_t* from_bytes, int bytes) {
  if (recorder_) recorder_->copy_target(shared, c.mask);
  if (!races_) return false;
  races_->copy(c, in, shared, from, from_bytes, bytes);
  return true;
}

void RunObserver::commit(Context& c) {
  if (races_) races_->commit(c);
}

void RunObserver::wait(Context& c, uint32_t groups) {
  if (races_) races_->wait(c, groups);
}

}  // namespace tilescope::emulator
