// A CTA that is stepped: it stops before an instruction, can be put back to where it was, and goes
// on from inside of a block.
#include <algorithm>
#include <bit>
#include <string_view>

#include "emulator/run/cta.h"

namespace tilescope::emulator {
namespace {

constexpr uint32_t kNoStop = 0xffffffffu;

/// The first instruction of a block, from `from` on, before which the run has to stop for its tick.
/// The block's end counts as its last one.
uint32_t stop_for_tick(const Stepping& steps, const Block& block, uint32_t from, uint64_t begin) {
  const uint32_t length = block.end - block.begin + 1;
  if (begin + length <= steps.stop_at) return kNoStop;
  const uint64_t skipped = steps.stop_at > begin ? steps.stop_at - begin : 0;
  uint32_t i = std::max(from, block.begin + static_cast<uint32_t>(skipped));
  const uint32_t end = block.end + (block.end_inst != 0xffffffffu ? 1 : 0);
  for (; i < end; ++i) {
    if (steps.flags[i] & Stepping::kShown) return i;
  }
  return kNoStop;
}

}  // namespace

// As run_body, one instruction at a time where somebody has to look. At a stop the position says
// where the CTA is; before that it says in which block.
void CtaRunner::run_stepped(const Split& split, uint32_t b, bool alone) {
  const Block& block = code_.blocks[b];
  Stepping& steps = *steps_;
  const Inst* first = code_.instructions.data();
  const bool resumed = position_.inside;
  uint32_t i = resumed ? position_.inst : block.begin;
  const uint64_t begin = steps.tick - (i - block.begin);
  position_ = {true, alone, b, i, split};
  if (!resumed) {
    if (begin >= steps.limit) throw FaultSignal{Fault::Kind::limit, 0, 0, nullptr, "", ""};
    loops_->enter(b, current_, context_.mask);
    if (begin >= steps.next_mark) steps.mark();
  }
  const uint32_t stop = stop_for_tick(steps, block, i, begin);
  const bool looks = (steps.block[b] & (Stepping::kObserved | Stepping::kAsked)) != 0 || waits_;
  const bool has_end = block.end_inst != 0xffffffffu;
  for (;;) {
    uint32_t n = looks ? i : std::min(block.end, stop);
    while (looks && n < block.end && n != stop && !is_noted(n) &&
           !(steps.flags[n] & (Stepping::kObserved | Stepping::kAsked))) {
      ++n;
    }
    if (n > i) state_.rows.execute(context_, first + i, first + n);
    if (n == block.end && !has_end) break;
    const uint32_t active = guard_mask(first[n].guard, context_.mask);
    const uint64_t at = begin + (n - block.begin);
    if (n == stop ||
        ((steps.flags[n] & Stepping::kAsked) && steps.stops_before(*this, n, active, at))) {
      position_.inst = n;
      steps.tick = at;
      throw Stepping::Stop{};
    }
    if (n == block.end) break;
    if (is_noted(n)) note(first[n], n, active);
    if (steps.flags[n] & Stepping::kObserved) {
      context_.observer = steps.observer;
      steps.under_way = at, steps.under_way_inst = n;
    }
    state_.rows.execute(context_, first + n, first + n + 1);
    context_.observer = nullptr;
    i = n + 1;
  }
  position_.inside = false;
  steps.tick = begin + (block.end - block.begin + 1);
  LastBlock& last = last_[current_];
  if (steps.block[b] & Stepping::kShown) {
    last.block = b, last.lanes = context_.mask;
    last.steps = warps_[current_].steps;
  }
  if (steps.block[b] & Stepping::kLined) last.lined = b;
}

// The run ends just behind the instruction that met the fault, and the CTA stands before it. Of
// what no instruction did, where the run is.
void CtaRunner::note_fault(const FaultSignal& signal) {
  Stepping& steps = *steps_;
  context_.observer = nullptr;
  steps.end_tick = steps.tick;
  if (!signal.inst || signal.kind == Fault::Kind::deadlock) return;
  const Block& block = code_.blocks[position_.block];
  const uint64_t ran =
      position_.inside ? position_.inst - block.begin : block.end - block.begin + 1;
  position_.inst = static_cast<uint32_t>(signal.inst - code_.instructions.data());
  position_.inside = true;
  steps.end_tick = steps.tick - ran + (position_.inst - block.begin) + 1;
}

uint64_t CtaRunner::step_at(uint32_t inst) const {
  const Block& block = code_.blocks[position_.block];
  return warps_[current_].steps - (block.end - block.begin + 1) + (inst - block.begin);
}

CtaState CtaRunner::save() {
  cta_ = context_.cta;
  clock_ = context_.clock;
  writers_grain_ = last_writers_.grain();
  return *this;
}

void CtaRunner::restore(const CtaState& state, Counters& counters, Cluster* cluster) {
  static_cast<CtaState&>(*this) = state;
  point_warps();
  counters_ = &counters;
  context_.sites = counters.sites.data();
  context_.guarded_off = counters.guarded_off.data();
  context_.cta = cta_;
  context_.clock = clock_;
  context_.observer = nullptr;
  context_.output = &output_;
  enter_cluster(cluster);
  last_writers_.reset(state_.shared_bytes, writers_grain_);
  face(current_);
  if (position_.inside) set_mask(context_, position_.split.mask);
}

void CtaRunner::note_written(const CtaRunner& by_cta, const Inst& in, uint32_t lanes,
                             const uint64_t* addresses, uint32_t bytes) {
  const auto inst = static_cast<uint32_t>(&in - code_.instructions.data());
  StepWriter by{by_cta.current_, 0, code_.info[inst].ptx_line, by_cta.step_at(inst)};
  const std::string_view pattern = state_.rows.rows[in.row]->pattern;
  const bool matrix = pattern.starts_with("stmatrix");
  const bool turned = matrix && pattern.find(" trans") != std::string_view::npos;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
    if (!matrix) {
      by.lane = lane;
      last_writers_.note(addresses[lane], bytes, StepWriters::packed(by));
      continue;
    }
    // The lane has the address of a row, whose values others hold (rows_matrix.cpp).
    const uint32_t row = lane % 8, piece = turned ? 2 : 4;
    for (uint32_t at = 0; at < bytes; at += piece) {
      by.lane = turned ? at / piece * 4 + row / 2 : row * 4 + at / piece;
      last_writers_.note(addresses[lane] + at, piece, StepWriters::packed(by));
    }
  }
}

