#include "emulator/cta.h"

#include <algorithm>
#include <bit>

namespace tilescope::emulator {
namespace {

// A warp that spins must let the others run.
constexpr uint64_t kTurn = 1u << 18;
constexpr uint64_t kCheckEvery = 4096;  // warp instructions: well below 50 ms

}  // namespace

std::optional<Fault> CtaRunner::run(Dim3 cta, bool traced) {
  traced_ = traced;
  try {
    start(cta);
    run_all();
    check_limits();
  } catch (const FaultSignal& signal) {
    return describe_fault(state_, signal, cta, current_);
  }
  ++counters_.ctas;
  return std::nullopt;
}

void CtaRunner::run_all() {
  for (;;) {
    progress_ = false;
    bool alive = false;
    for (uint32_t w = 0; w < warps_.size(); ++w) {
      if (warps_[w].alive == 0) continue;
      alive = true;
      run_turn(w);
    }
    if (!alive) return;
    if (!progress_) deadlock();
  }
}

void CtaRunner::deadlock() {
  for (uint32_t w = 0; w < warps_.size(); ++w) {
    for (const Split& s : warps_[w].splits) {
      current_ = w;
      const uint32_t id = s.barrier;
      const bool counted = barriers_[id].expected != 0xffffffffu;
      raise(code_.instructions[code_.blocks[s.block].end_inst], Fault::Kind::deadlock,
            static_cast<uint32_t>(std::countr_zero(s.mask)), id,
            counted ? "fewer threads arrive than it counts"
                    : "the other threads wait at another barrier");
    }
  }
  throw FaultSignal{Fault::Kind::deadlock, 0, 0, nullptr, "no warp can go on", ""};
}

void CtaRunner::run_turn(uint32_t w) {
  current_ = w;
  Warp& warp = warps_[w];
  context_.registers = warp.registers;
  context_.predicates = warp.predicates;
  context_.local = warp.local;
  context_.groups = warp.groups;
  context_.warp = w;
  turn_end_ = work_ + kTurn;
  end_turn_ = false;
  while (!end_turn_ && work_ < turn_end_) {
    // The ready split of lowest rank; those at the same block join it.
    size_t best = warp.splits.size();
    for (size_t i = 0; i < warp.splits.size(); ++i) {
      const Split& s = warp.splits[i];
      if (s.parked) continue;
      if (best == warp.splits.size() ||
          code_.blocks[s.block].rank < code_.blocks[warp.splits[best].block].rank) {
        best = i;
      }
    }
    if (best == warp.splits.size()) return;
    Split split = warp.splits[best];
    size_t kept = 0;
    for (size_t i = 0; i < warp.splits.size(); ++i) {
      const Split& s = warp.splits[i];
      if (!s.parked && s.block == split.block) {
        split.mask |= s.mask;
      } else {
        warp.splits[kept++] = s;
      }
    }
    warp.splits.resize(kept);
    progress_ = true;
    run_split(warp, split);
  }
}

uint32_t CtaRunner::guard_mask(uint32_t guard, uint32_t mask) const {
  if (guard == 0) return mask;
  const uint32_t p = context_.predicates[(guard >> 1) - 1];
  return mask & (guard & 1u ? ~p : p);
}

void CtaRunner::run_split(Warp& warp, Split split) {
  const bool alone =
      std::all_of(warp.splits.begin(), warp.splits.end(), [](const Split& s) { return s.parked; });
  if (context_.mask != split.mask) set_mask(context_, split.mask);
  const uint64_t lanes = static_cast<uint64_t>(std::popcount(split.mask));
  uint32_t b = split.block;
  do {
    const Block& block = code_.blocks[b];
    BlockCount& count = counters_.blocks[b];
    ++count.warps;
    count.lanes += lanes;
    const uint64_t length = block.end - block.begin + 1;
    work_ += length;
    context_.clock += length;
    if (work_ >= next_check_) check_limits();
    run_body(block, warp);
    switch (block.kind) {
      case BlockEnd::next:
        b = block.next;
        break;
      case BlockEnd::branch: {
        const uint32_t taken = guard_mask(block.guard, split.mask);
        if (taken == split.mask) {
          b = block.target;
        } else if (taken == 0) {
          b = block.next;
        } else {
          warp.splits.push_back({block.target, taken, false, 0});
          warp.splits.push_back({block.next, split.mask & ~taken, false, 0});
          return;
        }
        break;
      }
      case BlockEnd::leave: {
        const uint32_t gone = guard_mask(block.guard, split.mask);
        if (gone != split.mask) warp.splits.push_back({block.next, split.mask & ~gone, false, 0});
        leave(warp, gone);
        return;
      }
      case BlockEnd::barrier: {
        const uint32_t there = guard_mask(block.guard, split.mask);
        if (there != split.mask) warp.splits.push_back({block.next, split.mask & ~there, false, 0});
        split.block = b;
        if (there) arrive(warp, block, split, there);
        return;
      }
      case BlockEnd::trap: {
        const uint32_t hit = guard_mask(block.guard, split.mask);
        if (hit) {
          const uint32_t opcode = code_.info[block.end_inst].opcode;
          const bool call = opcode != kSynthetic && code_.opcodes[opcode].starts_with("call");
          raise(code_.instructions[block.end_inst], Fault::Kind::trap,
                static_cast<uint32_t>(std::countr_zero(hit)), 0,
                call ? "a call of an external function (an assertion, most likely)" : "a trap");
        }
        b = block.next;
        break;
      }
      case BlockEnd::yield:
        warp.splits.push_back({block.next, split.mask, false, 0});
        end_turn_ = true;
        return;
    }
  } while (alone && work_ < turn_end_);
  warp.splits.push_back({b, split.mask, false, 0});
}

void CtaRunner::run_body(const Block& block, Warp& warp) {
  const Inst* first = code_.instructions.data();
  if (!traced_) {
    state_.rows.execute(context_, first + block.begin, first + block.end);
    return;
  }
  const size_t index = static_cast<size_t>(&block - code_.blocks.data());
  if (observer_->only_counts(index, current_, warp.epoch)) {
    if (!observer_->checks_races()) context_.observer = nullptr;
    state_.rows.execute(context_, first + block.begin, first + block.end);
    context_.observer = observer_.get();
    observer_->count_block(index, current_);
    return;
  }
  for (uint32_t i = block.begin; i < block.end; ++i) {
    const uint32_t active = guard_mask(first[i].guard, context_.mask);
    const bool recorded =
        active != 0 && observer_->begin_event(context_, first[i], active, warp.epoch);
    state_.rows.execute(context_, first + i, first + i + 1);
    if (recorded) observer_->end_event(context_);
  }
}

void CtaRunner::leave(Warp& warp, uint32_t mask) {
  warp.alive &= ~mask;
  if (mask) check_barriers();
}

void CtaRunner::check_limits() {
  const RunOptions& options = *state_.options;
  if (options.cancel && options.cancel->load(std::memory_order_relaxed)) {
    throw FaultSignal{Fault::Kind::cancelled, 0, 0, nullptr, "", ""};
  }
  next_check_ = work_ + kCheckEvery;
  if (options.max_warp_instructions) {
    const uint64_t fresh = work_ - reported_;
    reported_ = work_;
    const uint64_t total = state_.warp_instructions.fetch_add(fresh) + fresh;
    if (total > options.max_warp_instructions) {
      throw FaultSignal{Fault::Kind::limit, 0, 0, nullptr, "", ""};
    }
    next_check_ = work_ + std::min(kCheckEvery, options.max_warp_instructions);
  }
}

}  // namespace tilescope::emulator
