#include "app/live/l2_run.h"

#include "app/live/beside.h"

namespace tilescope {
namespace {

class ThreadedL2Run : public L2Run {
 public:
  ThreadedL2Run(const L2Question& question, std::function<void()> wake)
      : L2Run(question), beside_([this, wake = std::move(wake)] {
          model::L2Options options;
          options.cancelled = &cancelled_;
          traffic = model::simulate_l2(of.plan, of.problem, of.machine, options);
          done = true;
          if (wake) wake();
          return false;
        }) {}
  void cancel() override { cancelled_ = true; }

 private:
  std::atomic<bool> cancelled_{false};
  Beside beside_;  // ends before the rest
};

}  // namespace

std::unique_ptr<L2Run> begin_l2(const AppState&, const L2Question& question, WorkerLink&,
                                std::function<void()> wake) {
  return std::make_unique<ThreadedL2Run>(question, std::move(wake));
}

}  // namespace tilescope
