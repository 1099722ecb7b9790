// Asks which lanes touch which elements, of the present launch, while somebody looks.
#pragma once
#include "app/features/access/access_view.h"
#include "app/live/call_group.h"

namespace tilescope {

class AccessAsker : public Asker {
 public:
  explicit AccessAsker(WorkerLink& link) : calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }

 private:
  void ask(AppState& state, const AccessQuestion& question);
  Calls calls_;
  std::optional<AccessQuestion> asked_;  // under way
  bool pending_ = false;                 // wanted, and neither answered nor asked yet
};

}  // namespace tilescope
