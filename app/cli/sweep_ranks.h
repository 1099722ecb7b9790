// Several processes of one sweep, on one machine or many: who measures what, and how their results
// come together. They meet in a file beside --out, which each locks for an instant; no rank waits
// while there are tiles left.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/launcher.h"
#include "app/cli/sweep_files.h"

namespace tilescope::cli {

class SweepRanks {
 public:
  /// Joins the ranks of this start. The first of them begins anew: what an earlier start left
  /// behind when it was killed goes to `out`. `tasks`: of the whole sweep; `what`: equal for equal
  /// sweeps. Throws CliError (exit code 2): another sweep works on `out`, or another one than ours.
  SweepRanks(const std::string& out, const Rank& rank, size_t tasks, const std::string& what);

  /// Where this rank's results go.
  LockedFile& file() { return *file_; }
  /// Throws CliError (exit code 3) if another rank measures on another kind of card.
  void agree_on_card(const std::string& name);
  /// The next task that nobody has taken; nothing if none is left.
  std::optional<size_t> next();
  /// This rank goes no further; its results stay.
  void failed(int exit_code, const std::string& sentence);

  struct End {
    bool last = false;                // all others have ended: who is told so reports for all
    int resumed = 0;                  // results from before, of all ranks
    int exit_code = 0;                // of the first that failed
    std::vector<std::string> others;  // what became of those who did not come to their end
    std::vector<int> unseen;          // who has not come so far, and nobody else is at work
  };
  /// Puts into `out` what this rank and those who are gone have measured. Call it once.
  End end(int resumed, const Place& place);

 private:
  struct Other {
    bool started = false, ended = false;
    int resumed = 0, exit_code = 0;
    std::string sentence;
  };
  void lock();
  void take_told(const Json& line);
  void catch_up();
  void begin_anew(size_t tasks, const std::string& what);
  bool lives(int rank) const;
  bool any_lives() const;
  void tell(const Json& line);

  const std::string out_;
  const Rank me_;
  std::optional<LockedFile> shared_;  // while it is locked
  std::optional<LockedFile> file_;
  // Read from the shared file, as far as it was there at the last look:
  size_t read_ = 0;
  std::string run_, what_, card_;
  int size_ = 0;
  size_t tasks_ = 0, taken_ = 0;
  std::map<int, Other> ranks_;
};

}  // namespace tilescope::cli
