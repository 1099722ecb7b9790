// CTAs that may wait for each other take turns: one runs until it ends or waits. One whose flag has
// changed goes first, then the next of the grid is started, so that a grid in which nobody waits
// runs CTA by CTA. When all wait, and a look of each finds nothing changed, nobody will ever go on.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulator/run/work.h"

namespace tilescope::emulator {

class Turns {
 public:
  Turns(Work& work, Counters& counters);
  /// To the end. A stepped run may be left by Stepping::Stop, and goes on when this is called
  /// again.
  void run();
  /// One cluster alone, from its first CTA on.
  void run_cluster(uint64_t first);

  /// A CTA that has begun and not ended.
  struct Place {
    uint64_t index = 0;  // as Work::cta() counts
    bool traced = false;
    CtaRunner::Round round = CtaRunner::Round::paused;
    uint64_t last = 0;  // its last turn
    bool fresh = true;  // has had no turn
  };
  struct Resident : Place {
    std::unique_ptr<CtaRunner> runner;
  };
  /// In the order of their start.
  const std::vector<Resident>& residents() const { return residents_; }
  /// Whether a CTA has begun and is none of the residents any more.
  bool has_ended(Dim3 cta) const;
  /// Of the CTA that runs, or has run last; null before the first.
  CtaRunner* runner() const;
  /// All that decides how the run goes on, except for the states of its CTAs and global memory.
  struct Order {
    enum class Turn : uint8_t {
      none,
      of_one,
      of_new,     // the next of the grid has been started
      look,       // each CTA that waits looks around
      look_past,  // and lets lanes pass those that wait
    };
    Turn turn = Turn::none;
    size_t at = 0;            // whose turn it is, by residents
    std::vector<bool> begun;  // by number in the grid, once CTAs are taken along
    uint64_t next = 0, turns = 0;
    uint64_t end = ~0ull;     // CTAs from here on are not started
    uint32_t vain_looks = 0;  // looks of all since one has moved, of clusters that ask mbarriers
    uint64_t chosen_moves = 0, moves_then = ~0ull;
    bool up = true;           // side of the CTA that was taken along last
    size_t paused_turns = 0;  // of CTAs that could go on, before the next one starts
    bool stopped = false, cut_short = false, traced = false;
  };
  struct Saved {
    Order order;
    std::vector<Place> places;
    std::vector<CtaState> states;
    uint64_t done = 0;
    std::vector<Dim3> taken_along;
    std::map<uint64_t, std::string> output;
  };
  Saved save() const;
  /// As it was; the runners' registers and memory (CtaRunner::bulk()) are the caller's.
  void restore(const Saved& saved);

 private:
  bool choose();
  bool go_on_behind(bool moved);
  bool can_start() const;
  void start(uint64_t index);
  void start_one(uint64_t index, Cluster* cluster);
  Cluster* cluster_of(uint64_t index);
  std::unique_ptr<CtaRunner> take_runner();
  bool step(Resident& r, bool pass_sleepers);
  void stop_by(Fault fault);
  void collect(Resident& r);
  void put_down(Resident& r);
  void end_cluster(uint64_t first);
  void leave_off();
  Resident* stirred();
  Resident* paused();
  size_t count(CtaRunner::Round round) const;
  void give_turn(const Resident& r);
  bool take_along();
  void cancel();
  void deadlock();
  std::string memory_words(const Resident& r, Fault* first) const;
  std::string waiting_words(const Resident& r, Fault* first) const;
  std::string writer_words(uint64_t address) const;

  Work& work_;
  const RunOptions& options_;
  Counters& counters_;
  Counters others_;
  std::vector<Resident> residents_;
  std::vector<std::unique_ptr<CtaRunner>> idle_;
  std::map<uint64_t, std::unique_ptr<Cluster>> clusters_;  // by their first CTA's index
  const uint32_t cluster_ctas_;
  Order order_;
};

}  // namespace tilescope::emulator
