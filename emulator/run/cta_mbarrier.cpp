// Warps that ask mbarriers in vain. Where no CTA waits for another, only warps of this CTA could
// change one: if all that are left ask, and nothing else runs for very long, they ask for ever.
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "emulator/machine/mbarrier.h"
#include "emulator/run/cta.h"

namespace tilescope::emulator {
namespace {

// Longer than lanes of a warp may be passed over (kPatience), and than loops that ask so often and
// then do something else.
constexpr uint32_t kRoundsInVain = 1u << 17;

}  // namespace

void CtaRunner::note_poll(Warp& warp, const Block& block, uint32_t lanes) {
  const Inst& in = code_.instructions[block.end - 1];
  warp.in_vain = (context_.predicates[in.r[0]] & lanes) == 0;
  warp.poll = block.end - 1;
  warp.poll_lanes = lanes;
  if (warp.in_vain) return;
  // A phase that has ended divides a warp's time as a barrier does.
  if (traced_ && observer_->begin_event(context_, in, lanes, warp.epoch, warp.steps - 1)) {
    observer_->end_event(context_);
    observer_->show_event();
  }
  ++warp.epoch;
  warp.epoch_steps = warp.steps;
}

void CtaRunner::count_rounds(bool in_vain) {
  rounds_in_vain_ = in_vain ? rounds_in_vain_ + 1 : 0;
  if (rounds_in_vain_ > kRoundsInVain) mbarrier_deadlock();
}

void CtaRunner::mbarrier_deadlock() {
  const Waiting asked = asked_mbarriers();
  deadlock_ = asked.words + "; no warp does anything else that could bring them";
  current_ = asked.warp;
  raise(code_.instructions[asked.inst], Fault::Kind::deadlock, asked.lane, asked.address,
        deadlock_.c_str());
}

// Who waits for which mbarrier, and what it lacks.
CtaRunner::Waiting CtaRunner::asked_mbarriers() {
  std::map<std::pair<uint64_t, uint32_t>, std::vector<uint32_t>> asking;  // (address, instruction)
  for (uint32_t w = 0; w < warps_.size(); ++w) {
    const Warp& warp = warps_[w];
    if (warp.alive == 0 || !warp.in_vain) continue;
    if (std::ranges::all_of(warp.splits, [](const Split& s) { return s.parked; })) continue;
    const Inst& in = code_.instructions[warp.poll];
    const auto lane = static_cast<size_t>(std::countr_zero(warp.poll_lanes));
    const std::byte* slot = warp.registers + (in.r[1] & ~kNarrowBase);
    uint64_t address = 0;
    const size_t bytes = in.r[1] & kNarrowBase ? 4 : 8;
    std::memcpy(&address, slot + lane * bytes, bytes);
    address += static_cast<uint64_t>(int64_t{in.imm});
    if (bytes == 4) address &= 0xffffffffu;
    if ((address & kWindowMask) == kSharedWindow) address -= kSharedWindow;
    if (address >> kRankShift) address &= kClusterOffset;
    asking[{address, warp.poll}].push_back(w);
  }
  Waiting waiting;
  for (const auto& [place, warps] : asking) {
    const auto [address, inst] = place;
    uint64_t bits = 0;
    if (address + 8 <= state_.shared_bytes) std::memcpy(&bits, context_.shared + address, 8);
    const BarrierObject o = BarrierObject::of(bits);
    if (waiting.words.empty()) {
      waiting.warp = warps.front(), waiting.inst = inst, waiting.address = address;
      waiting.lane = static_cast<uint32_t>(std::countr_zero(warps_[warps.front()].poll_lanes));
    }
    waiting.words += (waiting.words.empty() ? "" : "; ") + warp_names(warps) +
                     (warps.size() == 1 ? " asks" : " ask") + line_words(state_, inst) +
                     " for the mbarrier at " + hex(address) + ", to which " +
                     std::to_string(o.pending) + " of " + std::to_string(o.expected) +
                     " arrivals and " + std::to_string(o.bytes) + " bytes have yet to come";
  }
  return waiting;
}

}  // namespace tilescope::emulator
