// Has the rest of C verified by the emulator, part by part, while nothing else runs.
#pragma once
#include "app/live/call_group.h"

namespace tilescope {

class Verifier : public Asker {
 public:
  /// `failed`: the kernel itself fails in a part, in CTAs that had not run before.
  Verifier(WorkerLink& link, std::function<void(AppState&, const worker::CallError&)> failed)
      : calls_(link), failed_(std::move(failed)) {}
  /// A part under way is dropped as soon as something else is to be run, and comes again later.
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;

 private:
  Calls calls_;
  std::function<void(AppState&, const worker::CallError&)> failed_;
};

}  // namespace tilescope
