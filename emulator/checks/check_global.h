// Finds conflicts between CTAs in global memory. Each CTA keeps a list of what it read and wrote in
// buffers that may be written; when all have run, the lists are compared. So the findings depend
// neither on the order in which CTAs ran nor on the number of host threads.
#pragma once
#include <set>
#include <vector>

#include "emulator/checks/check_findings.h"
#include "emulator/checks/check_order.h"
#include "emulator/checks/check_plan.h"
#include "emulator/machine/context.h"

namespace tilescope::emulator {

class GlobalLog {  // of one CTA, or of all of a cluster, which are taken for one
 public:
  explicit GlobalLog(const CheckPlan& plan) : plan_(&plan) {}
  /// `time`: how many operations by which CTAs may have met have run so far, in all CTAs; null: not
  /// known.
  void access(const Context& c, uint32_t inst, bool is_store, const uint64_t* addresses, int bytes,
              uint32_t mask, uint64_t* time, bool updates = false);
  /// A fence that orders what the CTA did before for all of the GPU.
  void fence() { ++now_.fences; }

 private:
  friend class GlobalJudge;
  enum class What : uint8_t { read, write, atomic };
  struct Run {  // bytes that neighbouring lanes of a warp instruction touched, in order
    uint64_t begin, end;
    uint32_t inst, order;  // order: of the CTA's runs
    CtaMoment at;
    uint16_t warp;
    uint8_t lane, bytes;
    What what;
    uint8_t rank;  // in the cluster
  };
  static constexpr size_t kMostRuns = 1u << 21, kMostTouches = 1u << 16;

  const CheckPlan* plan_;
  std::vector<Run> runs_;
  std::vector<Touch> touches_;
  CtaMoment now_;
  bool full_ = false;  // too much to be judged
};

class GlobalJudge {
 public:
  explicit GlobalJudge(const RunState& state) : state_(state) {}
  void add(Dim3 cta, GlobalLog&& log);  // in order of CTAs
  void judge(Findings& findings);

 private:
  struct Entry {
    GlobalLog::Run run;
    uint32_t cta;  // into ctas_
  };
  bool are_ordered(const Entry& a, const Entry& b);
  uint8_t order_of(const Entry& e) const;
  void find_compared();
  void judge_one(const Entry& e, Findings& findings);
  void add_conflict(const Entry& e, const Entry& w, bool only_updates, Findings& findings) const;
  void judge_unwritten(const Entry& e, Findings& findings);
  template <class F>
  void overlapping_writes(const Entry& e, F f) const;

  const RunState& state_;
  Dim3 cta_of(const Entry& e) const;
  struct Cta {
    Dim3 cta;          // or one of its cluster
    bool all_touches;  // are known
  };
  std::vector<Cta> ctas_;
  std::vector<Entry> entries_, writes_;
  // Loads whose value some CTA compares by a compare-and-swap behind them.
  std::set<uint32_t> compared_;
  uint64_t longest_ = 0;
  uint64_t work_ = 0;
  CtaOrder order_{work_};
  bool full_ = false;
};

}  // namespace tilescope::emulator
