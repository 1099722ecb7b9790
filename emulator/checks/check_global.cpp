#include "emulator/checks/check_global.h"

#include <algorithm>
#include <bit>

namespace tilescope::emulator {
namespace {

constexpr uint64_t kMostWork = 200'000'000;  // comparisons
constexpr size_t kMostEntries = 32u << 20;

}  // namespace

void GlobalLog::access(const Context& c, uint32_t inst, bool is_store, const uint64_t* addresses,
                       int bytes, uint32_t mask, uint64_t* time, bool updates) {
  if (mask == 0) return;
  const uint64_t region = addresses[std::countr_zero(mask)] >> kRegionShift;
  if (region >= c.region_count || c.regions[region].read_only) return;
  const bool sync = plan_->flags[inst] & (CheckPlan::kSync | CheckPlan::kBarrier);
  if (sync || updates) ++now_.syncs;
  const uint64_t when = sync && time ? ++*time : 0;
  const What what = sync || updates ? What::atomic : is_store ? What::write : What::read;
  if (runs_.size() > kMostRuns) full_ = true;
  if (full_) return;
  Run run{0,    0,
          inst, 0,
          now_, static_cast<uint16_t>(c.warp),
          0,    static_cast<uint8_t>(bytes),
          what, static_cast<uint8_t>(c.cluster_rank)};
  const auto close = [&] {
    if (run.end == 0) return;
    run.order = static_cast<uint32_t>(runs_.size());
    runs_.push_back(run);
  };
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(m));
    const uint64_t a = addresses[lane];
    if (sync && touches_.size() < kMostTouches) {
      const bool known = !touches_.empty() && touches_.back().at.syncs == now_.syncs &&
                         touches_.back().address == a;
      if (!known) touches_.push_back({a, when, now_, plan_->order[inst]});
    }
    if (run.end != 0 && a >= run.begin && a + static_cast<uint64_t>(bytes) <= run.end) continue;
    if (a == run.end) {
      run.end += static_cast<uint64_t>(bytes);
      continue;
    }
    close();
    run.begin = a;
    run.end = a + static_cast<uint64_t>(bytes);
    run.lane = static_cast<uint8_t>(lane);
  }
  close();
}

void GlobalJudge::add(Dim3 cta, GlobalLog&& log) {
  full_ = full_ || log.full_ || entries_.size() + log.runs_.size() > kMostEntries;
  const uint32_t index = static_cast<uint32_t>(ctas_.size());
  ctas_.push_back({cta, log.touches_.size() < GlobalLog::kMostTouches});
  order_.add(index, log.touches_);
  if (full_) return;
  for (const GlobalLog::Run& run : log.runs_) {
    entries_.push_back({run, index});
    longest_ = std::max(longest_, run.end - run.begin);
  }
}

Dim3 GlobalJudge::cta_of(const Entry& e) const {
  return member_of(state_.cluster, ctas_[e.cta].cta, e.run.rank);
}

bool GlobalJudge::are_ordered(const Entry& a, const Entry& b) {
  if (!ctas_[a.cta].all_touches || !ctas_[b.cta].all_touches) return true;  // not known
  const auto hands_on = [&](const Entry& x, const Entry& y) {
    using What = GlobalLog::What;
    CtaMoment from = x.run.at;
    if (x.run.what == What::atomic) --from.syncs;  // it may itself be what releases
    return order_.hands_on(x.cta, from, y.cta, y.run.at, y.run.what == What::atomic);
  };
  return hands_on(a, b) || hands_on(b, a);
}

template <class F>
void GlobalJudge::overlapping_writes(const Entry& e, F f) const {
  const uint64_t from = e.run.begin > longest_ ? e.run.begin - longest_ : 0;
  auto it = std::lower_bound(writes_.begin(), writes_.end(), from,
                             [](const Entry& w, uint64_t at) { return w.run.begin < at; });
  for (; it != writes_.end() && it->run.begin < e.run.end; ++it) {
    if (it->run.end > e.run.begin) f(*it);
  }
}

void GlobalJudge::judge(Findings& findings) {
  if (full_) return;
  for (const Entry& e : entries_) {
    if (e.run.what != GlobalLog::What::read) writes_.push_back(e);
  }
  std::stable_sort(writes_.begin(), writes_.end(),
                   [](const Entry& a, const Entry& b) { return a.run.begin < b.run.begin; });
  find_compared();
  for (const Entry& e : entries_) {
    if (work_ > kMostWork) return;
    judge_one(e, findings);
  }
}

uint8_t GlobalJudge::order_of(const Entry& e) const { return state_.check->order[e.run.inst]; }

