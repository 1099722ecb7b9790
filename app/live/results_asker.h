// Asks the worker what is known of the present problem on the present device, whenever either
// changes; and whether the kernels that the ladder shows as recorded, and the present tile's, are
// still what they were.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "app/live/calls.h"
#include "app/state/app_state.h"

namespace tilescope {

class ResultsAsker {
 public:
  explicit ResultsAsker(worker::Client* client) : results_(client), revisions_(client) {}
  /// Once a frame, after the client was polled. `idle`: nothing of the present edit is running, so
  /// that there is time for compiles that nobody waits for.
  void update(AppState& state, bool idle);
  bool busy(const AppState& state) const;
  /// Once more: the worker was started anew, or F5 was pressed.
  void again() { asked_ = {}; }
  /// By hand: what is not known is not asked for until the problem or the device changes.
  void stop();
  /// The state that answers go to: set around each poll.
  void answers_to(AppState* state) { state_ = state; }

 private:
  void ask(const AppState& state);
  void check_a_recording(const AppState& state);
  void compare(const worker::KnownResult& recording);

  Calls results_, revisions_;
  AppState* state_ = nullptr;
  ResultsOf asked_, noticed_;
  double noticed_at_ = 0;
  // Of recordings that were compared: the kernel has changed; nothing where that cannot be told.
  std::map<std::string, std::optional<bool>> older_;
  uint64_t checked_serial_ = 0;  // edit whose ladder has nothing left to compare
  bool stopped_ = false;
};

}  // namespace tilescope
