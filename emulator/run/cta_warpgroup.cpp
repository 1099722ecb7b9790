// Groups of wgmma. A warp computes its part of a product when it issues it; so who waits for a
// group goes on when the other warps of the warpgroup have issued theirs, too. Else a stage of
// shared memory could be given back that one of them has yet to read.
#include <bit>

#include "emulator/run/cta.h"

namespace tilescope::emulator {

// Whether all warps of the warpgroup have committed what warp `w` has, but for its last `left`.
bool CtaRunner::has_products(uint32_t w, uint32_t left) const {
  const uint32_t mine = warps_[w].products, first = w & ~3u;
  for (uint32_t i = first; i < first + 4 && i < warps_.size(); ++i) {
    if (mine > left && warps_[i].products < mine - left) return false;
  }
  return true;
}

bool CtaRunner::warpgroup(Warp& warp, const Block& block, Split split, uint32_t& b) {
  const Inst& in = code_.instructions[block.end_inst];
  const bool waits = state_.rows.rows[in.row]->kind == RowKind::warpgroup_wait;
  if (split.mask != warp.alive) {
    const uint32_t lane = static_cast<uint32_t>(std::countr_zero(warp.alive & ~split.mask));
    raise(in, Fault::Kind::partial_warp, lane, 0, "a group of wgmma");
  }
  const auto left_of = [this](uint32_t block_index) {
    return static_cast<uint32_t>(code_.instructions[code_.blocks[block_index].end_inst].imm);
  };
  if (!waits) {
    ++warp.products;
    if (observer_) observer_->commit_products(current_, warp.products);
    const uint32_t first = current_ & ~3u;
    for (uint32_t w = first; w < first + 4 && w < warps_.size(); ++w) {
      for (Split& s : warps_[w].splits) {
        if (!s.parked || s.barrier != kWarpgroup || !has_products(w, left_of(s.block))) continue;
        if (observer_) observer_->pass_products(w, warps_[w].products - left_of(s.block));
        s.parked = false;
        s.block = code_.blocks[s.block].next;
        s.since = work_;
      }
    }
    b = block.next;
    return true;
  }
  if (traced_ && observer_->begin_event(context_, in, split.mask, warp.epoch, warp.steps - 1)) {
    observer_->end_event(context_);
    observer_->show_event();
  }
  if (const auto left = static_cast<uint32_t>(in.imm); has_products(current_, left)) {
    if (observer_ && warp.products > left) {
      observer_->pass_products(current_, warp.products - left);
    }
    b = block.next;
    return true;
  }
  split.block = b;
  split.parked = true;
  split.barrier = kWarpgroup;
  warp.splits.push_back(split);
  end_turn_ = true;
  return false;
}

}  // namespace tilescope::emulator
