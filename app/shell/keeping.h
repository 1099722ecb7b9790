// What a window keeps of itself while it is open and when it ends: settings, session, where panels
// are docked, and what a report of a crash would say.
#pragma once
#include <chrono>
#include <string>

#include "app/shell/docking_file.h"
#include "app/shell/save_pace.h"
#include "app/shell/shell_state.h"

namespace tilescope {

class Keeping {
 public:
  explicit Keeping(ShellState& shell) : shell_(shell), docking_(shell.folder / kDockingFile) {}
  /// The settings of before; ShellState::problem says what is wrong with them, and what a window
  /// before this one came to.
  void load();
  /// Once per frame; writes what has changed within seconds, so that whatever ends the program
  /// takes no more than these. `rests`: nothing goes on, and the next frame may be long in coming.
  void each_frame(bool rests);
  /// Seconds after which it wants a frame, to write what changed last.
  double due_in() const { return pace_.due_in(seconds_now()); }
  /// All of it now.
  void save();

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_now() {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  }
  void note_layout();
  void save_settings();
  void tell_report();

  ShellState& shell_;
  DockingFile docking_;
  SavePace pace_;
  std::string saved_, told_;
  Clock::time_point told_at_;
};

}  // namespace tilescope
