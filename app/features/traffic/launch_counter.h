// Has a launch of the present edit counted on the card when a person asks for it, once nothing is
// timed any more; and the command line that does the same by hand.
#pragma once
#include <string>

#include "app/live/call_group.h"

namespace tilescope {

class LaunchCounter : public Asker {
 public:
  explicit LaunchCounter(WorkerLink& link) : calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;

 private:
  void ask(AppState& state, double time_limit);
  Calls calls_;
};

/// What a person pastes into a shell: ncu with our counters around one launch of the present
/// position.
std::string ncu_command(const AppState& state);

}  // namespace tilescope
