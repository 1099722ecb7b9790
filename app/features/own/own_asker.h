// Opens a file of somebody's own, again after each save, and runs it as its launch sheet says: with
// the checks, its counts, and C compared where it is a GEMM.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/live/call_group.h"
#include "app/live/folder_watch.h"
#include "worker/messages/messages_open.h"
#include "worker/messages/messages_run.h"

namespace tilescope {

class OwnAsker : public Asker {
 public:
  explicit OwnAsker(WorkerLink& link) : calls_(link), traces_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }
  void on_activity(std::function<void()> wake) override { wake_ = std::move(wake); }

 private:
  void follow_file(AppState& state, const OwnKernel& own);
  void open(AppState& state, const OwnKernel& own);
  // own_run.cpp
  void run(AppState& state);
  void request_trace(AppState& state, std::function<void(AppState&)> then);
  void follow_choice(AppState& state);
  void open_expected(AppState& state);
  void request_run(AppState& state);
  void compare(AppState& state, worker::RunRequest request);

  Calls calls_;
  Calls traces_;
  BlockIndex traced_cta_{-1, -1, -1};  // that was asked for last, and the k step
  int traced_k_ = -1;
  std::function<void()> wake_;
  std::unique_ptr<FolderWatch> watch_;                    // of the file and what it includes
  std::string watched_;                                   // the file
  std::shared_ptr<const worker::OpenAnswer> watched_of_;  // that named the others
  bool due_ = false;                                      // the sheet is to be run
};

}  // namespace tilescope
