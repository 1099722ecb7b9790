#include "emulator/checks/check_shared.h"

#include <algorithm>
#include <bit>

namespace tilescope::emulator {

SharedChecker::SharedChecker(const RunState& state, const CheckPlan& plan, Findings& findings,
                             TaintChecker& taints)
    : state_(state),
      plan_(plan),
      findings_(findings),
      taints_(taints),
      warps_(warps_of(state, plan)),
      shift_(static_cast<uint32_t>(std::countr_zero(plan.granule))),
      cells_((state.shared_bytes >> shift_) + 4),
      written_(cells_, 0),
      writer_(cells_, kNoInst),
      write_lane_(cells_, 0),
      wrote_(cells_, 0),
      touched_(cells_, 0),
      own_clocks_(1, warps_),
      products_(warps_),
      product_groups_(warps_),
      multiplies_(warps_),
      copies_(warps_),
      groups_(warps_),
      stored_(state.warps, 0),
      sent_(state.warps) {
  read_.resize(warps_ * state.cluster_ctas());
  if (state.cluster_ctas() > 1) return;
  for (auto& read : read_) read.assign(cells_, 0);
}

bool SharedChecker::has_copier(const RunState& state, const CheckPlan& plan) {
  return plan.copies_in_bulk && (state.warps <= 32 - kCopiers || state.cluster_ctas() > 1);
}

void SharedChecker::start(Dim3 cta, ClusterClocks* clocks, uint32_t rank) {
  cta_ = cta;
  clocks_ = clocks ? clocks : &own_clocks_;
  rank_ = rank;
  first_ = rank * warps_;
  first_product_ = first_ + first_product_of(state_, plan_);
  copier_ = has_copier(state_, plan_) ? first_ + state_.warps : kNoCopier;
  std::fill(stored_.begin(), stored_.end(), 0u);
  std::fill(sent_.begin(), sent_.end(), BulkGroups());
  warp_bits_ = clocks ? kClusterWarpBits : kWarpBits;
  begin_access(*this, first_);
  first_phase_ = ++phase_;
  busy_ = 0;
  if (clocks) {  // whose warps have had other numbers in the cells
    std::fill(written_.begin(), written_.end(), 0u);
    for (auto& read : read_) read.clear();
    base_ = 1;
  } else {
    uint32_t latest = 0;
    for (uint32_t w = 0; w < warps_; ++w) latest = std::max(latest, clock(w));
    base_ = latest + 1;
    if (base_ > clock_limit() / 2) {  // before clocks run out of bits
      std::fill(written_.begin(), written_.end(), 0u);
      for (auto& read : read_) std::fill(read.begin(), read.end(), 0u);
      base_ = 1;
    }
  }
  clocks_->start(first_, base_);
  for (uint32_t w = 0; w < warps_; ++w) {
    copies_[w].clear();
    groups_[w].fill(0);
    for (Clocks& p : products_[w]) p.clear();
    product_groups_[w] = multiplies_[w] = 0;
  }
  for (Clocks& b : barriers_) b.clear();
  places_.clear();
  inits_.clear();
  remote_.clear();
  used_early_.clear();
}

void SharedChecker::begin_access(SharedChecker& by, uint32_t warp) {
  by_ = &by;
  who_ = warp;
  if (clocks_->ctas > 1) fine_for_ = ~0u;
}

void SharedChecker::note_busy(uint32_t warp) {
  if (clocks_->ctas == 1) busy_ |= 1u << warp;
  clocks_->seen[warp] = 1;
}

void SharedChecker::tick(uint32_t warp) {
  tick_lanes(warp);
  if (clocks_->ctas == 1) busy_ &= ~(1u << warp);
}

void SharedChecker::tick_lanes(uint32_t warp) {
  if (clock(warp) < clock_limit() - 1) ++clocks_->known[warp][warp];
  clocks_->seen[warp] = 0;
  fine_for_ = ~0u;
}

void SharedChecker::meet(uint32_t warp, uint32_t lanes, uint32_t alive) {
  const uint32_t id = first_ + warp;
  clocks_->lanes[id].meet(lanes, alive, clock(id));
  if (clocks_->seen[id]) tick_lanes(id);
}

void SharedChecker::arrive(uint32_t warp, uint32_t barrier) {
  ClusterClocks::join(barriers_[barrier], clocks_->known[first_ + warp]);
  tick(first_ + warp);
}

void SharedChecker::pass(uint32_t warp, uint32_t barrier) {
  const uint32_t id = first_ + warp;
  clocks_->learn(id, barriers_[barrier]);
  clocks_->lanes[id].meet(~0u, ~0u, clock(id) - 1);  // it arrived before its clock went on
  fine_for_ = ~0u;
}

void SharedChecker::fence(uint32_t warp) {
  clocks_->fenced[first_ + warp] = clocks_->known[first_ + warp];
  tick(first_ + warp);
}

// What this warp knows of was stored before, whoever did: another one may fence for it.
void SharedChecker::proxy_fence(uint32_t warp) {
  ClusterClocks::join(clocks_->proxied, clocks_->known[first_ + warp]);
  tick(first_ + warp);
}

void SharedChecker::arrive_in_cluster(uint32_t warp, bool orders) {
  const uint32_t id = first_ + warp;
  // What was done before the last fence is ordered by whatever comes behind it.
  ClusterClocks::join(clocks_->arriving, orders ? clocks_->known[id] : clocks_->fenced[id]);
  tick(id);
}

void SharedChecker::pass_in_cluster(uint32_t warp) {
  const uint32_t id = first_ + warp;
  clocks_->learn(id, clocks_->arrived);
  clocks_->lanes[id].meet(~0u, ~0u, clock(id) - 1);
  fine_for_ = ~0u;
}

void SharedChecker::complete_in_cluster() {
  clocks_->arrived.swap(clocks_->arriving);
  std::fill(clocks_->arriving.begin(), clocks_->arriving.end(), 0u);
}

// A product is one of the whole warpgroup: who has waited for it knows that all its warps have read
// their part, and what they knew when they committed it.
void SharedChecker::commit_products(uint32_t warp, uint32_t groups) {
  products_[warp][groups % kProducts] = clocks_->known[first_ + warp];
  product_groups_[warp] = groups;
  uint32_t& now = clocks_->known[product_of(warp)][product_of(warp)];
  now = std::max(now, product_clock(groups));
  tick(first_ + warp);
}

void SharedChecker::pass_products(uint32_t warp, uint32_t groups) {
  const uint32_t id = first_ + warp;
  for (uint32_t w = warp & ~3u; w < (warp & ~3u) + 4 && w < state_.warps; ++w) {
    clocks_->learn(id, products_[w][groups % kProducts]);
  }
  uint32_t& known = clocks_->known[id][product_of(warp)];
  if (groups > 0) known = std::max(known, product_clock(groups - 1));
  if (groups == product_groups_[warp]) multiplies_[warp] = 0;
  fine_for_ = ~0u;
}

void SharedChecker::complete(uint32_t barrier) {
  barriers_[barrier].clear();
  if (phase_ < kInFlight - 1 && all_know()) ++phase_;
}

// Taken as both, acquire and release, but for who only asks: which of them a plain atomic is, the
// memory model says finely; too much order hides a race, too little invents one.
void SharedChecker::sync(uint32_t inst, const uint64_t* addresses, uint32_t mask, bool releases) {
  if (plan_.flags[inst] & CheckPlan::kFinishes) finish_copies(who_ - first_, mask, 0);
  clocks_->lanes[who_].meet(~0u, ~0u, clock(who_));
  uint64_t last = ~0ull;
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint64_t a = addresses[std::countr_zero(m)];
    if (a == last) continue;
    last = a;
    if (places_.size() > 65536) return;
    Clocks& place = places_[a];
    clocks_->learn(who_, place);
    if (releases) ClusterClocks::join(place, clocks_->known[who_]);
  }
  tick(who_);
}

