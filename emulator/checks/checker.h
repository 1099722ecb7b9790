// The checks of a run. Each host thread has one checker, which is started anew for each CTA.
#pragma once
#include <optional>
#include <vector>

#include "emulator/checks/check_findings.h"
#include "emulator/checks/check_flight.h"
#include "emulator/checks/check_global.h"
#include "emulator/checks/check_plan.h"
#include "emulator/checks/check_shared.h"
#include "emulator/checks/phase_log.h"
#include "emulator/checks/register_pool.h"

namespace tilescope::emulator {

class Checker;

/// What the checkers of a cluster's CTAs share.
struct ClusterChecks {
  ClusterChecks(const RunState& state, const CheckPlan& plan);
  ClusterClocks clocks;
  GlobalLog log;
  std::vector<Checker*> checkers;  // by rank; those of CTAs that have ended know no more of it
  uint32_t to_end;                 // CTAs whose report has not been taken
};

class Checker {
 public:
  /// `time`: see GlobalLog.
  Checker(const RunState& state, const CheckPlan& plan, uint64_t* time);
  /// `cluster`: null if the CTA is alone.
  void start(Dim3 cta, ClusterChecks* cluster, uint32_t rank);

  bool tolerate(const Context& c, const Inst& in, Fault::Kind kind, uint32_t lane, uint64_t address,
                const char* what);
  void access(const Context& c, const Inst& in, Space space, bool is_store,
              const uint64_t* addresses, int bytes);
  /// Of a wmma.store: two pieces at one address must be alike.
  void pieces(const Context& c, const Inst& in, Space space, const uint64_t* addresses,
              const std::byte* values, uint32_t count, int bytes);
  void copy(const Context& c, const Inst& in, const uint64_t* shared, std::byte* const* from,
            const uint32_t* from_bytes, int bytes);
  void bulk(const Context& c, const Inst& in, const BulkPieces& pieces);
  void complete(const Context& c, const Inst& in, uint64_t barrier);
  void run_block(const Block& block, uint32_t warp, uint64_t steps) {
    findings_.run_block(block, warp, steps);
  }
  bool watches(size_t block) const { return plan_.watched_block[block]; }
  /// For instructions of a block that CheckPlan watches: reports a read of a register that was
  /// never written.
  void before(const Context& c, const Inst& in, uint32_t active);
  void fence() { log().fence(); }
  void end_block(const Context& c, const Block& block) { taints_.end_block(c, block); }
  SharedChecker& shared() { return shared_; }
  FlightChecker& flight() { return flight_; }
  void set_registers(const Context& c, const Inst& in, uint32_t count);

  struct Report {
    Findings findings;
    GlobalLog global;
  };
  Report take();  // of the CTA, once

 private:
  GlobalLog& log() { return cluster_ ? cluster_->log : global_; }
  void shared_access(const Context& c, uint32_t inst, bool is_store, const uint64_t* addresses,
                     int bytes, uint32_t mask);
  /// Calls f(owner, offsets, lanes) for each CTA whose shared memory lanes of the mask name; or
  /// f(memory, offsets, lanes).
  template <class F>
  void each_owner(const Context& c, const uint64_t* addresses, uint32_t mask, F f);
  template <class F>
  void each_memory(const Context& c, const uint64_t* addresses, uint32_t mask, F f);
  /// Of its CTA's shared memory, for an access of any CTA of the cluster.
  const std::byte* bytes_of(const Context& c) const;
  uint32_t legal_lanes(const Context& c, const Inst& in);
  void local(const Context& c, uint32_t inst, bool is_store, const uint64_t* addresses, int bytes,
             uint32_t mask);
  void lanes_disagree(const Context& c, const Inst& in, Space space, const uint64_t* addresses,
                      int bytes, uint32_t mask);
  void add_lane_conflict(const Context& c, const Inst& in, Space space, uint32_t first,
                         uint32_t lane, uint64_t at);
  template <class Same>
  void same_address(const Context& c, const Inst& in, Space space, const uint64_t* addresses,
                    uint32_t mask, Same same);

  const RunState& state_;
  const CheckPlan& plan_;
  Findings findings_;
  GlobalLog global_;
  TaintChecker taints_;
  SharedChecker shared_;
  FlightChecker flight_;
  PhaseLog phases_;
  RegisterPool pool_;
  Dim3 cta_;
  ClusterChecks* cluster_ = nullptr;
  uint32_t rank_ = 0;
  uint64_t* time_;
  const Inst* bad_inst_ = nullptr;
  uint32_t bad_lanes_ = 0;               // of the access that is under way
  bool bad_matrix_ = false;              // the matrix store under way has illegal accesses
  std::vector<uint32_t> defined_;        // lanes, by warp and doubtful register
  std::vector<uint64_t> local_written_;  // one bit per byte of the CTA's local memory
};

}  // namespace tilescope::emulator
