// Changes to a PTX text that may cure a race, a read of what a cp.async has not brought yet, or
// what goes wrong between threads and wgmma or bulk copies: candidates alone, the likeliest first.
// Whether one cures is found out by running it (cure.h).
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/emulator.h"

namespace tilescope::worker {

struct Change {
  std::string words;                 // "put bar.sync 0 (__syncthreads) before PTX line 12 (k.cu:3)"
  std::map<int, std::string> lines;  // by their number, 1-based: the new text, no line more or less
};

class Changes {
 public:
  Changes(std::string_view ptx, const emulator::Program& program);
  /// For a finding of an error; none for kinds that no barrier or wait can cure. Where warps race,
  /// what orders lanes alone would leave them racing.
  std::vector<Change> of(const emulator::Finding& finding, bool warps_race) const;
  /// The whole text, with the change made.
  std::string text(const Change& change) const;

 private:
  struct Waits {  // cp.async.wait_group of one source line and count
    std::vector<int> lines;
    int count = 0;
  };
  std::string place_words(int line) const;
  std::vector<int> places_above(int line) const;
  /// `what` stands before each of the lines.
  Change inserted(const std::string& what, const std::string& name,
                  const std::vector<int>& at) const;
  void insert_around(const std::string& what, const std::string& name, const std::vector<int>& at,
                     std::vector<Change>& changes) const;
  std::vector<Waits> waits_near(int line) const;
  std::string wait_words(const Waits& waits) const;
  Change lowered(const Waits& waits, int count) const;
  Change barrier_behind(const Waits& waits) const;
  std::vector<int> barriers_below(int line) const;

  const emulator::Program& program_;
  std::vector<std::string_view> lines_;
};

}  // namespace tilescope::worker