void SharedChecker::access(const Context& c, uint32_t inst, bool is_store,
                           const uint64_t* addresses, int bytes, uint32_t mask) {
  begin_access(*this, first_ + c.warp);
  access_here(c, inst, is_store, addresses, bytes, mask);
}

void SharedChecker::access_by(SharedChecker& by, const Context& c, uint32_t inst, bool is_store,
                              const uint64_t* addresses, int bytes, uint32_t mask) {
  begin_access(by, by.first_ + c.warp);
  note_remote(inst, addresses, mask);
  access_here(c, inst, is_store, addresses, bytes, mask);
  by.fine_for_ = ~0u;
}

void SharedChecker::access_here(const Context& c, uint32_t inst, bool is_store,
                                const uint64_t* addresses, int bytes, uint32_t mask) {
  const uint16_t flags = plan_.flags[inst];
  if (flags & CheckPlan::kBarrier) return mbarrier(inst, addresses, mask);
  if (flags & CheckPlan::kSync) sync(inst, addresses, mask);
  if (flags & CheckPlan::kMeets) meet(c.warp, ~0u, ~0u);
  const bool atomic = flags & CheckPlan::kSync;
  bytes_ = bytes;
  note_busy(who_);
  const size_t cells = std::max<size_t>(static_cast<size_t>(bytes) >> shift_, 1);
  // What ldmatrix and wmma.load read goes to other lanes than the one that names it.
  if (!is_store && !atomic) {
    const bool beside = flags & CheckPlan::kProduct || who_ - by_->first_ >= state_.warps;
    if (beside && plan_.stores_by_threads) check_proxy(inst, addresses, mask, cells);
    const bool shares = flags & CheckPlan::kMeets;
    if (!(flags & CheckPlan::kProduct)) {
      return note_reads(c, inst, addresses, mask, cells, shares, who_, clock(who_));
    }
    multiplies_[c.warp] = 1;
    return note_reads(c, inst, addresses, mask, cells, shares, by_->product_of(c.warp),
                      by_->product_clock(product_groups_[c.warp]));
  }
  const uint32_t mine = stamp(who_) | (atomic ? kAtomic : 0u);
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(m));
    const size_t first = addresses[lane] >> shift_;
    lane_address_ = addresses[lane];
    if (!is_store || (atomic && state_.rows.rows[c.code[inst].row]->kind == RowKind::atomic)) {
      for (size_t i = first; i < first + cells; ++i) check_written(c, inst, lane, i);
      if (!is_store) continue;
    }
    note_write(c, inst, lane, first, cells, mine, phase_, atomic);
  }
}

