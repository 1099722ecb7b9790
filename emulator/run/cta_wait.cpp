// CTAs that wait for each other: who waits is found by trying a round of a loop ahead of time. If
// all is as before behind it - registers, local memory, all that it could have stored - the loop
// goes on for ever unless others change global memory, and the lanes sleep where it begins.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/run/cta.h"
#include "emulator/run/writers.h"

namespace tilescope::emulator {
namespace {

constexpr uint32_t kMostRounds = 4;         // until two of them are alike
constexpr uint32_t kMostSleepyRounds = 64;  // of a loop that sleeps longer with each
constexpr uint64_t kMostAhead = 1u << 14;   // warp instructions
constexpr uint32_t kMostSkipped = 1024;     // rounds of a loop that is not looked at
constexpr uint64_t kMostLocal = 1u << 20;
constexpr size_t kMostPolls = 32;  // of lanes that sleep together

const std::byte* host(const Context& c, uint64_t address) {
  return c.regions[address >> kRegionShift].data + (address & kOffsetMask);
}

}  // namespace

bool CtaRunner::enter(Warp& warp, const Split& split, uint32_t block) {
  const uint8_t flags = waits_->block[block];
  if ((flags & WaitPlan::kHeader) && waits_for_memory(warp, block, split.mask)) {
    push(warp, block, split.mask);
    warp.splits.back().asleep = true;
    return false;
  }
  progress_ = true;
  wrote_ = wrote_ || (flags & WaitPlan::kWrites);
  return true;
}

bool CtaRunner::waits_for_memory(Warp& warp, uint32_t header, uint32_t mask) {
  const uint32_t number = waits_->loop_of[header];
  const WaitPlan::Loop& loop = waits_->loops[number];
  Rounds& rounds = warp.rounds[number];
  if (rounds.skip) {
    --rounds.skip;
    return false;
  }
  switch (look_ahead(warp, header, mask, loop)) {
    case Ahead::idle:
      rounds.interval = 1;
      return true;
    case Ahead::leaves:
      return false;
    case Ahead::changes:
      // Counting its rounds, perhaps: others must get a turn all the same.
      if (rounds.interval == kMostSkipped && loop.looks_again) {
        tired_ = end_turn_ = true;
        turn_end_ = work_;
      }
      rounds.skip = rounds.interval;
      rounds.interval = std::min(2 * rounds.interval, kMostSkipped);
      return false;
  }
  return false;
}

// Runs a round or some, and puts everything back.
CtaRunner::Ahead CtaRunner::look_ahead(Warp& warp, uint32_t header, uint32_t mask,
                                       const WaitPlan::Loop& loop) {
  LookAhead& room = *state_.look_ahead;
  const size_t frame = code_.frame_bytes, local = size_t{code_.local_bytes} * 32;
  if (local > kMostLocal) return Ahead::changes;
  const auto keep = [&](LookAhead::State& to) {
    to.registers.assign(warp.registers, warp.registers + frame);
    to.predicates.assign(warp.predicates, warp.predicates + code_.predicates);
    to.local.assign(warp.local, warp.local + local);
  };
  const auto same = [&](const LookAhead::State& as) {
    return std::memcmp(warp.predicates, as.predicates.data(), as.predicates.size() * 4) == 0 &&
           std::memcmp(warp.registers, as.registers.data(), frame) == 0 &&
           (local == 0 || std::memcmp(warp.local, as.local.data(), local) == 0);
  };
  keep(room.start);
  Observer* const observer = std::exchange(context_.observer, nullptr);
  const uint64_t clock = context_.clock;
  context_.sites = room.counters.sites.data();
  context_.guarded_off = room.counters.guarded_off.data();
  room.parts.assign(1, {header, mask});
  room.instructions = 0;
  seen_.clear();

  const uint32_t most = loop.sleeps ? kMostSleepyRounds : kMostRounds;
  uint32_t rounds = 0;
  uint64_t blocks = 0;
  Ahead found = Ahead::leaves;
  const auto run = [&] {
    for (;;) {
      // The lowest rank; the header only when all have come back to it.
      size_t best = 0;
      for (size_t i = 1; i < room.parts.size(); ++i) {
        const uint32_t b = room.parts[i].block, to = room.parts[best].block;
        if (to == header || (b != header && code_.blocks[b].rank < code_.blocks[to].rank)) best = i;
      }
      const uint32_t b = room.parts[best].block;
      uint32_t lanes = 0;
      std::erase_if(room.parts, [&](const LookAhead::Part& p) {
        if (p.block == b) lanes |= p.mask;
        return p.block == b;
      });
      if (!loop.has[b]) return Ahead::leaves;
      if (b == header && blocks != 0) {
        if (lanes != mask) return Ahead::leaves;
        if (same(rounds == 0 ? room.start : room.before)) return Ahead::idle;
        if (++rounds == most) return Ahead::changes;
        keep(room.before);
        seen_.clear();
      }
      const Block& block = code_.blocks[b];
      if (waits_->block[b] & WaitPlan::kEffect) return Ahead::changes;
      if (block.members != 0 && lanes != warp.alive) {
        const auto* named = reinterpret_cast<const uint32_t*>(warp.registers + block.members - 1);
        for (uint32_t m = lanes; m; m &= m - 1) {
          if (named[std::countr_zero(m)] & warp.alive & ~lanes) return Ahead::leaves;
        }
      }
      if (context_.mask != lanes) set_mask(context_, lanes);
      const uint32_t length = block.end - block.begin + (block.end_inst != kNoInst ? 1 : 0);
      room.instructions += length;
      context_.clock += length;
      if (++blocks > kMostAhead || room.instructions > kMostAhead) return Ahead::changes;
      if (!execute_ahead(block, b, lanes)) return Ahead::changes;
      if (block.kind == BlockEnd::branch) {
        const uint32_t taken = guard_mask(block.guard, lanes);
        if (taken) room.parts.push_back({block.target, taken});
        if (taken != lanes) room.parts.push_back({block.next, lanes & ~taken});
      } else {
        room.parts.push_back({block.next, lanes});
      }
    }
  };
  try {
    found = run();
  } catch (const FaultSignal&) {  // the round itself will show it
    found = Ahead::leaves;
  }
  context_.observer = observer;
  context_.clock = clock;
  context_.sites = counters_->sites.data();
  context_.guarded_off = counters_->guarded_off.data();
  std::copy(room.start.registers.begin(), room.start.registers.end(), warp.registers);
  std::copy(room.start.predicates.begin(), room.start.predicates.end(), warp.predicates);
  std::copy(room.start.local.begin(), room.start.local.end(), warp.local);
  set_mask(context_, mask);
  if (found == Ahead::idle) {
    ++counters_->polls;
    counters_->poll_instructions += room.instructions;
    warp.polls.insert(warp.polls.end(), seen_.begin(), seen_.end());
  }
  return found;
}

// False if the block has changed memory: what it changed is put back.
bool CtaRunner::execute_ahead(const Block& block, uint32_t index, uint32_t mask) {
  const Inst* first = code_.instructions.data();
  if (!(waits_->block[index] & WaitPlan::kCareful)) {
    state_.rows.execute(context_, first + block.begin, first + block.end);
    return true;
  }
  uint64_t addresses[32];
  for (uint32_t i = block.begin; i < block.end; ++i) {
    const uint8_t what = waits_->instruction[i];
    const uint32_t active = what ? guard_mask(first[i].guard, mask) : 0;
    if (active == 0) {
      state_.rows.execute(context_, first + i, first + i + 1);
      continue;
    }
    const uint32_t there = addresses_of(first[i], i, active, addresses);
    if (what & WaitPlan::kAtomic) {
      if (there != active || !changes_nothing(first[i], active, addresses)) return false;
    } else {
      state_.rows.execute(context_, first + i, first + i + 1);
    }
    note_polls(seen_, i, there, addresses);
  }
  return true;
}

// An atomic that leaves memory as it was: a compare-and-swap that fails, say.
bool CtaRunner::changes_nothing(const Inst& in, uint32_t active, const uint64_t* addresses) {
  const size_t bytes = state_.rows.rows[in.row]->bytes;
  std::byte old[32][16];
  for (uint32_t m = active; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    std::memcpy(old[lane], host(context_, addresses[lane]), bytes);
  }
  state_.rows.execute(context_, &in, &in + 1);
  bool same = true;
  for (uint32_t m = active; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    same = same && std::memcmp(old[lane], host(context_, addresses[lane]), bytes) == 0;
  }
  if (same) return true;
  for (uint32_t m = active; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    std::memcpy(const_cast<std::byte*>(host(context_, addresses[lane])), old[lane], bytes);
  }
  return false;
}

/// Of the active lanes; returns those whose accesses are legal and of global memory.
uint32_t CtaRunner::addresses_of(const Inst& in, uint32_t inst, uint32_t active,
                                 uint64_t* addresses) const {
  const uint32_t slots = code_.first_operand[inst + 1] - code_.first_operand[inst];
  const uint32_t* r = slots > 4 ? code_.lists.data() + in.list : in.r;
  const uint32_t base = r[waits_->address[inst]];
  const std::byte* slot = context_.registers + (base & ~kNarrowBase);
  const uint64_t bytes = state_.rows.rows[in.row]->bytes;
  uint32_t there = 0;
  for (uint32_t m = active; m; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    const uint64_t a = base & kNarrowBase ? reinterpret_cast<const uint32_t*>(slot)[lane] +
                                                static_cast<uint32_t>(in.imm)
                                          : reinterpret_cast<const uint64_t*>(slot)[lane] +
                                                static_cast<uint64_t>(int64_t{in.imm});
    addresses[lane] = a;
    const uint64_t region = a >> kRegionShift;
    if (region < context_.region_count && context_.regions[region].data &&
        (a & kOffsetMask) + bytes <= context_.regions[region].bytes) {
      there |= 1u << lane;
    }
  }
  return there;
}

void CtaRunner::note_polls(std::vector<Poll>& to, uint32_t inst, uint32_t active,
                           const uint64_t* addresses) {
  const uint32_t bytes = state_.rows.rows[code_.instructions[inst].row]->bytes;
  for (uint32_t m = active; m && to.size() < kMostPolls; m &= m - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(m));
    const uint64_t a = addresses[lane];
    if (context_.regions[a >> kRegionShift].read_only) continue;
    const bool known =
        std::any_of(to.begin(), to.end(), [&](const Poll& p) { return p.address == a; });
    if (known) continue;
    Poll& p = to.emplace_back();
    p.warp = context_.warp, p.lane = lane, p.inst = inst, p.address = a;
    p.bytes = std::min<uint32_t>(bytes, static_cast<uint32_t>(p.value.size()));
    p.looks_again = waits_->instruction[inst] & WaitPlan::kLooksAgain;
    std::memcpy(p.value.data(), host(context_, a), p.bytes);
  }
}

