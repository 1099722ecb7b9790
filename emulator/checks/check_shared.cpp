#include "emulator/checks/check_shared.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilescope::emulator {
SharedChecker::SharedChecker(const RunState& state, const CheckPlan& plan, Findings& findings,
                             TaintChecker& taints)
    : state_(state),
      plan_(plan),
      findings_(findings),
      taints_(taints),
      warps_(state.warps + (plan.copies_in_bulk && state.warps < 32 ? 1 : 0)),
      copier_(warps_ > state.warps ? state.warps : kNoCopier),
      shift_(static_cast<uint32_t>(std::countr_zero(plan.granule))),
      cells_((state.shared_bytes >> shift_) + 4),
      written_(cells_, 0),
      writer_(cells_, kNoInst),
      write_lane_(cells_, 0),
      read_(cells_ * warps_, 0),
      wrote_(cells_, 0),
      touched_(cells_, 0),
      known_(warps_),
      lanes_(warps_),
      products_(warps_),
      product_reads_(warps_),
      product_groups_(warps_),
      copies_(warps_),
      groups_(warps_) {}

void SharedChecker::start(Dim3 cta) {
  cta_ = cta;
  first_phase_ = ++phase_;
  busy_ = 0;
  uint32_t latest = 0;
  for (uint32_t w = 0; w < warps_; ++w) latest = std::max(latest, clock(w));
  base_ = latest + 1;
  if (base_ > kClockLimit / 2) {  // before clocks run out of bits
    std::fill(written_.begin(), written_.end(), 0u);
    std::fill(read_.begin(), read_.end(), 0u);
    base_ = 1;
  }
  for (uint32_t w = 0; w < warps_; ++w) {
    known_[w].fill(base_ - 1);
    known_[w][w] = base_;
    lanes_[w].start(base_);
    copies_[w].clear();
    groups_[w].fill(0);
    for (Clocks& p : products_[w]) p.fill(0);
    product_reads_[w].clear();
    product_groups_[w] = 0;
  }
  for (Clocks& b : barriers_) b.fill(0);
  places_.clear();
  inits_.clear();
  seen_ = 0;
  fine_for_ = ~0u;
}

void SharedChecker::tick(uint32_t warp) {
  tick_lanes(warp);
  busy_ &= ~(1u << warp);
}

void SharedChecker::tick_lanes(uint32_t warp) {
  if (known_[warp][warp] < kClockLimit - 1) ++known_[warp][warp];
  seen_ &= ~(1u << warp);
  fine_for_ = ~0u;
}

void SharedChecker::meet(uint32_t warp, uint32_t lanes, uint32_t alive) {
  lanes_[warp].meet(lanes, alive, clock(warp));
  if ((seen_ >> warp) & 1u) tick_lanes(warp);
}

void SharedChecker::arrive(uint32_t warp, uint32_t barrier) {
  Clocks& b = barriers_[barrier];
  for (uint32_t v = 0; v < warps_; ++v) b[v] = std::max(b[v], known_[warp][v]);
  tick(warp);
}

void SharedChecker::pass(uint32_t warp, uint32_t barrier) {
  const Clocks& b = barriers_[barrier];
  for (uint32_t v = 0; v < warps_; ++v) {
    if (v != warp) known_[warp][v] = std::max(known_[warp][v], b[v]);
  }
  lanes_[warp].meet(~0u, ~0u, clock(warp) - 1);  // it arrived before its clock went on
  fine_for_ = ~0u;
}

// A product is one of the whole warpgroup: who has waited for it knows that all its warps have read
// their part.
void SharedChecker::commit_products(uint32_t warp, uint32_t groups) {
  products_[warp][groups % kProducts] = known_[warp];
  product_groups_[warp] = groups;
  tick(warp);
}

void SharedChecker::pass_products(uint32_t warp, uint32_t groups) {
  std::vector<ProductRead>& reads = product_reads_[warp];
  const auto behind = std::ranges::find_if(reads, [&](const ProductRead& r) {
    return r.group >= groups;  // of a later group
  });
  const uint32_t now = clock(warp) << kReadBits | kManyLanes;
  for (auto r = reads.begin(); r != behind; ++r) {
    const size_t cells = std::max<size_t>(static_cast<size_t>(r->bytes) >> shift_, 1);
    for (uint32_t m = r->mask; m; m &= m - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(m));
      touch(r->address[lane] >> shift_, cells, now | lane, warp);
    }
    busy_ |= 1u << warp;
    seen_ |= 1u << warp;
  }
  reads.erase(reads.begin(), behind);
  for (uint32_t w = warp & ~3u; w < (warp & ~3u) + 4 && w < state_.warps; ++w) {
    const Clocks& p = products_[w][groups % kProducts];
    for (uint32_t v = 0; v < warps_; ++v) {
      if (v != warp) known_[warp][v] = std::max(known_[warp][v], p[v]);
    }
  }
  fine_for_ = ~0u;
}

