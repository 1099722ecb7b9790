#include "emulator/checks/check_flight.h"

#include <algorithm>
#include <bit>

namespace tilescope::emulator {

FlightChecker::FlightChecker(const RunState& state, const CheckPlan& plan, Findings& findings)
    : state_(state),
      plan_(plan),
      findings_(findings),
      committed_(state.warps),
      passed_(state.warps),
      flights_(size_t{plan.flying_count} * state.warps) {}

void FlightChecker::start(Dim3 cta) {
  cta_ = cta;
  std::ranges::fill(committed_, 0u);
  std::ranges::fill(passed_, 0u);
  std::ranges::fill(flights_, Flight{});
}

void FlightChecker::before(const Context& c, uint32_t inst, uint32_t active) {
  if (plan_.flying_count == 0 || active == 0) return;
  const uint16_t flags = plan_.flags[inst];
  if (flags & CheckPlan::kProduct) return note_product(c.warp, inst);
  if (flags & CheckPlan::kMove) return note_move(c.warp, inst);
  check(c, inst, active);
}

/// Another one of the same sums waits for those before it by itself.
void FlightChecker::note_product(uint32_t warp, uint32_t inst) {
  const Code& code = state_.entry->code;
  for (const bool writes : {false, true}) {  // sums are read, too
    for (uint32_t k = code.first_operand[inst]; k < code.first_operand[inst + 1]; ++k) {
      const uint32_t o = code.operands[k];
      if (o == kNoRegister || ((o & 1u) != 0) != writes) continue;
      if (Flight* f = flight(warp, o >> 1)) *f = {committed_[warp] + 1, inst, writes};
    }
  }
}

/// What is copied flies as what it was copied from: ptxas gives the two one register.
void FlightChecker::note_move(uint32_t warp, uint32_t inst) {
  const Code& code = state_.entry->code;
  Flight from;
  for (const bool writes : {false, true}) {
    for (uint32_t k = code.first_operand[inst]; k < code.first_operand[inst + 1]; ++k) {
      const uint32_t o = code.operands[k];
      if (o == kNoRegister || ((o & 1u) != 0) != writes) continue;
      Flight* f = flight(warp, o >> 1);
      if (!f) continue;
      if (writes) {
        *f = from;
      } else if (f->group > from.group) {
        from = *f;
      }
    }
  }
}

void FlightChecker::check(const Context& c, uint32_t inst, uint32_t active) {
  const Code& code = state_.entry->code;
  for (uint32_t k = code.first_operand[inst]; k < code.first_operand[inst + 1]; ++k) {
    const uint32_t o = code.operands[k];
    if (o == kNoRegister) continue;
    const bool writes = (o & 1u) != 0;
    Flight* f = flight(c.warp, o >> 1);
    if (!f || !is_up(c.warp, *f) || !(f->is_sum || writes)) continue;
    const auto lane = static_cast<uint32_t>(std::countr_zero(active));
    findings_.add(
        cta_, {Fault::Kind::product_pending, c.warp, lane, 0, inst, f->inst},
        [&] {
          return "the register " + code.registers[o >> 1].name + " is " +
                 (writes ? "written" : "read") + " while the wgmma" + line_words(state_, f->inst) +
                 (f->is_sum ? " still adds to it" : " still reads it") +
                 "; wait for its group first (wgmma.commit_group, wgmma.wait_group)";
        },
        static_cast<uint64_t>(std::popcount(active)));
    if (writes) *f = {};
  }
}

}  // namespace tilescope::emulator
