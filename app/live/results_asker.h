// Asks the worker what is known of the present problem on the present device, whenever either
// changes; and whether the kernels that the ladder shows as recorded, and the present tile's, are
// still what they were.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "app/live/call_group.h"

namespace tilescope {

class ResultsAsker : public Asker {
 public:
  explicit ResultsAsker(WorkerLink& link) : link_(link), results_(link), revisions_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;

 private:
  void ask(AppState& state);
  void check_a_recording(const AppState& state);
  void compare(const worker::KnownResult& recording);

  WorkerLink& link_;
  Calls results_, revisions_;
  ResultsOf asked_, noticed_;
  std::string sources_;  // folder that kernels were read from when it was asked
  double noticed_at_ = 0;
  // Of recordings that were compared: the kernel has changed; nothing where that cannot be told.
  std::map<std::string, std::optional<bool>> older_;
  uint64_t checked_serial_ = 0;  // edit whose ladder has nothing left to compare
  bool stopped_ = false;
};

}  // namespace tilescope