void SharedChecker::complete(uint32_t barrier) {
  barriers_[barrier].fill(0);
  if (phase_ < kInFlight - 1 && all_know()) ++phase_;
}

// Taken as both, acquire and release: which of them a failed try or a plain atomic is, the memory
// model says finely; too much order hides a race, too little invents one.
void SharedChecker::sync(const Context& c, uint32_t inst, const uint64_t* addresses,
                         uint32_t mask) {
  if (plan_.flags[inst] & CheckPlan::kFinishes) finish_copies(c.warp, mask, 0);
  lanes_[c.warp].meet(~0u, ~0u, clock(c.warp));
  uint64_t last = ~0ull;
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint64_t a = addresses[std::countr_zero(m)];
    if (a == last) continue;
    last = a;
    if (places_.size() > 65536) return;
    Clocks& place = places_[a];
    for (uint32_t v = 0; v < warps_; ++v) {
      if (v != c.warp) known_[c.warp][v] = std::max(known_[c.warp][v], place[v]);
      place[v] = std::max(place[v], known_[c.warp][v]);
    }
  }
  tick(c.warp);
}

void SharedChecker::access(const Context& c, uint32_t inst, bool is_store,
                           const uint64_t* addresses, int bytes, uint32_t mask) {
  const uint8_t flags = plan_.flags[inst];
  if (flags & CheckPlan::kBarrier) return mbarrier(c, inst, addresses, mask);
  if (flags & CheckPlan::kSync) sync(c, inst, addresses, mask);
  if (flags & CheckPlan::kMeets) meet(c.warp, ~0u, ~0u);
  const bool atomic = flags & CheckPlan::kSync;
  bytes_ = bytes;
  busy_ |= 1u << c.warp;
  seen_ |= 1u << c.warp;
  const size_t cells = std::max<size_t>(static_cast<size_t>(bytes) >> shift_, 1);
  // What ldmatrix and wmma.load read goes to other lanes than the one that names it.
  if (!is_store && !atomic) {
    if (flags & CheckPlan::kProduct) {
      ProductRead& read = product_reads_[c.warp].emplace_back(
          ProductRead{inst, mask, product_groups_[c.warp], bytes, {}});
      std::copy(addresses, addresses + 32, read.address.begin());
    }
    return note_reads(c, inst, addresses, mask, cells, flags & CheckPlan::kMeets);
  }
  const uint32_t mine = stamp(c.warp) | (atomic ? kAtomic : 0u);
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

void SharedChecker::bulk(const Context& c, uint32_t inst, bool writes, const uint64_t* addresses,
                         int bytes) {
  if (copier_ == kNoCopier) return access(c, inst, writes, addresses, bytes, c.mask);
  issuer_ = c.warp;
  for (uint32_t v = 0; v < warps_; ++v) {
    if (v != copier_) known_[copier_][v] = std::max(known_[copier_][v], known_[c.warp][v]);
  }
  lanes_[copier_].meet(~0u, ~0u, clock(copier_));
  Context copier = c;
  copier.warp = copier_;
  access(copier, inst, writes, addresses, bytes, c.mask);
  tick(copier_);
  tick(c.warp);  // what it does from here on is behind the copy's beginning
}

void SharedChecker::complete_bulk(const Context& c, uint64_t barrier) {
  const uint32_t by = copier_ == kNoCopier ? c.warp : copier_;
  if (barrier == Observer::kNoBarrier) {
    known_[c.warp][by] = std::max(known_[c.warp][by], clock(by) - (by == c.warp ? 0 : 1));
    return;
  }
  if (places_.size() > 65536) return;
  Clocks& place = places_[barrier];
  for (uint32_t v = 0; v < warps_; ++v) place[v] = std::max(place[v], known_[by][v]);
  tick(by);
}

std::string SharedChecker::name_of(uint32_t warp) const {
  return warp == copier_ ? "a bulk copy" : "warp " + std::to_string(warp);
}

void SharedChecker::copy(const Context& c, uint32_t inst, const uint64_t* addresses, int bytes,
                         uint32_t mask) {
  const size_t cells = std::max<size_t>(static_cast<size_t>(bytes) >> shift_, 1);
  const uint32_t mine = stamp(c.warp) | kFlight;
  busy_ |= 1u << c.warp;
  seen_ |= 1u << c.warp;
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
  const uint32_t mine = stamp(warp);
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
        busy_ |= 1u << warp;
        seen_ |= 1u << warp;
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
