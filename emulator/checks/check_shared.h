// Finds races on shared memory, reads of what was never written there, and reads of what a cp.async
// has not brought yet. What happens before what is found by vector clocks: a warp's clock advances
// when it arrives at a barrier, and a warp that passes a barrier learns the clocks of all that
// arrived. So named barriers, barriers of some threads, bar.arrive and mbarriers are each judged
// for what they order, and bar.warp.sync, which orders nothing between warps, is not taken for
// more. Lanes of one warp are judged by where they have waited for each other (lane_order.h), lanes
// of one instruction by what they store (checker.cpp).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "emulator/checks/check_findings.h"
#include "emulator/checks/check_plan.h"
#include "emulator/checks/check_taint.h"
#include "emulator/checks/cluster_clocks.h"
#include "emulator/checks/stored_value.h"
#include "emulator/machine/context.h"

namespace tilescope::emulator {

class SharedChecker {
 public:
  SharedChecker(const RunState& state, const CheckPlan& plan, Findings& findings,
                TaintChecker& taints);
  /// Of a CTA, with the copiers that are counted as such (has_copier), and behind them what reads
  /// for each warpgroup's products, of which others learn where their groups have been waited for.
  static uint32_t warps_of(const RunState& state, const CheckPlan& plan) {
    return first_product_of(state, plan) + (plan.has_products ? (state.warps + 3) / 4 : 0);
  }
  static uint32_t first_product_of(const RunState& state, const CheckPlan& plan) {
    return state.warps + (has_copier(state, plan) ? kCopiers : 0);
  }
  static bool has_copier(const RunState& state, const CheckPlan& plan);
  // One whose end an mbarrier tells, and one whose end is waited for by groups.
  static constexpr uint32_t kCopiers = 2;
  /// To be called between two CTAs: all that was seen lies in the past, all memory is unwritten.
  /// `clocks`: of its cluster; null: it is alone.
  void start(Dim3 cta, ClusterClocks* clocks, uint32_t rank);

  void access(const Context& c, uint32_t inst, bool is_store, const uint64_t* addresses, int bytes,
              uint32_t mask);
  /// The same by a warp of another CTA of the cluster: `by` is that CTA's checker.
  void access_by(SharedChecker& by, const Context& c, uint32_t inst, bool is_store,
                 const uint64_t* addresses, int bytes, uint32_t mask);
  void copy(const Context& c, uint32_t inst, const uint64_t* addresses, int bytes, uint32_t mask);
  /// What a bulk copy has done to shared memory, and the mbarrier that it has told of that, or the
  /// warp's groups of them, which it waits for until `left` are left. `memory`: of the CTA whose
  /// shared memory it is.
  void bulk(SharedChecker& memory, const Context& c, uint32_t inst, bool writes,
            const uint64_t* addresses, int bytes, uint32_t mask, bool by_group);
  void complete_bulk(SharedChecker& memory, const Context& c, uint32_t inst, uint64_t barrier);
  void commit_bulk(uint32_t warp);
  void wait_bulk(uint32_t warp, uint32_t left);
  void commit(const Context& c);
  void wait(const Context& c, uint32_t groups_left);

  void arrive(uint32_t warp, uint32_t barrier);
  void pass(uint32_t warp, uint32_t barrier);
  void complete(uint32_t barrier);  // after all have passed
  // At the barrier of the cluster; `orders`: the arrival is a release.
  void arrive_in_cluster(uint32_t warp, bool orders);
  void pass_in_cluster(uint32_t warp);
  void complete_in_cluster();  // before all pass
  void fence(uint32_t warp);
  void proxy_fence(uint32_t warp);
  void commit_products(uint32_t warp, uint32_t groups);
  void pass_products(uint32_t warp, uint32_t groups);
  /// Lanes of a warp have waited for each other.
  void meet(uint32_t warp, uint32_t lanes, uint32_t alive);
  /// Adds what is known only when the CTA has run.
  void finish();

 private:
  static constexpr uint32_t kFlight = 1u << 31, kAtomic = 1u << 30;
  static constexpr uint32_t kWarpBits = 5, kClusterWarpBits = 9;
  // A read is packed in 32 bits: the reader's clock in the upper ones, then its lane, then whether
  // other lanes have read at the same clock.
  static constexpr uint32_t kReadBits = 6, kManyLanes = 1u << 5;
  static uint32_t last_read(uint32_t clock) { return clock << kReadBits | 63u; }
  struct Copy {  // one warp instruction's
    uint32_t inst, mask;
    int bytes;
    std::array<uint32_t, 32> address, group;
  };

  // Warps by their numbers in the cluster.
  uint32_t stamp(uint32_t warp) const { return clock(warp) << warp_bits_ | warp; }
  uint32_t clock(uint32_t warp) const { return clocks_->known[warp][warp]; }
  uint32_t clock_of(uint32_t written) const {
    return (written & ~(kFlight | kAtomic)) >> warp_bits_;
  }
  uint32_t warp_of(uint32_t written) const { return written & ((1u << warp_bits_) - 1); }
  uint32_t clock_limit() const { return 1u << (30 - warp_bits_); }
  bool is_ordered(uint32_t warp, uint32_t written) const {
    const uint32_t by = warp_of(written);
    return by == warp || clock_of(written) <= clocks_->known[warp][by];
  }
  // A new phase begins where every warp knows all that was done before, as it does after a barrier
  // of the whole CTA. An access of an earlier phase cannot race with a present one, so that one
  // comparison is enough for it.
  static constexpr uint32_t kInFlight = 0x7fffffff;  // in wrote_: later than any phase
  bool all_know() const;
  bool is_settled(size_t first, size_t cells) const;
  bool is_untouched(size_t first, size_t cells) const;
  void touch(size_t first, size_t cells, uint32_t read, uint32_t warp);
  void note_busy(uint32_t warp);
  void access_here(const Context& c, uint32_t inst, bool is_store, const uint64_t* addresses,
                   int bytes, uint32_t mask);
  void note_remote(uint32_t inst, const uint64_t* addresses, uint32_t mask);
  void find_left_behind();
  void check_early_use(uint32_t inst, uint32_t lane, uint64_t address);
  void check_init(uint32_t inst, uint32_t lane, uint64_t address);
  void begin_access(SharedChecker& by, uint32_t warp);
  void mark(size_t first, size_t cells, uint32_t stamp, uint32_t inst, uint32_t phase,
            uint32_t lane);
  void note_reads(const Context& c, uint32_t inst, const uint64_t* addresses, uint32_t mask,
                  size_t cells, bool shares, uint32_t reader, uint32_t when);
  void note_write(const Context& c, uint32_t inst, uint32_t lane, size_t first, size_t cells,
                  uint32_t stamp, uint32_t phase, bool atomic);
  /// A copy has arrived, where nothing else has been written since. False if nowhere.
  bool land(size_t first, size_t cells, uint32_t inst, uint32_t stamp);
  void read_lane(const Context& c, uint32_t inst, uint32_t lane, size_t first, size_t cells);
  void check_written(const Context& c, uint32_t inst, uint32_t lane, size_t cell);
  bool may_write(uint32_t inst, uint32_t lane, size_t first, size_t cells, bool atomic);
  void explain_write(const Context& c, uint32_t inst, uint32_t lane, size_t first, size_t cells,
                     bool atomic);
  bool is_behind_write(uint32_t inst, uint32_t lane, size_t cell) const;
  bool is_behind_read(uint32_t warp, uint32_t lane, uint32_t read) const;
  bool stores_the_same(const Context& c, uint32_t inst, uint32_t lane, size_t cell) const;
  void add_equal_store(uint32_t inst, uint32_t lane, size_t cell);
  void add_race(uint32_t inst, uint32_t lane, size_t cell, const char* what, bool with_write,
                uint32_t by, uint32_t by_lane);
  void check_proxy(uint32_t inst, const uint64_t* addresses, uint32_t mask, size_t cells);
  void mbarrier(uint32_t inst, const uint64_t* addresses, uint32_t mask);
  void sync(uint32_t inst, const uint64_t* addresses, uint32_t mask, bool releases = true);
  void finish_copies(uint32_t warp, uint32_t mask, uint32_t groups_left);
  void tick(uint32_t warp);
  void tick_lanes(uint32_t warp);

  const RunState& state_;
  const CheckPlan& plan_;
  Findings& findings_;
  TaintChecker& taints_;
  uint64_t lane_address_ = 0;  // of the lane's access under way
  int bytes_ = 0;
  bool one_by_one_ = false;  // the next lane may be told otherwise of the same address
  Dim3 cta_;
  // Bulk copies are made by two that are no warps, but are counted as such: they know what who
  // issues them knows, and others learn of them where they wait for their end.
  std::string name_of(uint32_t warp) const;
  std::string place_words(uint64_t address) const;
  /// Of the warp whose access is under way, in its own CTA.
  uint32_t named() const;
  Sighting sighting(Fault::Kind kind, uint32_t lane, uint64_t address, uint32_t inst,
                    uint32_t other, bool between_lanes = false) const {
    return {kind, named(), lane, address, inst, other, between_lanes};
  }
  const uint32_t warps_;  // with it
  static constexpr uint32_t kNoCopier = ~0u;
  uint32_t copier_ = kNoCopier;  // its number
  uint32_t issuer_ = 0;
  const uint32_t shift_;  // of an address to its cell
  const size_t cells_;
  std::vector<uint32_t> written_;            // by cell: flags, clock and warp of the last write
  std::vector<uint32_t> writer_;             // by cell: its instruction
  std::vector<uint8_t> write_lane_;          // by cell: its lane
  std::vector<std::vector<uint32_t>> read_;  // by warp, then cell: its last read; empty: none
  std::vector<uint32_t> wrote_;              // by cell: the phase of its last write, or kInFlight
  std::vector<uint32_t> touched_;            // by cell: the phase of its last access
  uint32_t phase_ = 1, first_phase_ = 1;     // first: of this CTA
  uint32_t busy_ = 0;                        // warps with accesses since their clocks went on
  ClusterClocks own_clocks_;
  ClusterClocks* clocks_ = &own_clocks_;
  uint32_t rank_ = 0, first_ = 0;  // in the cluster; the number of its warp 0 there
  uint32_t warp_bits_ = kWarpBits;
  // The access under way: by which warp, of which CTA's.
  uint32_t who_ = 0;
  SharedChecker* by_ = this;
  struct Remote {
    uint32_t clock, inst, warp, lane;
    uint64_t address;
  };
  std::map<uint32_t, Remote> remote_;  // the last access of each warp of another CTA
  // Mbarriers that others have used before this CTA has made them: the last use.
  std::map<uint64_t, std::pair<uint32_t, Remote>> used_early_;
  std::array<Clocks, 16> barriers_{};
  static constexpr uint32_t kProducts = 16;              // groups of wgmma that are remembered
  std::vector<std::array<Clocks, kProducts>> products_;  // by warp, group modulo
  std::map<uint64_t, Clocks> places_;            // what atomics and mbarriers hand on, by address
  uint32_t base_ = 0;                            // clocks below are of earlier CTAs
  static constexpr uint32_t kNothingFine = ~0u;  // no stamp
  uint32_t fine_ = kNothingFine;  // a value of written_ found in order by warp fine_for_
  uint32_t fine_for_ = ~0u;
  // What wgmma reads is read by one that is no warp, whose clock are the warpgroup's groups: others
  // learn of it where a group has been waited for.
  uint32_t product_of(uint32_t warp) const { return first_product_ + warp / 4; }
  /// While the group is under way that comes behind so many.
  uint32_t product_clock(uint32_t groups) const {
    return std::min(base_ + groups, clock_limit() - 1);
  }
  uint32_t first_product_ = 0;             // its number
  std::vector<uint32_t> product_groups_;   // committed, by warp
  std::vector<uint8_t> multiplies_;        // by warp: has products that it has not waited for
  std::vector<std::vector<Copy>> copies_;  // by warp
  std::vector<std::array<uint32_t, 32>> groups_;  // committed so far, by warp and lane
  std::vector<uint32_t> stored_;  // by warp: the copier's clock at its last bulk store
  /// The same at the end of each of a warp's groups of them, of which the last are remembered.
  struct BulkGroups {
    static constexpr uint32_t kKept = 16;
    uint32_t count = 0;
    uint32_t clock[kKept] = {};
    uint32_t last_but(uint32_t left) const {
      return clock[(count - 1 - std::min(left, kKept - 1)) % kKept];
    }
  };
  std::vector<BulkGroups> sent_;
  struct Init {  // of an mbarrier
    uint32_t inst, warp, lane, clock;
  };
  std::map<uint64_t, Init> inits_;  // by address
  struct EqualStore {
    Sighting seen;
    std::set<uint32_t> warps;
    uint64_t count;
  };
  std::map<std::pair<uint32_t, uint32_t>, EqualStore> equal_stores_;  // by the two instructions
};

}  // namespace tilescope::emulator