void SharedChecker::bulk(SharedChecker& memory, const Context& c, uint32_t inst, bool writes,
                         const uint64_t* addresses, int bytes, uint32_t mask, bool by_group) {
  const uint32_t issuer = first_ + c.warp;
  const uint32_t by = copier_ == kNoCopier ? issuer : copier_ + (by_group ? 1 : 0);
  issuer_ = c.warp;
  if (by != issuer) {
    clocks_->learn(by, clocks_->known[issuer]);
    clocks_->lanes[by].meet(~0u, ~0u, clock(by));
  }
  memory.begin_access(*this, by);
  if (&memory != this) memory.note_remote(inst, addresses, mask);
  memory.access_here(c, inst, writes, addresses, bytes, mask);
  if (by == issuer) return;
  if (by_group) stored_[c.warp] = clock(by);
  tick(by);
  tick(issuer);  // what it does from here on is behind the copy's beginning
}

void SharedChecker::complete_bulk(SharedChecker& memory, const Context& c, uint32_t inst,
                                  uint64_t barrier) {
  const uint32_t by = copier_ == kNoCopier ? first_ + c.warp : copier_;
  memory.begin_access(*this, by);
  if (&memory != this) {
    memory.note_remote(inst, &barrier, 1);
    memory.check_init(inst, 0, barrier);
  }
  if (memory.places_.size() > 65536) return;
  ClusterClocks::join(memory.places_[barrier], clocks_->known[by]);
  tick(by);
}

void SharedChecker::commit_bulk(uint32_t warp) {
  BulkGroups& groups = sent_[warp];
  groups.clock[groups.count++ % BulkGroups::kKept] = stored_[warp];
}

void SharedChecker::wait_bulk(uint32_t warp, uint32_t left) {
  const BulkGroups& groups = sent_[warp];
  if (copier_ == kNoCopier || groups.count <= left) return;
  uint32_t& known = clocks_->known[first_ + warp][copier_ + 1];
  known = std::max(known, groups.last_but(left));
}

void SharedChecker::copy(const Context& c, uint32_t inst, const uint64_t* addresses, int bytes,
                         uint32_t mask) {
  const size_t cells = std::max<size_t>(static_cast<size_t>(bytes) >> shift_, 1);
  begin_access(*this, first_ + c.warp);
  const uint32_t mine = stamp(who_) | kFlight;
  note_busy(who_);
  Copy copy{inst, mask, bytes, {}, groups_[c.warp]};
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(m));
    const size_t first = addresses[lane] >> shift_;
    copy.address[lane] = static_cast<uint32_t>(addresses[lane]);
    note_write(c, inst, lane, first, cells, mine, kInFlight, false);
  }
  copies_[c.warp].push_back(copy);
}

void SharedChecker::commit(const Context& c) {
  for (uint32_t lane = 0; lane < 32; ++lane) groups_[c.warp][lane] += (c.mask >> lane) & 1u;
}

void SharedChecker::wait(const Context& c, uint32_t groups_left) {
  finish_copies(c.warp, c.mask, groups_left);
}

void SharedChecker::finish_copies(uint32_t warp, uint32_t mask, uint32_t groups_left) {
  const uint32_t mine = stamp(first_ + warp);
  std::vector<Copy>& copies = copies_[warp];
  size_t kept = 0;
  for (size_t n = 0; n < copies.size(); ++n) {
    Copy& copy = copies[n];
    const size_t cells = std::max<size_t>(static_cast<size_t>(copy.bytes) >> shift_, 1);
    for (uint32_t m = copy.mask & mask; m; m &= m - 1) {
      const uint32_t lane = static_cast<uint32_t>(std::countr_zero(m));
      // Groups committed from the copy's own on.
      if (groups_[warp][lane] - copy.group[lane] <= groups_left) continue;
      copy.mask &= ~(1u << lane);
      if (land(copy.address[lane] >> shift_, cells, copy.inst, mine)) {
        note_busy(first_ + warp);
      }
    }
    if (copy.mask) {
      if (kept != n) copies[kept] = copy;
      ++kept;
    }
  }
  copies.resize(kept);
}

}  // namespace tilescope::emulator
