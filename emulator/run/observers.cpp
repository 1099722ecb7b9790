#include "emulator/run/observers.h"

#include "emulator/provenance/provenance_impl.h"

namespace tilescope::emulator {

RunObserver::RunObserver(const RunState& state, bool traced, Dim3 cta, size_t warps,
                         Checker* checker, Tracker* tracker)
    : checker_(checker), tracker_(tracker) {
  if (traced) recorder_ = std::make_unique<Recorder>(state, cta, warps);
  if (!traced || !tracker) return;
  const Provenance::Impl& provenance = state.options->provenance->impl();
  only_traced_ = provenance.options.only_traced;
  if (!provenance.options.each) return;
  each_ = &provenance.options.each;
  live_.emplace(provenance, *tracker);
}

bool RunObserver::tolerate(Context& c, const Inst& in, Fault::Kind kind, uint32_t lane,
                           uint64_t address, const char* what) {
  return checker_ && checker_->tolerate(c, in, kind, lane, address, what);
}

void RunObserver::access(Context& c, const Inst& in, Space space, bool is_store,
                         const uint64_t* addresses, int bytes) {
  if (checker_) checker_->access(c, in, space, is_store, addresses, bytes);
  if (tracker_) tracker_->access(c, space, is_store, addresses, bytes);
  if (recorder_) recorder_->access(space, is_store, addresses, c.mask, bytes);
}

void RunObserver::pieces(Context& c, const Inst& in, Space space, const uint64_t* addresses,
                         const std::byte* values, uint32_t count, int bytes) {
  if (checker_) checker_->pieces(c, in, space, addresses, values, count, bytes);
}

bool RunObserver::copy(Context& c, const Inst& in, const uint64_t* shared, std::byte* const* from,
                       const uint32_t* from_bytes, int bytes) {
  if (recorder_) recorder_->copy_target(shared, c.mask);
  if (checker_) checker_->copy(c, in, shared, from, from_bytes, bytes);
  if (tracker_) tracker_->copy(c, shared, from_bytes, bytes);
  return false;
}

void RunObserver::commit(Context& c) {
  if (checker_) checker_->shared().commit(c);
}

void RunObserver::wait(Context& c, uint32_t groups) {
  if (checker_) checker_->shared().wait(c, groups);
}

}  // namespace tilescope::emulator
