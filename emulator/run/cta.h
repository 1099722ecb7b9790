// Runs CTAs one after the other on one host thread: warps, their splits, calls, barriers.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/machine/counters.h"
#include "emulator/machine/run_state.h"
#include "emulator/provenance/provenance_impl.h"
#include "emulator/run/observers.h"

namespace tilescope::emulator {

/// Lanes of a warp that stand at the same block.
struct Split {
  uint32_t block = 0, mask = 0;
  bool parked = false;  // at a barrier, which ends `block`
  uint32_t barrier = 0;
  bool waiting = false;   // for lanes that the .sync at its block's begin names
  bool released = false;  // no longer: they cannot come
  uint64_t since = 0;     // how much work had been done when it last ran
};

struct Warp {
  std::byte* registers = nullptr;
  uint32_t* predicates = nullptr;
  std::byte* local = nullptr;
  std::vector<Split> splits;
  uint32_t alive = 0;
  uint32_t epoch = 0;                        // barriers passed
  uint64_t steps = 0;                        // warp instructions, with the block under way
  uint32_t groups[32] = {};                  // cp.async
  std::vector<std::vector<uint64_t>> calls;  // by lane: what it keeps, and where it goes back to
};

/// Warp instructions for which a split may be passed over. Halved each time that it was too long: a
/// lane that spins until another lane of its warp comes on costs little, once it is known to.
inline constexpr uint64_t kPatience = 1u << 16, kLeastPatience = 512;

class CtaRunner {
 public:
  CtaRunner(RunState& state, Counters& counters);
  /// Runs a CTA to its end. `trace`: record it. Returns the fault that stopped it, if any.
  std::optional<Fault> run(Dim3 cta, bool traced);
  /// The traced CTA's record, once.
  std::optional<Trace> take_trace();
  /// What the last CTA printed, once.
  std::string take_output() { return std::move(output_); }
  /// What a checked CTA has shown, once.
  Checker::Report take_report() { return checker_->take(); }

 private:
  struct Barrier {
    std::vector<uint32_t> arrived;    // lanes, by warp
    uint32_t expected = 0xffffffffu;  // threads; all ones = the whole CTA
    uint32_t yes = 0, votes = 0;      // bar.red: predicates that hold, lanes that voted
    bool used = false;
  };

  Provenance::Impl* provenance() const {
    return state_.options->provenance ? &state_.options->provenance->impl() : nullptr;
  }
  void allocate();
  void fill_constants(Dim3 cta);
  void start(Dim3 cta);
  void run_all();
  /// Runs until each split is parked or gone, or the turn ends.
  void run_turn(uint32_t w);
  /// The ready split to run next, or how many there are if none is.
  size_t pick(const Warp& warp);
  void push(Warp& warp, uint32_t block, uint32_t mask);
  /// Lanes of a split whose .sync has all lanes that it names; the rest waits.
  uint32_t gather(Warp& warp, const Split& split, const Block& block);
  bool release_waiting(Warp& warp, bool for_good);
  /// Runs one split; returns when it parks, ends, or should be compared with others.
  void run_split(Warp& warp, Split split);
  void run_body(const Block& block, Warp& warp);
  void leave(Warp& warp, uint32_t mask);
  // cta_calls.cpp: each sends the lanes to their blocks; true if all go to one, which is then `b`.
  bool jump(Warp& warp, const Block& block, uint32_t mask, uint32_t& b);
  bool call(Warp& warp, const Block& block, uint32_t mask, uint32_t& b);
  bool give_back(Warp& warp, const Block& block, uint32_t mask, uint32_t& b);
  bool spread(Warp& warp, const uint32_t* targets, uint32_t mask, uint32_t& b);
  void arrive(Warp& warp, const Block& block, Split split, uint32_t mask);
  void check_barriers();
  bool is_complete(const Barrier& barrier) const;
  void release(uint32_t id);
  [[noreturn]] void deadlock();
  void check_limits();
  uint32_t guard_mask(uint32_t guard, uint32_t mask) const;

  RunState& state_;
  const Code& code_;
  Counters& counters_;
  Context context_;
  std::vector<Warp> warps_;
  std::vector<Barrier> barriers_;
  AlignedBytes registers_, shared_, local_;
  std::vector<uint32_t> predicates_;
  std::unique_ptr<Checker> checker_;
  std::unique_ptr<Tracker> tracker_;
  std::unique_ptr<RunObserver> observer_;
  std::string deadlock_;  // who waits where
  std::string output_;
  bool traced_ = false;
  uint32_t current_ = 0;  // warp
  uint64_t work_ = 0, next_check_ = 0, reported_ = 0;
  uint64_t turn_end_ = 0;
  uint64_t patience_ = 0, hold_ = 0;  // see pick()
  bool progress_ = false;
  bool end_turn_ = false;
};

}  // namespace tilescope::emulator
