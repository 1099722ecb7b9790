// Finds races on shared memory, reads of what was never written there, and of what a cp.async has
// not brought yet. Happens-before between warps, by vector clocks: a warp's clock goes on whenever
// it arrives at a barrier, and who passes a barrier knows the clocks that all had who arrived. So
// several named barriers, counts, bar.arrive and mbarriers are each judged for what they order, and
// bar.warp.sync, which orders nothing between warps, is not mistaken for more. Lanes of one warp
// are not judged against each other, but for stores of one instruction.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/checks/check_plan.h"
#include "emulator/checks/check_taint.h"
#include "emulator/checks/findings.h"
#include "emulator/machine/context.h"

namespace tilescope::emulator {

class SharedChecker {
 public:
  SharedChecker(const RunState& state, const CheckPlan& plan, Findings& findings,
                TaintChecker& taints);
  /// Between CTAs: all that was seen lies in the past, and all memory is unwritten.
  void start(Dim3 cta);

  void access(const Context& c, uint32_t inst, bool is_store, const uint64_t* addresses, int bytes,
              uint32_t mask);
  void copy(const Context& c, uint32_t inst, const uint64_t* addresses, int bytes, uint32_t mask);
  void commit(const Context& c);
  void wait(const Context& c, uint32_t groups_left);

  void arrive(uint32_t warp, uint32_t barrier);
  void pass(uint32_t warp, uint32_t barrier);
  void complete(uint32_t barrier);  // after all have passed

 private:
  static constexpr uint32_t kFlight = 1u << 31, kAtomic = 1u << 30, kWarpBits = 5;
  static constexpr uint32_t kClockLimit = 1u << 25;
  using Clocks = std::array<uint32_t, 32>;  // by warp: what is known of it
  struct Copy {                             // one warp instruction's
    uint32_t inst, mask;
    int bytes;
    std::array<uint32_t, 32> address, group;
  };

  uint32_t stamp(uint32_t warp) const { return clock(warp) << kWarpBits | warp; }
  uint32_t clock(uint32_t warp) const { return known_[warp][warp]; }
  static uint32_t clock_of(uint32_t written) {
    return (written & ~(kFlight | kAtomic)) >> kWarpBits;
  }
  bool is_ordered(uint32_t warp, uint32_t written) const {
    const uint32_t by = written & 31u;
    return by == warp || clock_of(written) <= known_[warp][by];
  }
  // Phases: where every warp knows all that was done before, as behind a barrier of the whole CTA,
  // a new one begins. Of what lies in an earlier phase nothing else has to be asked.
  static constexpr uint32_t kInFlight = 0x7fffffff;  // in wrote_: later than any phase
  bool all_know() const;
  bool is_settled(size_t first, size_t cells) const;
  bool is_untouched(size_t first, size_t cells) const;
  void touch(size_t first, size_t cells, uint32_t clock, uint32_t warp);
  void mark(size_t first, size_t cells, uint32_t stamp, uint32_t inst, uint32_t phase);
  void read_lane(const Context& c, uint32_t inst, uint32_t lane, size_t first, size_t cells);
  void check_written(const Context& c, uint32_t inst, uint32_t lane, size_t cell);
  bool may_write(const Context& c, uint32_t inst, uint32_t lane, size_t first, size_t cells,
                 bool atomic);
  void explain_write(const Context& c, uint32_t inst, uint32_t lane, size_t first, size_t cells,
                     bool atomic);
  void sync(const Context& c, uint32_t inst, const uint64_t* addresses, uint32_t mask);
  void finish_copies(uint32_t warp, uint32_t mask, uint32_t groups_left);
  void tick(uint32_t warp);

  const RunState& state_;
  const CheckPlan& plan_;
  Findings& findings_;
  TaintChecker& taints_;
  uint64_t lane_address_ = 0;  // of the lane's access under way
  int bytes_ = 0;
  bool saw_unwritten_ = false;  // by the lane before
  Dim3 cta_;
  const uint32_t warps_;
  const uint32_t shift_;  // of an address to its cell
  const size_t cells_;
  std::vector<uint32_t> written_;         // by cell: flags, clock and warp of the last write
  std::vector<uint32_t> writer_;          // by cell: its instruction
  std::vector<uint32_t> read_;            // by warp, then cell: that warp's clock
  std::vector<uint32_t> wrote_;           // by cell: the phase of its last write, or kInFlight
  std::vector<uint32_t> touched_;         // by cell: the phase of its last access
  uint32_t phase_ = 1, first_phase_ = 1;  // first: of this CTA
  uint32_t busy_ = 0;                     // warps with accesses since their clocks went on
  std::vector<Clocks> known_;             // by warp
  std::array<Clocks, 16> barriers_{};
  std::map<uint64_t, Clocks> places_;  // what atomics and mbarriers hand on, by address
  uint32_t base_ = 0;                  // clocks below are of earlier CTAs
  uint32_t fine_ = 0;                  // a value of written_ found in order by warp fine_for_
  uint32_t fine_for_ = ~0u;
  std::vector<std::vector<Copy>> copies_;         // by warp
  std::vector<std::array<uint32_t, 32>> groups_;  // committed so far, by warp and lane
};

}  // namespace tilescope::emulator
