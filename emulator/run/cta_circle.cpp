// CTAs that wait in a loop with a barrier: no warp sleeps there, but the CTA as a whole comes back
// to where it was.
#include <bit>
#include <cstring>

#include "emulator/run/cta.h"

namespace tilescope::emulator {
namespace {

constexpr uint32_t kPassesKept = 8;  // of a state that it came back to once

}  // namespace

// Before a round: what a CTA in circles counts from here on is forgotten again if nothing comes of
// it.
void CtaRunner::resume() {
  moved_ = tired_ = false;
  if (!circle_.closed) return;
  circle_.passes = 0;
  circle_.polls.clear();
  counters_->keep(circle_.figures);
}

// All that decides how the CTA goes on, but for global memory; until `visit` says false.
template <class F>
bool CtaRunner::visit_state(F visit) {
  for (Warp& warp : warps_) {
    const uint32_t head[] = {warp.alive, static_cast<uint32_t>(warp.splits.size()),
                             warp.cluster_arrived, warp.cluster_waits};
    if (!visit(head, sizeof head) || !visit(warp.groups, sizeof warp.groups)) return false;
    for (const Split& s : warp.splits) {
      const uint32_t place[] = {s.block, s.mask, s.barrier, s.parked ? 1u : 0u,
                                s.waiting ? 1u : 0u};
      if (!visit(place, sizeof place)) return false;
    }
    for (const auto& calls : warp.calls) {
      if (!visit(calls.data(), calls.size() * sizeof calls[0])) return false;
    }
  }
  for (const Barrier& b : barriers_) {
    const uint32_t counts[] = {b.expected, b.yes, b.votes, b.used ? 1u : 0u};
    if (!visit(counts, sizeof counts) || !visit(b.arrived.data(), b.arrived.size() * 4)) {
      return false;
    }
  }
  const size_t warps = warps_.size();
  return visit(predicates_.data(), predicates_.size() * 4) &&
         visit(registers_.get(), size_t{code_.frame_bytes} * warps) &&
         visit(shared_.get(), state_.shared_bytes) &&
         visit(local_.get(), size_t{code_.local_bytes} * 32 * warps);
}

// A loop with a barrier in it: warps that do not sleep, but a CTA that is where it was. Its state
// is kept after 1, 2, 4, … passes over the warps without a store, and compared with after each
// other.
bool CtaRunner::goes_in_circles() {
  if (wrote_) {
    wrote_ = false;
    circle_.passes = 0;
    circle_.closed = false;
    return false;
  }
  if (circle_.closed ? circle_.passes < kPassesKept : !std::has_single_bit(circle_.passes + 1)) {
    ++circle_.passes;
    size_t at = 0;
    const bool same = visit_state([&](const void* data, size_t bytes) {
      const bool fits = at + bytes <= circle_.state.size() &&
                        (bytes == 0 || std::memcmp(circle_.state.data() + at, data, bytes) == 0);
      at += bytes;
      return fits;
    });
    if (!same || at != circle_.state.size()) return false;
    moved_ = !circle_.closed;
    counters_->polls += 1;
    const uint64_t before = counters_->warp_instructions(code_);
    counters_->go_back(circle_.figures);
    counters_->poll_instructions += before - counters_->warp_instructions(code_);
    if (!observer_) {
      for (size_t w = 0; w < warps_.size(); ++w) {
        warps_[w].steps = circle_.steps[w];
        warps_[w].epoch = circle_.epochs[w];
      }
    }
    circle_.closed = true;
    circle_.passes = 0;
    return true;
  }
  if (circle_.closed) circle_.passes = 0;
  circle_.closed = false;
  ++circle_.passes;
  circle_.state.clear();
  visit_state([&](const void* data, size_t bytes) {
    const auto* from = static_cast<const std::byte*>(data);
    circle_.state.insert(circle_.state.end(), from, from + bytes);
    return true;
  });
  counters_->keep(circle_.figures);
  circle_.steps.clear();
  circle_.epochs.clear();
  for (const Warp& warp : warps_) {
    circle_.steps.push_back(warp.steps);
    circle_.epochs.push_back(warp.epoch);
  }
  return false;
}

}  // namespace tilescope::emulator
