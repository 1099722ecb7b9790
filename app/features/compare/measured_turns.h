// A and B measured in turns on the card where both are: what its clock and temperature do meets
// both alike.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/live/call_group.h"

namespace tilescope {

/// AppState::of<Turns>().
struct Turns {
  static constexpr int kRounds = 8;
  struct Sample {
    double a_us = 0, b_us = 0;
  };
  bool wanted = false;  // by hand: begins once nothing else runs
  bool running = false;
  std::vector<Sample> samples;    // a round each, medians
  std::optional<double> a_alone;  // of the round that goes on
  std::string error;
  // Of which two: edits, sources and device, as they were when it began.
  uint64_t a_serial = 0, b_serial = 0, device_serial = 0, files_serial = 0;
  std::shared_ptr<const worker::LaunchRequest> a_launch, b_launch;  // kernels of one's own
  std::string device;                                               // its name
};

/// Why it cannot be done now, in a sentence; empty: it can.
std::string why_no_turns(const AppState& state);
/// Whether `samples` are of what stands now.
bool turns_are_present(const AppState& state);
/// Medians of the rounds so far, of what stands now.
std::optional<Turns::Sample> turns_median(const AppState& state);

class TurnsAsker : public Asker {
 public:
  explicit TurnsAsker(WorkerLink& link) : calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;

 private:
  void ask(AppState& state, bool first);
  Calls calls_;
  double time_limit_ = 10;
};

}  // namespace tilescope
