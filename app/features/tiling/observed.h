// Tiling of a kernel of somebody's own: asked of the emulator, which sees who stores what.
#pragma once
#include <memory>
#include <string>

#include "app/live/call_group.h"
#include "viz/scene/tiling/observed_scene.h"

namespace tilescope {

/// The feature's part of the state for kernels that have no plan.
struct ObservedView {
  bool wanted = false;  // this frame's, by a panel or a picture
  bool running = false;
  // That the rest is of: the edit, and its launch, which is another one once the file was saved.
  uint64_t serial = 0;
  std::shared_ptr<const worker::LaunchRequest> of = {};
  BlockIndex cta{-1, -1, -1};  // that was asked for last
  std::shared_ptr<const viz::Observed> seen = {};
  std::string error = {};  // why nothing was seen, one sentence
};

class ObservedAsker : public Asker {
 public:
  explicit ObservedAsker(WorkerLink& link) : calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;
  bool needs_rung() const override { return false; }

 private:
  void ask(AppState& state, int argument);
  Calls calls_;
};

/// The picture's state; where there is nothing to show yet, with the sentence that says why.
viz::ObservedState observed_picture(const AppState& state);
/// "C[3, 5], stored by lane 2 of warp 1 in CTA 0,1", for an element of the chosen CTA or a CTA.
std::string observed_words(const viz::Observed& seen, const viz::Pick& pick);

}  // namespace tilescope