// The load before a loop of compare-and-swap: an old value does no harm, in no CTA, whether or not
// its own value is such that it goes into the loop.
void GlobalJudge::find_compared() {
  if (std::ranges::none_of(
          writes_, [&](const Entry& w) { return (order_of(w) & CheckPlan::kCompares) != 0; })) {
    return;
  }
  for (const Entry& e : entries_) {
    if (work_ > kMostWork) return;
    if (e.run.what != GlobalLog::What::read || compared_.contains(e.run.inst)) continue;
    overlapping_writes(e, [&](const Entry& w) {
      ++work_;
      if (w.cta == e.cta && w.run.order > e.run.order && (order_of(w) & CheckPlan::kCompares)) {
        compared_.insert(e.run.inst);
      }
    });
  }
}

void GlobalJudge::judge_one(const Entry& e, Findings& findings) {
  using What = GlobalLog::What;
  // A read of what is only updated by atomics sees one of their values: what it may not be is the
  // last one.
  bool is_looked_at_again = false, only_updates = e.run.what == What::read;
  if (e.run.what == What::read) {
    overlapping_writes(e, [&](const Entry& w) {
      is_looked_at_again = is_looked_at_again || (w.cta == e.cta && w.run.what == What::atomic &&
                                                  w.run.order > e.run.order);
      only_updates = only_updates && (order_of(w) & CheckPlan::kUpdates);
    });
  }
  const bool is_harmless = only_updates ? compared_.contains(e.run.inst) : is_looked_at_again;
  overlapping_writes(e, [&](const Entry& w) {
    ++work_;
    if (is_harmless && w.run.what == What::atomic) return;
    const bool both_write = e.run.what != What::read;
    if (w.cta == e.cta || (both_write && w.cta > e.cta)) return;  // each pair once
    if (e.run.what == What::atomic && w.run.what == What::atomic) return;
    if (!are_ordered(e, w)) add_conflict(e, w, only_updates, findings);
  });
  const uint64_t region = e.run.begin >> kRegionShift;
  const auto& buffers = state_.memory->impl().buffers;
  if (e.run.what == What::read && region >= 1 && region <= buffers.size() &&
      buffers[region - 1].unwritten) {
    judge_unwritten(e, findings);
  }
}

void GlobalJudge::add_conflict(const Entry& e, const Entry& w, bool only_updates,
                               Findings& findings) const {
  const uint64_t at = std::max(e.run.begin, w.run.begin);
  const auto lane = [&](const GlobalLog::Run& r) {
    return static_cast<uint32_t>(r.lane + (at - r.begin) / std::max<uint64_t>(r.bytes, 1));
  };
  const uint64_t count = (std::min(e.run.end, w.run.end) - at) / e.run.bytes;
  const bool reads = e.run.what == GlobalLog::What::read;
  findings.add(
      cta_of(e), {Fault::Kind::cta_conflict, e.run.warp, lane(e.run), at, e.run.inst, w.run.inst},
      [&] {
        const std::string place = std::string(reads ? "read" : "write") + " of global memory at " +
                                  hex(at) + buffer_words(state_, at);
        const std::string other = cta_words(cta_of(w)) + ", warp " + std::to_string(w.run.warp) +
                                  ", lane " + std::to_string(lane(w.run));
        const std::string line = line_words(state_, w.run.inst);
        if (!only_updates) {
          return "race between CTAs: a " + place + ", which " + other + " writes as well" + line +
                 ", and nothing orders the two";
        }
        return "a plain " + place + ", which " + other + " updates by an atomic" + line +
               ", may bring an old value (no harm where an atomic behind it looks again, as max "
               "does)";
      },
      std::max<uint64_t>(count, 1), only_updates);
}

// Bytes that neither this CTA wrote before, nor any other at all: those of others were judged
// above. What is updated by atomics begins as the zeros that an output holds, for them and for
// loads.
void GlobalJudge::judge_unwritten(const Entry& e, Findings& findings) {
  uint64_t covered = e.run.begin;  // writes come in ascending order
  uint64_t gap = ~0ull;
  overlapping_writes(e, [&](const Entry& w) {
    ++work_;
    const bool atomic = w.run.what == GlobalLog::What::atomic;
    if (w.cta == e.cta && w.run.order > e.run.order && !atomic) return;
    if (w.run.begin > covered && gap == ~0ull) gap = covered;
    covered = std::max(covered, w.run.end);
  });
  if (gap == ~0ull && covered < e.run.end) gap = covered;
  if (gap == ~0ull) return;
  const uint32_t lane = static_cast<uint32_t>(e.run.lane + (gap - e.run.begin) / e.run.bytes);
  findings.add(cta_of(e), {Fault::Kind::unwritten, e.run.warp, lane, gap, e.run.inst, kNoInst},
               [&] {
                 return "a read of global memory at " + hex(gap) + buffer_words(state_, gap) +
                        ", an output that nothing has written there; write it first, or pass it "
                        "as inout";
               });
}

}  // namespace tilescope::emulator
