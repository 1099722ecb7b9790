// Keeps the worker busy with what the window shows. It walks the askers, each of which keeps a part
// of the state, and tells them when the edit has changed, so that no answer about an earlier edit
// is taken for one about the present.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/live/asker.h"
#include "app/live/folder_watch.h"

namespace tilescope {

class EditRunner;

class Live : private Surroundings {
 public:
  /// `client` may be null: pictures and model work, nothing is compiled.
  Live(std::unique_ptr<worker::Client> client, std::string why_no_worker);
  ~Live() override;

  /// Once per frame: takes in what has arrived, starts what is due.
  void update(AppState& state);
  /// Somebody waits for something: frames must not idle.
  bool busy(const AppState& state) const;
  /// Something runs, if only beside.
  bool can_stop(const AppState& state) const;

  void stop(AppState& state);       // the running work, a sweep too; the edit stays
  void run_again(AppState& state);  // after an error, or to measure once more
  void check_all(AppState& state);  // the checks along all of k
  void restart_worker(AppState& state);
  /// From now on a kernel's file that is saved there is compiled and run again.
  void watch_kernels(const std::string& folder, WatchLimits limits = {});
  FolderWatch* kernel_watch() { return kernel_watch_.get(); }
  /// Called when update() has something to do, from any thread.
  void on_activity(std::function<void()> wake);
  /// Whether the rest of C is verified while nothing else runs.
  void set_verify_beside(bool on) { verify_beside = on; }
  /// Whether tiles one notch of a slider away are compiled before anyone goes there.
  void set_compile_ahead(bool on) { compile_ahead = on; }
  /// Seconds that one launch on a card may take.
  void set_time_limit(double seconds) { time_limit = seconds; }

 private:
  bool edit_rests(const AppState& state) const override;
  bool all_rest(const AppState& state, const Asker* but) const override;
  void tell(AppState& state, Lost what);
  void update_worker(AppState& state);
  void follow_kernels(AppState& state);
  void follow_saved(AppState& state);
  void poll(AppState& state);

  std::unique_ptr<worker::Client> client_;
  std::string why_no_worker_;
  WorkerLink link_;
  EditRunner* runner_ = nullptr;                  // the first of the askers
  std::vector<std::unique_ptr<Asker>> askers_;    // in the order in which they have their turn
  std::unique_ptr<FolderWatch> kernel_watch_;     // of --kernel-dir
  uint64_t edit_serial_ = 0, device_serial_ = 0;  // that the askers were told of
  uint64_t files_saved_ = 0;                      // of PrivateCopies::saved
};

}  // namespace tilescope
