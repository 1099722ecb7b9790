// Joins all that watch a CTA (the trace's recorder, the checks, provenance) into the one Observer
// that handlers of instructions know.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/checks/checker.h"
#include "emulator/machine/context.h"
#include "emulator/machine/run_state.h"
#include "emulator/provenance.h"
#include "emulator/provenance/tracker.h"
#include "emulator/run/look_ahead.h"
#include "emulator/run/trace_recorder.h"

namespace tilescope::emulator {

class RunObserver final : public Observer {
 public:
  /// `checker` and `tracker` may be null; they have been started for the CTA.
  RunObserver(const RunState& state, bool traced, Dim3 cta, size_t warps, Checker* checker,
              Tracker* tracker);

  /// Before an instruction; false if it is none that is recorded.
  bool begin_event(const Context& c, const Inst& in, uint32_t active, uint32_t epoch,
                   uint64_t step) {
    return recorder_ && recorder_->begin(c, in, active, epoch, step);
  }
  /// Lanes of a traced CTA begin with a block. Throws Stop where the trace ends: at its end_epoch.
  void enter_block(size_t block, uint32_t warp, uint32_t lanes, uint32_t epoch) {
    recorder_->enter_block(block, warp, lanes);
    if (recorder_->has_come_to_end(warp, epoch)) throw Tracker::Stop{};
  }
  /// A block of which no event is kept, between these two, needs no observer but for checks.
  bool only_counts(size_t block, uint32_t warp, uint32_t epoch) {
    return recorder_ && recorder_->only_counts(block, warp, epoch);
  }
  void count_block(size_t block, uint32_t warp) { recorder_->count_block(block, warp); }
  /// A warp runs the instructions of a block.
  void run_block(const Block& block, const Warp& warp, uint32_t number) {
    block_ = &block, warp_ = &warp;
    if (checker_) checker_->run_block(block, number, warp.steps);
  }
  /// Such a block may run unseen. Its accesses are shown all the same if checks need them.
  bool skips(size_t block, uint32_t warp) {
    if (checker_ && checker_->watches(block)) return false;
    if (tracker_ && (!only_traced_ || state_.cluster_ctas() > 1)) return false;
    if (tracker_) tracker_->lose_track(warp);
    return true;
  }
  // At the barrier of the cluster.
  void arrive_in_cluster(uint32_t warp, bool orders) {
    if (checker_) checker_->shared().arrive_in_cluster(warp, orders);
  }
  void pass_in_cluster(uint32_t warp) {
    if (checker_) checker_->shared().pass_in_cluster(warp);
  }
  void complete_in_cluster() {
    if (checker_) checker_->shared().complete_in_cluster();
  }
  bool sees_accesses() const { return checker_ || watch_; }
  /// The instructions of this block have to be shown one by one, by `before` and `after`.
  bool watches(size_t block) const { return tracker_ || (checker_ && checker_->watches(block)); }
  void before(const Context& c, const Inst& in, uint32_t active) {
    if (checker_) checker_->before(c, in, active);
    if (tracker_) tracker_->before(c, in, active);
  }
  void after(const Context& c, const Inst& in, uint32_t active, uint64_t step) {
    if (tracker_) tracker_->after(c, in, active, step);
  }
  /// Products from an instruction on, all lanes active, that need neither before() nor after() nor
  /// an event: so many.
  uint32_t before_products(const Context& c, uint32_t inst, bool checked) {
    if (!tracker_ || checked || (recorder_ && recorder_->records_fma())) return 0;
    return tracker_->before_products(c, inst);
  }
  bool checks(size_t block) const { return checker_ && checker_->watches(block); }
  void end_block(const Context& c, const Block& block) {
    if (checker_) checker_->end_block(c, block);
  }
  void fence() {
    if (checker_) checker_->fence();
  }
  void end_event(const Context& c) { recorder_->end(c); }
  /// After an event, for those who look on.
  void show_event() {
    if (each_ && recorder_->keeps() && !recorder_->trace().truncated)
      each_->operator()(recorder_->trace(), *live_);
  }
  Trace take_trace(std::vector<uint32_t> epochs) { return recorder_->take(std::move(epochs)); }

  // Barriers of the CTA: a warp (or part of it) arrives; goes on; all that waited have gone on.
  void arrive(uint32_t warp, uint32_t barrier) {
    if (checker_) checker_->shared().arrive(warp, barrier);
  }
  /// Lanes of a warp have waited for each other.
  void meet(uint32_t warp, uint32_t lanes, uint32_t alive) {
    if (checker_) checker_->shared().meet(warp, lanes, alive);
  }
  void pass(uint32_t warp, uint32_t barrier) {
    if (checker_) checker_->shared().pass(warp, barrier);
  }
  /// A warp has committed so many groups of wgmma; has waited for so many, and with it the other
  /// warps of its warpgroup.
  void commit_products(uint32_t warp, uint32_t groups) {
    if (!checker_) return;
    checker_->shared().commit_products(warp, groups);
    checker_->flight().commit(warp, groups);
  }
  void pass_products(uint32_t warp, uint32_t groups) {
    if (!checker_) return;
    checker_->shared().pass_products(warp, groups);
    checker_->flight().pass(warp, groups);
  }
  void complete(uint32_t barrier) {
    if (checker_) checker_->shared().complete(barrier);
  }

  bool tolerate(Context&, const Inst&, Fault::Kind, uint32_t lane, uint64_t address,
                const char* what) override;
  void product_read(Context&, const Inst&, const uint64_t* addresses, bool once) override;
  void access(Context&, const Inst&, Space, bool is_store, const uint64_t* addresses,
              int bytes) override;
  void pieces(Context&, const Inst&, Space, const uint64_t* addresses, const std::byte* values,
              uint32_t count, int bytes) override;
  bool copy(Context&, const Inst&, const uint64_t* shared, std::byte* const* from,
            const uint32_t* from_bytes, int bytes) override;
  void bulk(Context&, const Inst&, const BulkPieces&) override;
  void commit_bulk(Context&) override;
  void wait_bulk(Context&, uint32_t groups) override;
  void complete(Context&, const Inst&, uint64_t barrier) override;
  void fence(Context&) override;
  void proxy_fence(Context&) override;
  void set_registers(Context&, const Inst&, uint32_t count) override;
  void commit(Context&) override;
  void wait(Context&, uint32_t groups) override;

 private:
  void show(const Context& c, const Inst& in, Space space, bool is_store, const uint64_t* addresses,
            int bytes);

  const RunState& state_;
  std::unique_ptr<Recorder> recorder_;
  Checker* checker_;
  Tracker* tracker_;
  bool only_traced_ = false;
  const std::function<void(const Trace&, const Provenance::Live&)>* each_ = nullptr;
  std::optional<Provenance::Live> live_;
  AccessWatch* watch_;
  const Block* block_ = nullptr;  // under way
  const Warp* warp_ = nullptr;
};

}  // namespace tilescope::emulator
