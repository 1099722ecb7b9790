#include "emulator/provenance/tracker.h"

#include <algorithm>
#include <utility>

namespace tilescope::emulator {

Tracker::Tracker(const Code& code, const TrackPlan& plan, Leaves leaves, uint32_t warps,
                 uint32_t shared_bytes, std::shared_ptr<Followed> followed)
    : code_(code),
      plan_(plan),
      leaves_(std::move(leaves)),
      followed_(std::move(followed)),
      graph_(followed_->graph),
      registers_(warps),
      wholes_(warps),
      shared_(shared_bytes / 2 + 16),
      shared_route_(shared_bytes / 2 + 16),
      local_(warps),
      lost_(warps),
      moved_(warps) {
  for (auto& r : registers_) r.resize(plan.words);
  for (auto& w : wholes_) w.resize(plan.tracked);
  for (auto& l : local_) l.resize(size_t{code.local_bytes} / 2 * 32);
}

const Tracker::MovedTags Tracker::kNothingMoved;

Plane Tracker::plane(uint32_t warp, uint32_t inst, uint32_t operand) {
  const uint32_t o = code_.operands[code_.first_operand[inst] + operand];
  Plane p;
  Tag* at = nothing_.data();
  p.halves = 2;
  if (o != kNoRegister) {
    const uint32_t reg = o >> 1;
    p.halves = plan_.halves[reg] ? plan_.halves[reg] : 1;
    if (plan_.place[reg] != TrackPlan::kUntracked) {
      at = registers_[warp].data() + plan_.place[reg];
      Whole& w = wholes_[warp][plan_.number[reg]];
      if (w.stale) write_out(w, at);
      if (o & 1u) w.kind = Whole::Kind::lanes;
    } else if (o & 1u) {
      at = dump_.data();
    }
  }
  for (int h = 0; h < p.halves; ++h) p.half[h] = at + 32 * h;
  p.route = at + 32 * p.halves;
  return p;
}

void Tracker::clear(uint32_t warp, uint32_t inst, uint32_t active) {
  for (uint32_t k = 0; k < plan_.steps[inst].results; ++k) {
    const Plane d = plane(warp, inst, k);
    for (int i = 0; i < 32; ++i) {
      if ((active >> i) & 1u) d.set(i, {}, 0);
    }
  }
}

void Tracker::forget_lost(uint32_t warp) {
  if (lost_[warp]) {
    std::fill(registers_[warp].begin(), registers_[warp].end(), 0);
    std::fill(wholes_[warp].begin(), wholes_[warp].end(), Whole());
  }
  lost_[warp] = false;
  if (!lost_shared_) return;
  std::fill(shared_.begin(), shared_.end(), 0);
  lost_shared_ = false;
}

// d = a · b + c of a whole warp; false if it has to go the long way.
bool Tracker::add_products(uint32_t warp, const Step& step, uint32_t inst) {
  if (grow_together(warp, step, inst)) return true;
  Plane p[4];
  for (uint32_t k = 4; k-- > 0;) p[k] = plane(warp, inst, k);
  if (!grow_warp(p[0], p[1], p[2], p[3], inst)) return false;
  make_group(warp, step, p[0].half[0][0]);
  return true;
}

uint32_t Tracker::before_products(const Context& c, uint32_t inst) {
  const uint32_t n = plan_.direct_run[inst];
  if (n == 0 || keeps_moved_ || c.warp == stop_warp_) return 0;
  if (lost_shared_ || lost_[c.warp]) forget_lost(c.warp);
  for (uint32_t i = inst; i < inst + n; ++i) {
    if (!add_products(c.warp, plan_.steps[i], i)) compute(c, c.code[i], i, ~0u);
  }
  return n;
}

void Tracker::before(const Context& c, const Inst& in, uint32_t active) {
  const uint32_t inst = static_cast<uint32_t>(&in - c.code);
  accesses_.clear();
  copy_mask_ = 0;
  has_moved_ = false;
  if (lost_shared_ || lost_[c.warp]) forget_lost(c.warp);
  if (active == 0) return;
  const Step& step = plan_.steps[inst];
  if (step.direct && active == ~0u && !keeps_fma_ && add_products(c.warp, step, inst)) return;
  switch (step.pass) {
    case Pass::nothing:
      break;
    case Pass::clear:
      clear(c.warp, inst, active);
      break;
    case Pass::move:
      move(c, inst, active);
      break;
    case Pass::choose:
      choose(c, in, inst, active);
      break;
    case Pass::shuffle:
      shuffle(c, in, inst, active);
      break;
    case Pass::product_pairs:
    case Pass::expression_pairs:
      pairs(c.warp, inst, active);
      break;
    case Pass::move_matrix:
      move_matrix(c, inst);
      break;
    case Pass::matrix_product:
      matrix_product(c, inst);
      break;
    case Pass::load:
    case Pass::store:
    case Pass::copy:
    case Pass::atomic:
    case Pass::load_matrix:
    case Pass::store_matrix:
    case Pass::load_fragment:
    case Pass::store_fragment:
    case Pass::warpgroup_product:
      break;  // once their addresses are known
    default:
      compute(c, in, inst, active);
      break;
  }
}

void Tracker::after(const Context& c, const Inst& in, uint32_t active, uint64_t step) {
  const uint32_t inst = static_cast<uint32_t>(&in - c.code);
  const Pass pass = plan_.steps[inst].pass;
  const bool stores = pass == Pass::store || pass == Pass::store_matrix;
  const bool product = pass == Pass::warpgroup_product;
  if (keeps_moved_ && !stores && !product && !accesses_.empty())
    note_memory(c);  // before it is overwritten
  if (copy_mask_) {
    copy_in(c, inst);
  } else if (!accesses_.empty()) {
    switch (pass) {
      case Pass::load:
        load(c, inst);
        break;
      case Pass::store:
        store(c, inst);
        break;
      case Pass::atomic:
        atomic(c, inst);
        break;
      case Pass::load_matrix:
        load_matrix(c, inst);
        break;
      case Pass::store_matrix:
        store_matrix(c, inst);
        break;
      case Pass::load_fragment:
        load_fragment(c, inst);
        break;
      case Pass::store_fragment:
        store_fragment(c, inst);
        break;
      case Pass::warpgroup_product:
        warpgroup_product(c, in, inst);
        break;
      default:
        break;
    }
  } else if (pass == Pass::load && active) {
    clear(c.warp, inst, active);  // a parameter or a constant
  }
  if (keeps_moved_ && stores && !accesses_.empty()) note_memory(c);
  if (stores_moved_ && has_moved_) {
    now_.step = step;
    moved_[c.warp].push_back(now_);
  }
  if (c.warp == stop_warp_ && step == stop_step_) throw Stop{};
}

void Tracker::access(const Context& c, Space space, bool is_store, const uint64_t* addresses,
                     int bytes) {
  Access& a = accesses_.add();
  a.space = space;
  a.is_store = is_store;
  a.bytes = bytes;
  a.mask = c.mask;
  std::copy(addresses, addresses + 32, a.address.begin());
}

void Tracker::copy(const Context& c, const uint64_t* shared, const uint32_t* from_bytes,
                   int bytes) {
  copy_mask_ = c.mask;
  copy_size_ = static_cast<uint32_t>(bytes);
  std::copy(shared, shared + 32, copy_to_.begin());
  std::copy(from_bytes, from_bytes + 32, copy_bytes_.begin());
}

void Tracker::note_memory(const Context& c) {
  const Access& a = accesses_.front();
  now_ = {};
  for (int lane = 0; lane < 32; ++lane) {
    if (!((a.mask >> lane) & 1u)) continue;
    const Tag t = read(c, a.space, a.address[static_cast<size_t>(lane)], lane).tags.lo;
    now_.a[static_cast<size_t>(lane)] = is_leaf(t) ? t : 0;
    has_moved_ = has_moved_ || is_leaf(t);
  }
}

const Tracker::MovedTags* Tracker::moved(uint32_t warp, uint64_t step) const {
  if (warp >= moved_.size()) return nullptr;
  const auto& all = moved_[warp];
  const auto it = std::lower_bound(all.begin(), all.end(), step,
                                   [](const MovedTags& m, uint64_t s) { return m.step < s; });
  return it != all.end() && it->step == step ? &*it : nullptr;
}

Tracker::Place Tracker::of_register(uint32_t warp, uint32_t reg, uint32_t lane) const {
  if (warp >= registers_.size() || plan_.place[reg] == TrackPlan::kUntracked) return {};
  const Whole& w = wholes_[warp][plan_.number[reg]];
  if (w.stale && w.kind == Whole::Kind::sums) return {{w.base + lane, kCountTag | w.more}, 0};
  if (w.stale && w.kind == Whole::Kind::elements) {
    const Tag first = w.base + static_cast<Tag>(graph_.shapes()[w.number].difference[lane]);
    return {{first, first + 1}, w.more};
  }
  const Tag* at = registers_[warp].data() + plan_.place[reg] + lane;
  const uint32_t halves = plan_.halves[reg];
  return {{at[0], halves > 1 ? at[32] : 0}, at[32 * halves]};
}

Tracker::Place Tracker::of_shared(uint64_t offset, uint32_t bytes) const {
  const uint64_t g = offset / 2;
  if (g + 1 >= shared_.size()) return {};
  return {{shared_[g], bytes > 2 ? shared_[g + 1] : 0}, shared_route_[g]};
}

Tracker::Place Tracker::of_global(uint64_t address) const {
  Place low = read_global(address);
  low.tags.hi = read_global(address + 2).tags.lo;
  return low;
}

}  // namespace tilescope::emulator
