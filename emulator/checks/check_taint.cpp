#include "emulator/checks/check_taint.h"

#include <algorithm>
#include <bit>

namespace tilescope::emulator {

TaintChecker::TaintChecker(const RunState& state, const CheckPlan& plan, Findings& findings)
    : state_(state), plan_(plan), findings_(findings), held_(state.warps) {}

void TaintChecker::start(Dim3 cta) {
  cta_ = cta;
  fresh_.clear();
  for (auto& held : held_) held.clear();
}

void TaintChecker::report(uint32_t warp, const Taint& t, uint32_t use, uint32_t lane) {
  findings_.add(cta_, {Fault::Kind::unwritten, warp, t.lane, t.address, t.inst, use}, [&] {
    return "a read of shared memory at " + hex(t.address) + ", which this CTA has not written" +
           (use == kNoInst ? std::string()
                           : " but uses in lane " + std::to_string(lane) + line_words(state_, use));
  });
}

void TaintChecker::read_unwritten(const Context& c, uint32_t inst, uint32_t lane, uint64_t address,
                                  uint64_t offset, int bytes) {
  const Code& code = state_.entry->code;
  const std::string_view opcode = code.canonical[code.info[inst].opcode];
  const uint32_t* operands = code.operands.data() + code.first_operand[inst];
  const uint32_t count = code.first_operand[inst + 1] - code.first_operand[inst];
  uint32_t k = 0, lanes = 1u << lane;
  if (opcode.starts_with("ldmatrix")) {
    k = lane / 8;  // a row of matrix k: four lanes, or a half in every fourth one
    const uint32_t row = lane % 8;
    lanes = opcode.find(".trans") == opcode.npos ? 15u << (4 * row) : 0x11111111u << (row / 2);
  } else if (opcode.starts_with("ld.") && count > 1) {
    k = static_cast<uint32_t>(offset /
                              std::max<uint64_t>(static_cast<uint64_t>(bytes) / (count - 1), 1));
  } else {
    return report(c.warp, {0, lanes, inst, lane, address}, kNoInst, lane);
  }
  if (k >= count || operands[k] == kNoRegister || !(operands[k] & 1u)) return;
  const uint32_t reg = operands[k] >> 1;
  if (!fresh_.empty() && fresh_.back().reg == reg && fresh_.back().inst == inst) {
    fresh_.back().lanes |= lanes;
  } else {
    fresh_.push_back({reg, lanes, inst, lane, address});
  }
}

// The block's instructions in order, as they ran: what was loaded counts from its load on.
void TaintChecker::scan(const Context& c, const Block& block) {
  std::vector<Taint>& held = held_[c.warp];
  std::vector<Taint> fresh = std::move(fresh_);
  fresh_.clear();
  const uint32_t end = block.end_inst == kNoInst ? block.end : block.end_inst + 1;
  for (uint32_t i = block.begin; i < end; ++i) {
    const Inst& in = c.code[i];
    uint32_t active = c.mask;
    if (in.guard) {
      const uint32_t p = c.predicates[(in.guard >> 1) - 1];
      active &= in.guard & 1u ? ~p : p;
    }
    pass(c, i, active, held);
    for (const Taint& t : fresh) {
      if (t.inst == i) held.push_back(t);
    }
  }
}

void TaintChecker::pass(const Context& c, uint32_t inst, uint32_t active,
                        std::vector<Taint>& held) {
  if (held.empty() || active == 0) return;
  const Code& code = state_.entry->code;
  const bool moves = plan_.flags[inst] & CheckPlan::kMove;
  std::vector<Taint> moved;
  const uint32_t first = code.first_operand[inst], end = code.first_operand[inst + 1];
  for (uint32_t k = first; k < end; ++k) {
    const uint32_t o = code.operands[k];
    if (o == kNoRegister || (o & 1u)) continue;
    for (Taint& t : held) {
      const uint32_t lanes = t.lanes & active;
      if (t.reg != o >> 1 || lanes == 0) continue;
      if (moves) {
        moved.push_back({0, lanes, t.inst, t.lane, t.address});
      } else {
        report(c.warp, t, inst, static_cast<uint32_t>(std::countr_zero(lanes)));
        t.lanes = 0;  // once is enough
      }
    }
  }
  for (uint32_t k = first; k < end; ++k) {
    const uint32_t o = code.operands[k];
    if (o == kNoRegister || !(o & 1u)) continue;
    for (Taint& t : held) {
      if (t.reg == o >> 1) t.lanes &= ~active;
    }
  }
  for (uint32_t k = first; k < end; ++k) {
    const uint32_t o = code.operands[k];
    if (o == kNoRegister || !(o & 1u)) continue;
    for (Taint t : moved) {
      t.reg = o >> 1;
      held.push_back(t);
    }
  }
  std::erase_if(held, [](const Taint& t) { return t.lanes == 0; });
}

}  // namespace tilescope::emulator
