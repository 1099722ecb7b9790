// The present edit's own work, one step after the other: compile; trace beside counts and checks;
// measurement or recording; then the neighbours of the sliders' position compiled ahead.
#pragma once
#include <string>
#include <utility>

#include "app/live/call_group.h"

namespace tilescope {

class EditRunner : public Asker {
 public:
  /// `slot`: of its calls; a newer one takes the place of one that is queued in the same slot.
  explicit EditRunner(WorkerLink& link, std::string slot = "edit")
      : link_(link),
        slot_(std::move(slot)),
        running_(link),
        trace_(link),
        registers_(link),
        ahead_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;

  bool rests(const AppState& state) const;
  /// The checks along all of k.
  void check_all(AppState& state);
  /// Files of its kernel have changed. False: nothing goes on by itself, since it was stopped.
  bool files_changed(AppState& state);
  /// The worker's error becomes the edit's.
  void fail(AppState& state, const worker::CallError& error);

 private:
  using Answered = std::function<void(AppState&, const worker::CallError&)>;
  void debounce(AppState& state);
  void drop_own();
  void begin(AppState& state);
  void resume(AppState& state);
  void follow_device(AppState& state);
  void request_trace(AppState& state);
  void request_registers(AppState& state);
  void request_counts(AppState& state);
  void after_counts(AppState& state);
  void go_on(AppState& state);
  void request_measured(AppState& state);
  void request_recording(AppState& state);
  void request_revision(AppState& state, const std::string& arch, const std::string& revision);
  void take_recording(AppState& state, bool older);
  void request_measurement(AppState& state);
  void request_neighbours(AppState& state);
  void finish(AppState& state);
  Answered failure();

  WorkerLink& link_;
  std::string slot_;
  Calls running_;    // one after the other
  Calls trace_;      // beside the counts, by an emulator of its own
  Calls registers_;  // beside the others
  Calls ahead_;      // prefetching compiles
  double time_limit_ = 10;
  bool compile_ahead_ = true;
  bool goes_on_ = false;   // once the trace is there: the counts are
  bool stopped_ = false;   // by hand, since the present edit was begun
  uint64_t begun_ = 0;     // serial of the edit that was begun
  double changed_at_ = 0;  // seconds: the debounce waits from then on; 0: it does not wait
  bool device_known_ = false;
  std::string arch_;  // that the present edit was begun for
  Coord traced_cta_{-1, -1};
  int traced_k_ = -1;
};

/// Puts the answer's findings and its log into the results, as those of a failed edit.
void fail_results(Results& results, const worker::CallError& error);

}  // namespace tilescope
