#include "emulator/run/cta.h"

#include <algorithm>
#include <bit>

namespace tilescope::emulator {
namespace {

// A warp that spins must let the others run.
constexpr uint64_t kTurn = 1u << 18;
// And so must a CTA, if others may be waiting for it and it shows no end.
constexpr uint64_t kRound = 1u << 24;
// The same in a cluster, where it may look at another's shared memory again and again.
constexpr uint64_t kClusterTurn = 1u << 14;
constexpr uint64_t kCheckEvery = 4096;  // warp instructions: well below 50 ms

}  // namespace

void CtaRunner::begin(Dim3 cta, bool traced, Counters& counters, Cluster* cluster) {
  traced_ = traced;
  counters_ = &counters;
  context_.cta = cta;
  enter_cluster(cluster);
  start(cta);
}

CtaRunner::Round CtaRunner::go_on(std::optional<Fault>& fault, bool pass_sleepers) {
  try {
    const Round round = run_all(pass_sleepers);
    seen_touched_ = peer_.touched;
    if (round != Round::ended) return round;
    check_limits();
    ++counters_->ctas;
  } catch (const Tracker::Stop&) {
    stopped_ = true;
  } catch (const FaultSignal& signal) {
    fault = describe_fault(state_, signal, context_.cta, current_);
    if (steps_) note_fault(signal);
  }
  leave_off();
  return Round::ended;
}

void CtaRunner::leave_off() {
  if (tracker_) provenance()->finish(context_.cta, std::move(tracker_));
}

CtaRunner::Round CtaRunner::run_all(bool pass_sleepers) {
  if (!position_.inside) {
    round_begin_ = work_;
    resume();
    wake();
    passing_ = pass_sleepers;
  }
  for (;;) {
    if (!position_.inside) progress_ = false, pass_in_vain_ = true;
    bool alive = false;
    for (uint32_t w = position_.inside ? current_ : 0; w < warps_.size(); ++w) {
      if (warps_[w].alive == 0) continue;
      alive = true;
      if (!position_.inside) turn_steps_ = warps_[w].steps;
      run_turn(w);
      pass_in_vain_ = pass_in_vain_ && (warps_[w].in_vain || warps_[w].steps == turn_steps_);
    }
    if (!alive) return Round::ended;
    if (progress_ && is_in_cluster()) {
      rounds_in_vain_ = pass_in_vain_ ? rounds_in_vain_ + 1 : 0;
      if (pass_in_vain_) return Round::peers;
      moved_ = true;
      if (!waits_) {
        if (work_ - round_begin_ > kClusterTurn) return Round::paused;
        continue;
      }
    }
    if (progress_) {
      if (!waits_) {
        count_rounds(pass_in_vain_);
        continue;
      }
      moved_ = true;
      if (goes_in_circles()) return Round::waits;
      if (tired_ || work_ - round_begin_ > kRound) return Round::paused;
      wake();
      continue;
    }
    if (sleeps()) {
      if (passing_ || !waits_for_itself()) return Round::waits;
      passing_ = true;
      continue;
    }
    for (Warp& warp : warps_) progress_ = release_waiting(warp, true) || progress_;
    if (progress_) continue;
    if (is_in_cluster() && waits_for_peers()) return Round::peers;
    deadlock();
  }
}

// The context is the warp's from here on.
void CtaRunner::face(uint32_t w) {
  current_ = w;
  Warp& warp = warps_[w];
  context_.registers = warp.registers;
  context_.predicates = warp.predicates;
  context_.local = warp.local;
  context_.groups = warp.groups;
  context_.warp = w;
}

void CtaRunner::run_turn(uint32_t w) {
  Warp& warp = warps_[w];
  face(w);
  if (position_.inside) {
    run_blocks(warp, position_.split, position_.alone);
  } else {
    turn_end_ = work_ + (is_in_cluster() ? kClusterTurn : kTurn);
    end_turn_ = false;
  }
  while (!end_turn_ && work_ < turn_end_) {
    const size_t best = pick(warp);
    if (best == warp.splits.size()) {
      if (!release_waiting(warp, false)) return;
      continue;
    }
    Split split = warp.splits[best];  // those at the same block join it
    size_t kept = 0;
    for (size_t i = 0; i < warp.splits.size(); ++i) {
      const Split& s = warp.splits[i];
      if (!s.parked && s.block == split.block) {
        split.mask |= s.mask;
        split.released = split.released || s.released;
      } else {
        warp.splits[kept++] = s;
      }
    }
    warp.splits.resize(kept);
    progress_ = progress_ || !waits_;  // else it may fall asleep at once
    run_split(warp, split);
  }
}

// The lowest rank, so that lanes meet again behind branches and loops. But lanes may wait for
// others of their warp (a lock, a flag): one that has been passed over for too long gets a turn.
// Behind lanes that sleep the others wait, or they would no longer meet; unless nothing else helps.
size_t CtaRunner::pick(const Warp& warp) {
  const size_t n = warp.splits.size();
  size_t best = n, oldest = n;
  for (size_t i = 0; i < n; ++i) {
    const Split& s = warp.splits[i];
    if (s.parked || s.waiting || (s.asleep && passing_)) continue;
    if (best == n || code_.blocks[s.block].rank < code_.blocks[warp.splits[best].block].rank) {
      best = i;
    }
    if (oldest == n || s.since < warp.splits[oldest].since) oldest = i;
  }
  hold_ = 0;
  if (best != n && warp.splits[best].asleep) return n;
  if (best == oldest || work_ - warp.splits[oldest].since <= patience_) return best;
  patience_ = std::max(kLeastPatience, patience_ / 2);
  hold_ = work_ + kLeastPatience;
  return oldest;
}

void CtaRunner::push(Warp& warp, uint32_t block, uint32_t mask) {
  Split split{block, mask};
  split.since = work_;
  warp.splits.push_back(split);
}

uint32_t CtaRunner::gather(Warp& warp, const Split& split, const Block& block) {
  const uint32_t* named = reinterpret_cast<const uint32_t*>(warp.registers + block.members - 1);
  uint32_t ready = 0;
  for (uint32_t rest = split.mask; rest != 0;) {
    const uint32_t wanted = named[std::countr_zero(rest)];
    uint32_t same = 0;
    for (uint32_t i = 0; i < 32; ++i) same |= (named[i] == wanted ? 1u : 0u) << i;
    same &= rest;
    rest &= ~same;
    if ((wanted & warp.alive & ~split.mask) == 0) ready |= same;
  }
  if (ready != split.mask) {
    push(warp, split.block, split.mask & ~ready);
    warp.splits.back().waiting = true;
  }
  return ready;
}

// Lanes that wait for others which all wait, too, or never come: they go on with those that are
// there. While some are at a barrier of the CTA they may still come, unless nothing else can run.
bool CtaRunner::release_waiting(Warp& warp, bool for_good) {
  bool any = false;
  for (const Split& s : warp.splits) {
    if ((s.parked || s.asleep) && !for_good) return false;
    any = any || s.waiting;
  }
  for (Split& s : warp.splits) {
    s.released = s.waiting;
    s.waiting = false;
  }
  return any;
}

uint32_t CtaRunner::guard_mask(uint32_t guard, uint32_t mask) const {
  if (guard == 0) return mask;
  const uint32_t p = context_.predicates[(guard >> 1) - 1];
  return mask & (guard & 1u ? ~p : p);
}

void CtaRunner::run_split(Warp& warp, const Split& split) {
  const bool alone = std::ranges::all_of(
      warp.splits, [](const Split& s) { return s.parked || s.waiting || s.asleep; });
  if (context_.mask != split.mask) set_mask(context_, split.mask);
  run_blocks(warp, split, alone);
}

inline bool CtaRunner::begin_block(Warp& warp, Split& split, uint32_t b) {
  const Block& block = code_.blocks[b];
  if (block.members != 0 && split.mask != warp.alive && !split.released) {
    split.block = b;
    split.mask = gather(warp, split, block);
    if (split.mask == 0) return false;
    if (context_.mask != split.mask) set_mask(context_, split.mask);
  }
  split.released = false;
  if (waits_ && !enter(warp, split, b)) return false;
  if (block.members != 0 && observer_) observer_->meet(current_, split.mask, warp.alive);
  BlockCount& count = counters_->blocks[b];
  ++count.warps;
  count.lanes += static_cast<uint64_t>(std::popcount(split.mask));
  const uint64_t length = block.end - block.begin + 1;
  work_ += length;
  warp.steps += length;
  context_.clock += length;
  if (work_ >= next_check_) check_limits();
  return true;
}

// Of a stepped warp that stopped inside of a block, first the rest of that.
void CtaRunner::run_blocks(Warp& warp, Split split, bool alone) {
  uint32_t b = position_.inside ? position_.block : split.block;
  do {
    const Block& block = code_.blocks[b];
    if (!position_.inside && !begin_block(warp, split, b)) return;
    if (steps_) {
      run_stepped(split, b, alone);
    } else {
      run_body(block, warp);
    }
    if (observer_) observer_->end_block(context_, block);
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
          push(warp, block.target, taken);
          push(warp, block.next, split.mask & ~taken);
          return;
        }
        break;
      }
      case BlockEnd::jump_table:
        if (!jump(warp, block, split.mask, b)) return;
        break;
      case BlockEnd::call:
        if (!call(warp, block, split.mask, b)) return;
        break;
      case BlockEnd::give_back:
        if (!give_back(warp, block, split.mask, b)) return;
        break;
      case BlockEnd::leave: {
        const uint32_t gone = guard_mask(block.guard, split.mask);
        if (gone != split.mask) push(warp, block.next, split.mask & ~gone);
        leave(warp, gone);
        return;
      }
      case BlockEnd::barrier: {
        const uint32_t there = guard_mask(block.guard, split.mask);
        if (there != split.mask) push(warp, block.next, split.mask & ~there);
        split.block = b;
        if (there) arrive(warp, block, split, there);
        return;
      }
      case BlockEnd::trap: {
        const uint32_t hit = guard_mask(block.guard, split.mask);
        if (hit) {
          raise(code_.instructions[block.end_inst], Fault::Kind::trap,
                static_cast<uint32_t>(std::countr_zero(hit)), 0, "a trap");
        }
        b = block.next;
        break;
      }
      case BlockEnd::warpgroup:
        if (!warpgroup(warp, block, split, b)) return;
        break;
      case BlockEnd::cluster:
        if (!cluster_barrier(warp, block, split, b)) return;
        break;
      case BlockEnd::yield:
        if (block.end_inst == kNoInst) note_poll(warp, block, split.mask);
        push(warp, block.next, split.mask);
        end_turn_ = true;
        return;
    }
  } while ((alone || work_ < hold_) && work_ < turn_end_);
  push(warp, b, split.mask);
}

