// Keeps the worker busy with the present edit: compile, trace, counts, measurement; drops what is
// outdated; compiles the neighbours of the slider's position ahead.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/live/origin_asker.h"
#include "app/live/prover.h"
#include "app/state/app_state.h"
#include "worker/client/client.h"

namespace tilescope {

/// What every call to the worker is about.
worker::KernelRequest request_of(const Edit& edit);

class Live {
 public:
  /// `client` may be null: pictures and model work, nothing is compiled.
  Live(std::unique_ptr<worker::Client> client, std::string why_no_worker);
  ~Live();

  /// Once a frame: takes in what has arrived, starts what is due.
  void update(AppState& state);
  /// True while something runs or is about to.
  bool busy(const AppState& state) const;

  void stop(AppState& state);       // the running work; the edit stays
  void run_again(AppState& state);  // after an error, or to measure once more
  void restart_worker(AppState& state);
  void on_activity(std::function<void()> wake);

 private:
  void begin(AppState& state);
  void request_trace(AppState& state);
  void request_registers(AppState& state);
  void request_counts(AppState& state);
  void request_checks(AppState& state);
  void request_measured(AppState& state);
  void request_recording(AppState& state);
  void request_measurement(AppState& state);
  void request_neighbours(AppState& state);
  void fail(AppState& state, const worker::RpcError& error);
  /// What a call of the edit `serial` does when it fails.
  std::function<void(const worker::RpcError&)> failure(uint64_t serial);
  void cancel_all();
  void finish(AppState& state);
  void ask_devices();

  std::unique_ptr<worker::Client> client_;
  std::string why_no_worker_;
  Prover prover_;
  OriginAsker origin_asker_;
  bool asked_devices_ = false;
  std::vector<uint64_t> running_;  // calls of the present edit
  std::vector<uint64_t> ahead_;    // prefetching compiles
  uint64_t seen_serial_ = 0;       // edit that was begun
  uint64_t registers_serial_ = 0;  // edit whose registers are asked for
  uint64_t noticed_serial_ = 0;    // edit that the debounce waits for
  double changed_at_ = 0;
  Coord traced_cta_{-1, -1};
  int traced_k_ = -1;
  AppState* state_ = nullptr;  // valid inside update()
};

}  // namespace tilescope
