// Keeps the worker busy with the present edit: compile, trace, counts and checks, measurement;
// drops what is outdated; compiles the neighbours of the slider's position ahead.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "app/live/calls.h"
#include "app/live/exporter.h"
#include "app/live/folder_watch.h"
#include "app/live/l2_asker.h"
#include "app/live/launch_counter.h"
#include "app/live/layer_planner.h"
#include "app/live/layer_runner.h"
#include "app/live/opinion_asker.h"
#include "app/live/origin_asker.h"
#include "app/live/prover.h"
#include "app/live/results_asker.h"
#include "app/live/sass_reader.h"
#include "app/live/sweeper.h"
#include "app/live/verifier.h"
#include "app/state/app_state.h"
#include "worker/client/client.h"

namespace tilescope {

/// What every call to the worker is about.
worker::KernelRequest request_of(const Edit& edit, int sms);

class Live {
 public:
  /// `client` may be null: pictures and model work, nothing is compiled.
  Live(std::unique_ptr<worker::Client> client, std::string why_no_worker);
  ~Live();

  /// Once a frame: takes in what has arrived, starts what is due.
  void update(AppState& state);
  /// True while something runs or is about to.
  bool busy(const AppState& state) const;

  void stop(AppState& state);       // the running work, a sweep too; the edit stays
  void run_again(AppState& state);  // after an error, or to measure once more
  void check_all(AppState& state);  // the checks along all of k
  void restart_worker(AppState& state);
  /// From now on a kernel's file that is saved there is compiled and run again.
  void watch_kernels(const std::string& folder);
  FolderWatch* kernel_watch() { return kernel_watch_.get(); }
  /// Called when update() has something to do, from any thread.
  void on_activity(std::function<void()> wake);
  /// Whether the rest of C is verified while nothing else runs.
  void verify_beside(bool on) { verifies_beside_ = on; }
  /// Seconds that one launch on a card may take.
  void set_time_limit(double seconds) { time_limit_ = seconds; }

 private:
  void update_worker(AppState& state);
  void follow_kernels(AppState& state);
  /// Nothing of the present edit runs or is about to.
  bool edit_rests(const AppState& state) const;
  /// Nothing at all is asked of the emulator, nor measured beside it.
  bool emulator_is_free(const AppState& state) const;
  void poll(AppState& state);
  void begin(AppState& state);
  void follow_device(AppState& state);
  void request_trace(AppState& state);
  void request_registers(AppState& state);
  void request_counts(AppState& state);
  void request_measured(AppState& state);
  void request_recording(AppState& state);
  void request_revision(AppState& state, const std::string& arch, const std::string& revision);
  void take_recording(AppState& state, bool older);
  void request_measurement(AppState& state);
  void request_neighbours(AppState& state);
  void request_devices();
  void fail(AppState& state, const worker::RpcError& error);
  std::function<void(const worker::RpcError&)> failure();
  void finish(AppState& state);
  nlohmann::json params_of(const Edit& edit) const;

  std::unique_ptr<worker::Client> client_;
  std::string why_no_worker_;
  double time_limit_ = 10;
  bool verifies_beside_ = true;
  AppState* state_ = nullptr;  // valid inside update()
  Calls running_;              // one after the other, of the present edit
  Calls registers_;            // of the present edit, beside the others
  Calls ahead_;                // prefetching compiles
  Calls devices_;              // what there is to measure on
  Prover prover_;
  OriginAsker origin_asker_;
  Exporter exporter_;
  ResultsAsker results_asker_;
  L2Asker l2_asker_;
  Sweeper sweeper_;
  Verifier verifier_;
  LaunchCounter counter_;
  SassReader sass_reader_;
  OpinionAsker opinion_asker_;
  LayerPlanner layer_planner_;
  LayerRunner layer_runner_;
  std::unique_ptr<FolderWatch> kernel_watch_;  // of --kernel-dir
  bool asked_devices_ = false;
  bool stopped_ = false;         // by hand, since the present edit was begun
  uint64_t seen_serial_ = 0;     // edit that was begun
  uint64_t noticed_serial_ = 0;  // edit that the debounce waits for
  uint64_t device_serial_ = 0;
  bool device_known_ = false;
  std::string arch_;  // that the present edit was begun for
  double changed_at_ = 0;
  Coord traced_cta_{-1, -1};
  int traced_k_ = -1;
};

}  // namespace tilescope