void CtaRunner::execute(const Block& block, size_t index) {
  const Inst* first = code_.instructions.data();
  if (!waits_) {
    state_.rows.execute(context_, first + block.begin, first + block.end);
    return;
  }
  const uint8_t careful = WaitPlan::kWrites | (observer_ ? WaitPlan::kFences : 0) |
                          (circle_.closed ? WaitPlan::kReads : 0);
  if (!(waits_->block[index] & careful)) {
    state_.rows.execute(context_, first + block.begin, first + block.end);
    return;
  }
  for (uint32_t i = block.begin; i < block.end; ++i) {
    if (waits_->instruction[i]) note(first[i], i, guard_mask(first[i].guard, context_.mask));
    state_.rows.execute(context_, first + i, first + i + 1);
  }
}

void CtaRunner::run_body(const Block& block, Warp& warp) {
  const Inst* first = code_.instructions.data();
  if (!observer_ && !waits_) {
    state_.rows.execute(context_, first + block.begin, first + block.end);
    return;
  }
  const size_t index = static_cast<size_t>(&block - code_.blocks.data());
  if (observer_) observer_->run_block(block, warp, current_);
  const bool watched = observer_ && observer_->watches(index);
  if (!traced_ && !watched) return execute(block, index);
  if (traced_) observer_->enter_block(index, current_, context_.mask, warp.epoch);
  if (observer_->only_counts(index, current_, warp.epoch) && observer_->skips(index, current_)) {
    if (!observer_->sees_accesses()) context_.observer = nullptr;
    execute(block, index);
    context_.observer = observer_.get();
    observer_->count_block(index, current_);
    return;
  }
  const bool checked = observer_->checks(index);
  uint64_t step = warp.steps - (block.end - block.begin + 1);
  for (uint32_t i = block.begin; i < block.end; ++i, ++step) {
    if (watched && context_.mask == ~0u) {
      if (const uint32_t n = observer_->before_products(context_, i, checked)) {
        state_.rows.execute(context_, first + i, first + i + n);
        i += n - 1, step += n - 1;
        continue;
      }
    }
    const uint32_t active = guard_mask(first[i].guard, context_.mask);
    if (waits_ && waits_->instruction[i]) note(first[i], i, active);
    if (watched) observer_->before(context_, first[i], active);
    const bool recorded = active != 0 && state_.rows.rows[first[i].row]->kind != RowKind::poll &&
                          observer_->begin_event(context_, first[i], active, warp.epoch, step);
    state_.rows.execute(context_, first + i, first + i + 1);
    if (recorded) observer_->end_event(context_);
    if (watched) observer_->after(context_, first[i], active, step);
    if (recorded) observer_->show_event();
  }
  if (watched && block.end_inst != kNoInst) {
    const Inst& end = first[block.end_inst];
    observer_->before(context_, end, guard_mask(end.guard, context_.mask));
  }
}

void CtaRunner::leave(Warp& warp, uint32_t mask) {
  warp.alive &= ~mask;
  if (mask == 0) return;
  check_barriers();
  cluster_->meet();
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
