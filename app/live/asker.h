// An asker keeps one part of the state up to date by asking the worker, or a thread of its own.
// Live walks a list of askers. What each must do so as not to disturb the others is declared here
// as pure virtual functions, so that none can be forgotten.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "worker/client/client.h"

namespace tilescope {

/// The worker as all askers reach it; Live owns it.
struct WorkerLink {
  worker::Client* client = nullptr;  // null: there is none
  AppState* state = nullptr;         // what answers go to; valid inside Live::update()
  bool devices_outdated = true;      // a card came or went: they are to be asked for
};

/// What has happened to answers that are on their way.
enum class Lost {
  edit,     // the present edit is another one
  device,   // another device: it is measured there
  stopped,  // by hand: nothing goes on by itself
  again,    // by hand: all is asked once more
  worker,   // it is started anew: what was asked is answered by nobody
};

enum class Busy {
  no,
  beside,   // something goes on that nobody waits for; it can be stopped
  awaited,  // somebody waits: frames must not idle
};

/// What an asker may know of the others.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  /// Nothing of the present edit runs or is about to: a hand on a slider comes first.
  virtual bool edit_rests(const AppState& state) const = 0;
  /// Nor does the worker do anything that another asker wants.
  virtual bool all_rest(const AppState& state, const class Asker* but) const = 0;
  double time_limit = 10;     // seconds that one launch on a card may take
  bool verify_beside = true;  // the rest of C is verified while nothing else runs
  bool compile_ahead = true;  // tiles one notch of a slider away
};

class Asker {
 public:
  virtual ~Asker() = default;
  /// Once per frame, after the worker's answers have come in.
  virtual void update(AppState& state, const Surroundings& others) = 0;
  /// In its place, where there is no worker; `why`: one sentence.
  virtual void without_worker(AppState& state, const std::string& why) = 0;
  virtual Busy busy(const AppState& state) const = 0;
  virtual void drop(AppState& state, Lost what) = 0;
  /// Those that ask of a rung rest while the subject is none.
  virtual bool needs_rung() const { return true; }
  /// Those that work in a thread of their own are in nobody's way.
  virtual bool uses_worker() const { return true; }
  /// For those with a thread of their own: called when update() has something to take in.
  virtual void on_activity(std::function<void()> /*wake*/) {}
};

/// For a feature's row: those that ask the worker.
template <class... Askers>
std::vector<std::unique_ptr<Asker>> list_of(WorkerLink& link) {
  std::vector<std::unique_ptr<Asker>> list;
  (list.push_back(std::make_unique<Askers>(link)), ...);
  return list;
}

}  // namespace tilescope
