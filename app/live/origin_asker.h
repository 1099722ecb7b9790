// Asks the worker where a value came from, once the pointer rests on it.
#pragma once
#include "app/live/calls.h"

namespace tilescope {

class OriginAsker : public Asker {
 public:
  explicit OriginAsker(WorkerLink& link) : calls_(link) {}
  void update(AppState& state, const Surroundings& others) override;
  void without_worker(AppState& state, const std::string& why) override;
  Busy busy(const AppState& state) const override;
  void drop(AppState& state, Lost what) override;

 private:
  void ask(AppState& state);
  Calls calls_;
};

/// The question that a pick stands for: a register of the mma or thread that is shown, an element
/// of C at the end of its CTA, one of A or B in shared memory at the present moment; nothing if the
/// trace cannot tell.
std::optional<worker::OriginQuestion> question_of(const AppState& state, const viz::Pick& pick);

/// What a tooltip says to a pick: the answer, as far as there is one; asks for it otherwise. Empty
/// if there is nothing to be asked.
std::string origin_words(AppState& state, const viz::Pick& pick);

}  // namespace tilescope