void CtaRunner::note_copy(uint32_t inst, uint32_t lanes, uint32_t bytes) {
  std::vector<StepCopies>& all = copies_[current_];
  if (all.empty() || all.back().committed) all.emplace_back();
  StepCopies& copies = all.back();
  ++copies.copies;
  copies.bytes += uint64_t{bytes} * static_cast<uint32_t>(std::popcount(lanes));
  copies.ptx_line = code_.info[inst].ptx_line, copies.step = step_at(inst);
}

// As many groups as the lane that has most of them: lanes that commit apart commit one group.
void CtaRunner::note_commit(uint32_t inst) {
  std::vector<StepCopies>& all = copies_[current_];
  const auto groups = std::ranges::count_if(all, &StepCopies::committed);
  const uint32_t most = *std::ranges::max_element(warps_[current_].groups);
  if (most <= static_cast<uint32_t>(groups)) {
    if (groups == 0 || all.back().committed) return;
    const StepCopies more = all.back();
    all.pop_back();
    all.back().copies += more.copies, all.back().bytes += more.bytes;
    return;
  }
  if (all.empty() || all.back().committed) all.emplace_back();
  all.back().committed = true;
  all.back().ptx_line = code_.info[inst].ptx_line, all.back().step = step_at(inst);
}

void CtaRunner::note_wait() {
  std::vector<StepCopies>& all = copies_[current_];
  const auto groups = std::ranges::count_if(all, &StepCopies::committed);
  const std::ptrdiff_t most = *std::ranges::max_element(warps_[current_].groups);
  if (groups > most) all.erase(all.begin(), all.begin() + (groups - most));
}

std::array<std::span<std::byte>, CtaRunner::kBulk> CtaRunner::bulk() {
  const size_t warps = state_.warps;
  return {std::span{registers_.get(), size_t{code_.frame_bytes} * warps},
          std::span{shared_.get(), size_t{state_.shared_bytes}},
          std::span{local_.get(), size_t{code_.local_bytes} * 32 * warps}, last_writers_.bytes()};
}

}  // namespace tilescope::emulator