// Before an instruction runs: who writes where; of a CTA that goes in circles, where it looks.
void CtaRunner::note(const Inst& in, uint32_t inst, uint32_t active) {
  const uint8_t what = waits_->instruction[inst];
  if (active == 0) return;
  if (what & WaitPlan::kFence) {
    if (observer_) observer_->fence();
    return;
  }
  if (!(what & WaitPlan::kWrite) && !circle_.closed) return;
  uint64_t addresses[32];
  const uint32_t there = addresses_of(in, inst, active, addresses);
  const uint32_t bytes = state_.rows.rows[in.row]->bytes;
  if (circle_.closed) note_polls(circle_.polls, inst, there, addresses);
  if (!(what & WaitPlan::kWrite)) return;
  for (uint32_t m = there; m; m &= m - 1) {
    state_.writers->note(addresses[std::countr_zero(m)], bytes, number_in_grid());
  }
}

uint64_t CtaRunner::number_in_grid() const {
  const Dim3 &grid = state_.launch->grid, &at = context_.cta;
  return at.x + uint64_t{grid.x} * (at.y + uint64_t{grid.y} * at.z);
}

void CtaRunner::wake() {
  if (!waits_) return;
  for (Warp& warp : warps_) {
    warp.polls.clear();
    const bool slept = std::ranges::any_of(warp.splits, [](const Split& s) { return s.asleep; });
    if (!slept) continue;
    for (Split& s : warp.splits) {
      s.asleep = false;
      s.since = work_;
    }
  }
  passing_ = false;
}

bool CtaRunner::sleeps() const {
  return std::ranges::any_of(warps_, [](const Warp& warp) {
    return std::ranges::any_of(warp.splits, [](const Split& s) { return s.asleep; });
  });
}

// For a lock, say, that another lane of the warp holds.
bool CtaRunner::waits_for_itself() const {
  const uint64_t self = 1 + number_in_grid();
  return std::ranges::any_of(warps_, [&](const Warp& warp) {
    return std::ranges::any_of(warp.polls, [&](const Poll& p) {
      return (waits_->instruction[p.inst] & WaitPlan::kAtomic) &&
             state_.writers->at(p.address) == self;
    });
  });
}

bool CtaRunner::is_stirred() const {
  if (peer_.touched != seen_touched_) return true;
  return std::ranges::any_of(polls(), [&](const Poll& p) {
    return std::memcmp(p.value.data(), host(context_, p.address), p.bytes) != 0;
  });
}

std::vector<Poll> CtaRunner::polls() const {
  if (circle_.closed) return circle_.polls;
  std::vector<Poll> all;
  for (const Warp& warp : warps_) all.insert(all.end(), warp.polls.begin(), warp.polls.end());
  return all;
}

}  // namespace tilescope::emulator
