// Measures the tiles of a sweep one after the other, whenever the present edit leaves the card
// free: a hand on a slider comes first.
#pragma once
#include <string>

#include "app/live/call_group.h"

namespace tilescope {

class Sweeper : public Asker {
 public:
  explicit Sweeper(WorkerLink& link) : link_(link), calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;

 private:
  void begin(AppState& state);
  /// Ends it with a sentence of why; what was measured stays.
  void stop(AppState& state, const std::string& sentence);
  void stop_by_hand(AppState& state);
  void measure_next(AppState& state, double time_limit);
  void take(AppState& state, const worker::calls::Measure::Answer& answer, const Edit& edit);
  void fail(AppState& state, const worker::CallError& error);

  WorkerLink& link_;
  Calls calls_;       // one at a time
  double begun_ = 0;  // the running cell
};

}  // namespace tilescope
