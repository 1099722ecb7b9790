#include "emulator/run/cluster.h"

#include <algorithm>
#include <bit>

#include "emulator/checks/check_findings.h"
#include "emulator/run/cta.h"

namespace tilescope::emulator {

Cluster::Cluster(uint32_t ctas) : peers_(ctas, &gone_), members_(ctas, nullptr) {
  gone_.gone = true;
}

Cluster::~Cluster() = default;

ClusterChecks& Cluster::checks(const RunState& state) {
  if (!checks_) checks_ = std::make_unique<ClusterChecks>(state, *state.check);
  return *checks_;
}

void Cluster::join(uint32_t rank, CtaRunner& runner, Peer& peer) {
  members_[rank] = &runner;
  peers_[rank] = &peer;
}

void Cluster::leave(uint32_t rank) {
  members_[rank] = nullptr;
  peers_[rank] = &gone_;
}

bool Cluster::is_empty() const {
  return std::ranges::all_of(members_, [](const CtaRunner* r) { return r == nullptr; });
}

void Cluster::meet() {
  const auto there = [](const CtaRunner* r) { return r == nullptr || r->is_at_cluster_barrier(); };
  if (!std::ranges::all_of(members_, there)) return;
  bool any = false;
  for (const CtaRunner* r : members_) any = any || (r && r->has_arrived_in_cluster());
  if (!any) return;
  bool first = true;
  for (CtaRunner* r : members_) {
    if (r == nullptr) continue;
    r->pass_cluster_barrier(first);
    first = false;
  }
}

// Each lane arrives once and waits once in turn.
bool CtaRunner::cluster_barrier(Warp& warp, const Block& block, Split split, uint32_t& b) {
  const Inst& in = code_.instructions[block.end_inst];
  const Row& row = *state_.rows.rows[in.row];
  const uint32_t there = guard_mask(block.guard, split.mask);
  if (traced_ && there && observer_->begin_event(context_, in, there, warp.epoch, warp.steps - 1)) {
    observer_->end_event(context_);
    observer_->show_event();
  }
  const auto refuse = [&](uint32_t lanes, const char* what) {
    raise(in, Fault::Kind::unsupported, static_cast<uint32_t>(std::countr_zero(lanes)), 0, what);
  };
  if (row.kind == RowKind::cluster_arrive) {
    if (const uint32_t twice = there & warp.cluster_waits) {
      refuse(twice, "a lane arrives at the cluster's barrier twice without waiting between");
    }
    warp.cluster_arrived |= there;
    warp.cluster_waits |= there;
    b = block.next;
    if (there == 0) return true;
    const bool orders = std::string_view(row.pattern).find("relaxed") == std::string_view::npos;
    if (observer_) observer_->arrive_in_cluster(current_, orders);
    cluster_->meet();
    return true;
  }
  if (const uint32_t never = there & ~warp.cluster_waits) {
    refuse(never, "a lane waits at the cluster's barrier without having arrived");
  }
  const uint32_t held = there & warp.cluster_arrived, passes = there & ~held;
  if (passes != 0) {
    warp.cluster_waits &= ~passes;
    pass_in_cluster(current_);
  }
  b = block.next;
  if (held == 0) return true;
  if (split.mask != held) push(warp, block.next, split.mask & ~held);
  split.block = static_cast<uint32_t>(&block - code_.blocks.data());
  split.mask = held;
  split.parked = true;
  split.barrier = kClusterBarrier;
  warp.splits.push_back(split);
  end_turn_ = std::ranges::all_of(warp.splits, [](const Split& s) { return s.parked; });
  return false;
}

bool CtaRunner::is_at_cluster_barrier() const {
  return std::ranges::all_of(warps_,
                             [](const Warp& w) { return (w.alive & ~w.cluster_arrived) == 0; });
}

void CtaRunner::leave_cluster() { cluster_->leave(context_.cluster_rank); }

bool CtaRunner::has_arrived_in_cluster() const {
  return std::ranges::any_of(warps_, [](const Warp& w) { return w.cluster_arrived != 0; });
}

void CtaRunner::pass_in_cluster(uint32_t w) {
  Warp& warp = warps_[w];
  ++warp.epoch;
  warp.epoch_steps = warp.steps;
  if (observer_) observer_->pass_in_cluster(w);
}

void CtaRunner::pass_cluster_barrier(bool first) {
  ++peer_.touched;
  ++counters_->barriers;
  if (observer_ && first) observer_->complete_in_cluster();
  for (uint32_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    warp.cluster_arrived = 0;
    bool passed = false;
    for (Split& s : warp.splits) {
      if (!s.parked || s.barrier != kClusterBarrier) continue;
      warp.cluster_waits &= ~s.mask;
      s.parked = false;
      s.block = code_.blocks[s.block].next;
      s.since = work_;
      passed = true;
    }
    if (passed) pass_in_cluster(w);
  }
}

std::string CtaRunner::missing_in_cluster() const {
  uint32_t threads = 0;
  std::vector<uint32_t> warps;
  for (uint32_t w = 0; w < warps_.size(); ++w) {
    const uint32_t missing = warps_[w].alive & ~warps_[w].cluster_arrived;
    threads += static_cast<uint32_t>(std::popcount(missing));
    if (missing) warps.push_back(w);
  }
  if (threads == 0) return {};
  return std::to_string(threads) + " threads of " + warp_names(warps) + " of " +
         cta_words(context_.cta);
}

// In a cluster of several: whether it can go on when the others have done something.
bool CtaRunner::waits_for_peers() const {
  return std::ranges::any_of(warps_, [](const Warp& warp) {
    return std::ranges::any_of(
        warp.splits, [](const Split& s) { return s.parked && s.barrier == kClusterBarrier; });
  });
}

CtaRunner::Waiting CtaRunner::waiting() {
  Waiting all = asked_mbarriers();
  const Waiting parked = at_barriers();
  if (all.words.empty()) return parked;
  if (parked.inst != kNoInst) all.words += "; " + parked.words;
  return all;
}

}  // namespace tilescope::emulator
