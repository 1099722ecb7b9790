// Runs CTAs one after the other on one host thread: warps, their splits, barriers.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "emulator/counters.h"
#include "emulator/observers.h"
#include "emulator/run_state.h"

namespace tilescope::emulator {

/// Lanes of a warp that stand at the same block.
struct Split {
  uint32_t block = 0, mask = 0;
  bool parked = false;  // at a barrier, which ends `block`
  uint32_t barrier = 0;
};

struct Warp {
  std::byte* registers = nullptr;
  uint32_t* predicates = nullptr;
  std::byte* local = nullptr;
  std::vector<Split> splits;
  uint32_t alive = 0;
  uint32_t epoch = 0;        // barriers passed
  uint32_t groups[32] = {};  // cp.async
};

class CtaRunner {
 public:
  CtaRunner(RunState& state, Counters& counters);
  /// Runs a CTA to its end. `trace`: record it. Returns the fault that stopped it, if any.
  std::optional<Fault> run(Dim3 cta, bool traced);
  /// The traced CTA's record, once.
  std::optional<Trace> take_trace();

 private:
  struct Barrier {
    std::vector<uint32_t> arrived;    // lanes, by warp
    uint32_t expected = 0xffffffffu;  // threads; all ones = the whole CTA
    uint32_t yes = 0, votes = 0;      // bar.red: predicates that hold, lanes that voted
    bool used = false;
  };

  void allocate();
  void fill_constants(Dim3 cta);
  void start(Dim3 cta);
  void run_all();
  /// Runs until each split is parked or gone, or the turn ends.
  void run_turn(uint32_t w);
  /// Runs one split; returns when it parks, ends, or should be compared with others.
  void run_split(Warp& warp, Split split);
  void run_body(const Block& block, Warp& warp);
  void leave(Warp& warp, uint32_t mask);
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
  std::unique_ptr<RunObserver> observer_;
  bool traced_ = false;
  uint32_t current_ = 0;  // warp
  uint64_t work_ = 0, next_check_ = 0, reported_ = 0;
  uint64_t turn_end_ = 0;
  bool progress_ = false;
  bool end_turn_ = false;
};

}  // namespace tilescope::emulator
