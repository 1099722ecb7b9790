// What the shell asks of the state and of the worker behind it, without knowing either. The state
// (app/app_model.cpp) implements it; without that folder the window still opens, empty.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/state/status_item.h"
#include "app/window_command.h"

namespace tilescope {

class AppModel {
 public:
  virtual ~AppModel() = default;

  /// Before anything else is given the context: panels' options are loaded into its state.
  virtual void attach(AppContext&) {}

  /// Before each frame: takes in results, applies the edits asked for, saves the session when due.
  virtual void begin_frame(AppContext&) {}

  /// Something is being measured, compiled, animated or dragged: frames must not idle.
  virtual bool busy() const { return false; }

  /// Busy, and nothing but the answers of others will change what is shown.
  virtual bool waiting() const { return false; }

  /// Seconds for which what is shown cannot change by itself, if nobody touches it and nothing
  /// comes.
  virtual double unchanged_for() const { return 3600; }

  /// Between frames, where one takes long: takes in what has come and asks what follows from it.
  virtual void take_answers() {}

  /// Left to right; the shell adds the frame time at the right.
  virtual std::vector<StatusItem> status() const { return {}; }

  /// Undo, redo, kernel and device commands.
  virtual std::vector<Command> commands() { return {}; }

  /// Called, from any thread, when something has come that a frame should show.
  virtual void on_activity(std::function<void()> /*wake*/) {}

  /// The device chooser at the right of the menu bar; returns the width it would like to have.
  virtual float draw_menu_bar_right(AppContext&, float /*x_end*/) { return 0; }

  /// Opens a state file. False: `error` is one sentence with the way out.
  virtual bool open(const std::string& /*path*/, std::string* /*error*/) { return true; }

  /// What is shown as the part of a page's address behind "#"; empty if it does not fit into one.
  virtual std::string link() const { return {}; }

  /// What is shown, as a state file has it.
  virtual std::string state_text() const { return {}; }

  /// Puts JSON over the state, as a state file has it.
  virtual bool change(const std::string& /*json*/, std::string* /*error*/) { return true; }

  /// Writes the session now (atomically): at exit, and when the display goes away.
  virtual void save() {}
};

struct StartOptions {
  std::string session_folder;  // empty: keep nothing (headless rendering, tests)
  std::string kernel_dir;      // of the command line
  double time_limit = 10;      // seconds of one launch on a card
  bool verify_beside = true;   // all of C, while nothing else runs
  bool compile_ahead = true;   // tiles one notch of a slider away
  bool rendering = false;      // headless: results must not depend on time
};

std::unique_ptr<AppModel> make_app_model(const StartOptions& options);

}  // namespace tilescope
