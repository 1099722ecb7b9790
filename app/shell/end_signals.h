// SIGTERM, SIGHUP and SIGINT close the window in order, as its cross does: session, settings and
// layout are saved.
#pragma once
#include <functional>
#include <memory>

namespace tilescope {

class EndSignals {
 public:
  /// From now on they are this object's, in this thread and in those that it starts: made before
  /// any other thread is. A second one ends the program at once, whatever it is doing.
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  bool asked() const;
  /// Called once one has come, from a thread of its own.
  void on_asked(std::function<void()> wake);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilescope
