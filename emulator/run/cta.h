// Runs CTAs on one host thread: their warps, the groups of lanes that a branch has split a warp
// into (splits), calls and barriers. Where CTAs may wait for each other (RunState::waits), one that
// waits is put aside and goes on later.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/machine/raw_counts.h"
#include "emulator/machine/run_state.h"
#include "emulator/provenance/provenance_impl.h"
#include "emulator/run/cluster.h"
#include "emulator/run/cta_state.h"
#include "emulator/run/last_writers.h"
#include "emulator/run/observers.h"
#include "emulator/run/stepping.h"
#include "emulator/run/wait_plan.h"

namespace tilescope::emulator {

/// For how many warp instructions one split of a warp may run while others of it are ready. A lane
/// that spins until another lane of its warp has done something would use all of them in vain; the
/// number is halved each time that this happens, so that such a kernel soon runs as fast as others.
inline constexpr uint64_t kPatience = 1u << 16, kLeastPatience = 512;

class CtaRunner : private CtaState {
 public:
  explicit CtaRunner(RunState& state);
  /// Sets a CTA at its first instruction; what it counts goes to `counters`. `traced`: record it.
  /// `cluster`: those that it runs with; null: it has one of its own.
  void begin(Dim3 cta, bool traced, Counters& counters, Cluster* cluster = nullptr);
  enum class Round : uint8_t {
    ended,   // or stopped by a fault
    waits,   // for others to change global memory
    peers,   // for others of its cluster, as far as is known
    paused,  // could go on, but others may have to
  };
  /// Goes on with the CTA; where CTAs cannot wait for each other, to its end. `pass_sleepers`: if
  /// some lanes of a warp wait for memory, the other lanes go on without them. A stepped CTA may be
  /// left by Stepping::Stop, and goes on from there when it is called again.
  Round go_on(std::optional<Fault>& fault, bool pass_sleepers = false);
  /// Whether the last round changed anything.
  bool has_moved() const { return moved_; }
  /// Whether global memory has changed at a place that the waiting CTA looks at, as far as known,
  /// or others of its cluster have done something to it.
  bool is_stirred() const;
  /// What its warps look at while they wait.
  std::vector<Poll> polls() const;
  /// Gives up a CTA that has not ended.
  void leave_off();
  Dim3 cta() const { return context_.cta; }
  /// Asks mbarriers in vain: it may do so for a while and then do something else.
  bool asks() const { return rounds_in_vain_ != 0; }
  /// What its warps wait for, one behind the other, and the instruction that the first waits at.
  struct Waiting {
    std::string words;
    uint32_t warp = 0, lane = 0, inst = 0xffffffffu;
    uint64_t address = 0;
  };
  Waiting waiting();
  // Of clusters (cluster.cpp).
  bool is_at_cluster_barrier() const;  // all its threads that are left
  bool has_arrived_in_cluster() const;
  void leave_cluster();
  void pass_cluster_barrier(bool first);
  /// Threads that have not come to the cluster's barrier, in words; empty if there are none.
  std::string missing_in_cluster() const;
  RunObserver* observer() const { return observer_.get(); }
  /// Ended by Provenance::Options::until.
  bool was_stopped() const { return stopped_; }
  /// The traced CTA's record, once.
  std::optional<Trace> take_trace();
  /// What the last CTA printed, once.
  std::string take_output() { return std::move(output_); }
  /// What a checked CTA has shown, once.
  Checker::Report take_report() { return checker_->take(); }

  // Of stepped CTAs (cta_step.cpp).
  /// Stands inside of a block, where Stepping::Stop left it.
  bool is_under_way() const { return position_.inside; }
  CtaState save();
  /// As it was when `state` was saved, by this or another runner of the run; `bulk` is the
  /// caller's.
  void restore(const CtaState& state, Counters& counters, Cluster* cluster);
  /// Registers, shared and local memory of all warps, who wrote shared memory.
  static constexpr size_t kBulk = 4;
  std::array<std::span<std::byte>, kBulk> bulk();
  const std::vector<Warp>& warps() const { return warps_; }
  const std::vector<Barrier>& barriers() const { return barriers_; }
  const Position& position() const { return position_; }
  const std::vector<LastBlock>& last() const { return last_; }
  const LoopCounter& loops() const { return *loops_; }
  const std::string& output() const { return output_; }
  std::span<const std::byte> shared() const { return {shared_.get(), state_.shared_bytes}; }
  std::span<const std::byte> local(uint32_t warp) const {
    return {warps_[warp].local, size_t{code_.local_bytes} * 32};
  }
  const LastWriters& last_writers() const { return last_writers_; }
  /// The instruction under way writes `bytes` of this CTA's shared memory in each of `lanes`.
  /// `by`: the CTA whose instruction it is.
  void note_written(const CtaRunner& by, const Inst& in, uint32_t lanes, const uint64_t* addresses,
                    uint32_t bytes);
  /// The CTA of a rank in its cluster; null if it has ended.
  CtaRunner* peer(uint32_t rank) const {
    return rank < cluster_->ctas() ? cluster_->member(rank) : nullptr;
  }
  /// cp.async of the current warp: it is issued, a group is committed or waited for.
  void note_copy(uint32_t inst, uint32_t lanes, uint32_t bytes);
  void note_commit(uint32_t inst);
  void note_wait();
  const std::vector<StepCopies>& copies(uint32_t warp) const { return copies_[warp]; }
  uint32_t current_warp() const { return current_; }
  /// Event::step of an instruction of the block in which the CTA stands.
  uint64_t step_at(uint32_t inst) const;

 private:
  Provenance::Impl* provenance() const {
    return state_.options->provenance ? &state_.options->provenance->impl() : nullptr;
  }
  void allocate();
  void point_warps();
  void fill_constants(Dim3 cta);
  void start(Dim3 cta);
  void enter_cluster(Cluster* cluster);
  Round run_all(bool pass_sleepers);
  /// Runs until each split is parked or gone, or the turn ends.
  void run_turn(uint32_t w);
  void face(uint32_t w);
  /// The ready split to run next, or how many there are if none is.
  size_t pick(const Warp& warp);
  void push(Warp& warp, uint32_t block, uint32_t mask);
  /// Lanes of a split whose .sync has all lanes that it names; the rest waits.
  uint32_t gather(Warp& warp, const Split& split, const Block& block);
  bool release_waiting(Warp& warp, bool for_good);
  /// Runs one split; returns when it parks, ends, or should be compared with others.
  void run_split(Warp& warp, const Split& split);
  void run_blocks(Warp& warp, Split split, bool alone);
  /// Before the instructions of a block; false if none of the lanes goes into it.
  bool begin_block(Warp& warp, Split& split, uint32_t b);
  void run_stepped(const Split& split, uint32_t b, bool alone);
  bool is_noted(uint32_t inst) const { return waits_ && waits_->instruction[inst]; }
  void note_fault(const FaultSignal& signal);
  void run_body(const Block& block, Warp& warp);
  void execute(const Block& block, size_t index);
  // cta_wait.cpp
  /// Before a block, where CTAs may wait; false if the lanes sleep instead.
  bool enter(Warp& warp, const Split& split, uint32_t block);
  bool waits_for_memory(Warp& warp, uint32_t header, uint32_t mask);
  enum class Ahead : uint8_t { idle, changes, leaves };
  Ahead look_ahead(Warp& warp, uint32_t header, uint32_t mask, const WaitPlan::Loop& loop);
  bool execute_ahead(const Block& block, uint32_t index, uint32_t mask);
  bool changes_nothing(const Inst& in, uint32_t active, const uint64_t* addresses);
  uint32_t addresses_of(const Inst& in, uint32_t inst, uint32_t active, uint64_t* addresses) const;
  void note(const Inst& in, uint32_t inst, uint32_t active);
  void note_polls(std::vector<Poll>& to, uint32_t inst, uint32_t active, const uint64_t* addresses);
  void resume();
  uint64_t number_in_grid() const;
  void wake();
  bool sleeps() const;
  bool waits_for_itself() const;
  bool goes_in_circles();
  template <class F>
  bool visit_state(F visit);
  void leave(Warp& warp, uint32_t mask);
  // cta_calls.cpp: each sends the lanes to their blocks; true if all go to one, which is then `b`.
  bool jump(Warp& warp, const Block& block, uint32_t mask, uint32_t& b);
  bool call(Warp& warp, const Block& block, uint32_t mask, uint32_t& b);
  bool give_back(Warp& warp, const Block& block, uint32_t mask, uint32_t& b);
  bool spread(Warp& warp, const uint32_t* targets, uint32_t mask, uint32_t& b);
  void arrive(Warp& warp, const Block& block, Split split, uint32_t mask);
  /// Commits or waits for a group of wgmma; false if the warp waits.
  bool warpgroup(Warp& warp, const Block& block, Split split, uint32_t& b);
  bool has_products(uint32_t w, uint32_t left) const;
  // cluster.cpp
  bool cluster_barrier(Warp& warp, const Block& block, Split split, uint32_t& b);
  void pass_in_cluster(uint32_t w);
  bool waits_for_peers() const;
  bool is_in_cluster() const { return cluster_->ctas() > 1; }
  // cta_mbarrier.cpp
  void note_poll(Warp& warp, const Block& block, uint32_t lanes);
  void count_rounds(bool in_vain);
  [[noreturn]] void mbarrier_deadlock();
  Waiting asked_mbarriers();
  void check_barriers();
  bool is_complete(const Barrier& barrier) const;
  void release(uint32_t id);
  [[noreturn]] void deadlock();
  Waiting at_barriers();
  void check_limits();
  uint32_t guard_mask(uint32_t guard, uint32_t mask) const;

  RunState& state_;
  const Code& code_;
  Counters* counters_ = nullptr;
  const WaitPlan* waits_ = nullptr;
  Stepping* const steps_;
  Cluster* cluster_ = nullptr;
  Cluster own_cluster_{1};
  Context context_;
  AlignedBytes registers_, shared_, local_;
  LastWriters last_writers_;  // of stepped CTAs
  std::unique_ptr<Checker> checker_;
  std::unique_ptr<Tracker> tracker_;
  std::unique_ptr<RunObserver> observer_;
  std::string deadlock_;  // who waits where
  bool traced_ = false;
};

}  // namespace tilescope::emulator
