// Barriers count arrivals, not places: parts of a CTA may meet at different instructions.
#include <bit>
#include <map>

#include "emulator/run/cta.h"

namespace tilescope::emulator {
namespace {

constexpr uint32_t kBarriers = 16;

bool is_reduction(RowKind kind) {
  return kind == RowKind::barrier_and || kind == RowKind::barrier_or ||
         kind == RowKind::barrier_popc;
}

}  // namespace

void CtaRunner::arrive(Warp& warp, const Block& block, Split split, uint32_t mask) {
  const Inst& in = code_.instructions[block.end_inst];
  const Row& row = *state_.rows.rows[in.row];
  const uint32_t lane = static_cast<uint32_t>(std::countr_zero(mask));
  const bool reduction = is_reduction(row.kind);
  const bool recorded =
      traced_ && observer_->begin_event(context_, in, mask, warp.epoch, warp.steps - 1);
  if (recorded) {
    observer_->end_event(context_);
    observer_->show_event();
  }
  auto read = [&](uint32_t slot) {
    return reinterpret_cast<const uint32_t*>(warp.registers + slot)[lane];
  };
  const uint32_t id = read(in.r[reduction ? 1 : 0]);
  if (id >= kBarriers) {
    raise(in, Fault::Kind::unsupported, lane, id, "a barrier's number must be below 16");
  }
  Barrier& barrier = barriers_[id];
  uint32_t expected = 0xffffffffu;
  if (!reduction) {
    expected = read(in.r[1]);
  } else if (std::char_traits<char>::length(row.operands) == 4) {
    expected = read(in.r[2]);
  }
  if (expected != 0xffffffffu && expected == state_.warps * 32) expected = 0xffffffffu;
  if (!barrier.used || expected != 0xffffffffu) barrier.expected = expected;
  barrier.used = true;
  barrier.arrived[current_] |= mask;
  if (observer_) observer_->arrive(current_, id);
  if (reduction) {
    const uint32_t p = context_.predicates[in.r[std::char_traits<char>::length(row.operands) - 1]];
    barrier.yes += static_cast<uint32_t>(std::popcount(p & mask));
    barrier.votes += static_cast<uint32_t>(std::popcount(mask));
  }
  split.mask = mask;
  if (row.kind == RowKind::barrier_arrive) {
    split.block = block.next;
    warp.splits.push_back(split);
  } else {
    split.parked = true;
    split.barrier = id;
    warp.splits.push_back(split);
    end_turn_ = true;  // even if this arrival completes it: warps go on in order
    for (const Split& s : warp.splits) end_turn_ = end_turn_ && s.parked;
  }
  if (is_complete(barrier)) release(id);
}

bool CtaRunner::is_complete(const Barrier& barrier) const {
  uint64_t threads = 0;
  bool all = true;
  for (size_t w = 0; w < warps_.size(); ++w) {
    const uint32_t arrived = barrier.arrived[w], alive = warps_[w].alive;
    const bool whole = (alive & ~arrived) == 0;
    all = all && whole;
    // A warp counts as a whole, also where it has fewer threads or some have left.
    threads += arrived == 0 ? 0u : whole ? 32u : static_cast<uint32_t>(std::popcount(arrived));
  }
  return barrier.expected == 0xffffffffu ? all : threads >= barrier.expected;
}

void CtaRunner::check_barriers() {
  for (uint32_t id = 0; id < kBarriers; ++id) {
    if (barriers_[id].used && is_complete(barriers_[id])) release(id);
  }
}

void CtaRunner::release(uint32_t id) {
  Barrier& barrier = barriers_[id];
  for (Warp& warp : warps_) {
    bool passed = false;
    for (Split& s : warp.splits) {
      if (!s.parked || s.barrier != id) continue;
      const Block& block = code_.blocks[s.block];
      const Inst& in = code_.instructions[block.end_inst];
      const RowKind kind = state_.rows.rows[in.row]->kind;
      if (kind == RowKind::barrier_popc) {
        uint32_t* d = reinterpret_cast<uint32_t*>(warp.registers + in.r[0]);
        for (uint32_t i = 0; i < 32; ++i) {
          if ((s.mask >> i) & 1u) d[i] = barrier.yes;
        }
      } else if (is_reduction(kind)) {
        const bool result =
            kind == RowKind::barrier_or ? barrier.yes > 0 : barrier.yes == barrier.votes;
        uint32_t& d = warp.predicates[in.r[0]];
        d = (d & ~s.mask) | (result ? s.mask : 0u);
      }
      s.parked = false;
      s.block = block.next;
      s.since = work_;
      passed = true;
    }
    if (!passed) continue;
    ++warp.epoch;
    warp.epoch_steps = warp.steps;
    if (observer_) observer_->pass(static_cast<uint32_t>(&warp - warps_.data()), id);
  }
  if (observer_) observer_->complete(id);
  ++counters_->barriers;
  for (uint32_t& lanes : barrier.arrived) lanes = 0;
  barrier.yes = barrier.votes = 0;
  barrier.used = false;
  barrier.expected = 0xffffffffu;
}

void CtaRunner::deadlock() {
  const Waiting waiting = at_barriers();
  deadlock_ = waiting.words + "; let all that are counted reach one barrier";
  if (waiting.inst == kNoInst) {
    throw FaultSignal{Fault::Kind::deadlock, 0, 0, nullptr, "no warp can go on", ""};
  }
  current_ = waiting.warp;
  raise(code_.instructions[waiting.inst], Fault::Kind::deadlock, waiting.lane, waiting.address,
        deadlock_.c_str());
}

// Who waits where, and who has left: all of it is needed to see the cure.
CtaRunner::Waiting CtaRunner::at_barriers() {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> waiting;  // (barrier, instruction)
  std::vector<uint32_t> left;
  Waiting all;
  for (uint32_t w = 0; w < warps_.size(); ++w) {
    if (warps_[w].alive == 0) left.push_back(w);
    for (const Split& s : warps_[w].splits) {
      if (!s.parked) continue;
      const uint32_t inst = code_.blocks[s.block].end_inst;
      auto& warps = waiting[{s.barrier, inst}];
      if (warps.empty() || warps.back() != w) warps.push_back(w);
      if (all.inst != kNoInst) continue;
      all.warp = w, all.lane = static_cast<uint32_t>(std::countr_zero(s.mask)), all.inst = inst;
      all.address = s.barrier < kBarriers ? s.barrier : 0;
    }
  }
  for (const auto& [place, warps] : waiting) {
    all.words += (all.words.empty() ? "" : "; ") + warp_names(warps) +
                 (warps.size() == 1 ? " waits" : " wait");
    const std::string line = line_words(state_, place.second);
    if (place.first == kWarpgroup) {
      all.words += line + " for the other warps of the warpgroup to commit as many groups of wgmma";
      continue;
    }
    if (place.first == kClusterBarrier) {
      all.words += " at the cluster's barrier" + line + ", to which ";
      std::string missing;
      for (uint32_t r = 0; r < cluster_->ctas(); ++r) {
        const CtaRunner* member = cluster_->member(r);
        const std::string of = member ? member->missing_in_cluster() : std::string();
        if (!of.empty()) missing += (missing.empty() ? "" : " and ") + of;
      }
      all.words += (missing.empty() ? std::string("nobody") : missing) + " have yet to come";
      continue;
    }
    const Barrier& barrier = barriers_[place.first];
    uint32_t arrived = 0;
    for (uint32_t lanes : barrier.arrived) arrived += static_cast<uint32_t>(std::popcount(lanes));
    all.words +=
        " at barrier " + std::to_string(place.first) + line + ", where " + std::to_string(arrived) +
        " of " +
        std::to_string(barrier.expected == 0xffffffffu ? state_.threads : barrier.expected) +
        " threads have arrived";
  }
  if (!left.empty()) {
    all.words += "; " + warp_names(left) + (left.size() == 1 ? " has" : " have") + " left";
  }
  return all;
}

}  // namespace tilescope::emulator
