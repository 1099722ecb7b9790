#include "emulator/provenance/track_plan.h"

#include <string>

#include "emulator/compile/row_index.h"

namespace tilescope::emulator {
namespace {

bool has(std::string_view opcode, std::string_view part) {
  return opcode.find(part) != opcode.npos;
}

Pass pass_of(std::string_view op, const Row& row, bool has_address) {
  const auto starts = [&](std::string_view s) { return op.starts_with(s); };
  if (row.kind == RowKind::copy) return Pass::copy;
  if (starts("ldmatrix")) return Pass::load_matrix;
  if (starts("stmatrix")) return Pass::store_matrix;
  if (starts("movmatrix")) return Pass::move_matrix;
  if (starts("wmma.load")) return Pass::load_fragment;
  if (starts("wmma.store")) return Pass::store_fragment;
  if (starts("wgmma")) return Pass::warpgroup_product;
  if (row.kind == RowKind::mma || row.kind == RowKind::warpgroup_product)
    return Pass::matrix_product;
  if (row.kind == RowKind::atomic) return Pass::atomic;
  if (starts("ld.") && has_address) return Pass::load;
  if (starts("st.") && has_address) return Pass::store;
  if (starts("mov.") || starts("ld.param")) return Pass::move;
  if (starts("cvt.")) {
    return has(op, "16x2.") && !has(op, "16x2.e") ? Pass::convert_two : Pass::convert;
  }
  if (starts("selp.")) return Pass::choose;
  if (starts("shfl.")) return Pass::shuffle;
  if (starts("prmt.b32")) return Pass::permute;
  const bool pairs = has(op, "f16x2") || has(op, "f32x2");
  if (starts("fma.") || starts("mad.") || starts("dp4a.")) {
    return pairs ? Pass::product_pairs : Pass::product;
  }
  if (pairs) return Pass::expression_pairs;
  if (starts("add.")) return Pass::sum;
  if (starts("mul.")) return Pass::factor;
  for (std::string_view s : {"shl.", "shr.", "and.", "or.", "xor."}) {
    if (starts(s)) return Pass::bits;
  }
  return Pass::expression;
}

std::vector<uint16_t> direct_runs(const Code& code, const std::vector<Step>& steps) {
  std::vector<uint16_t> runs(code.instructions.size(), 0);
  for (const Block& block : code.blocks) {
    uint16_t run = 0;
    for (uint32_t i = block.end; i-- > block.begin;) {
      const bool counts = steps[i].direct && code.instructions[i].guard == 0 && run < 0xffff;
      run = counts ? static_cast<uint16_t>(run + 1) : uint16_t{0};
      runs[i] = run;
    }
  }
  return runs;
}

}  // namespace

TrackPlan::TrackPlan(const Code& code, const RowTable& rows) {
  const uint32_t n = static_cast<uint32_t>(code.instructions.size());
  steps.resize(n);
  std::vector<bool> data(code.registers.size(), false);
  std::vector<uint32_t> address(n, kNoRegister);  // slot that is an address, and the one behind
  for (uint32_t i = 0; i < n; ++i) {
    Step& s = steps[i];
    if (code.info[i].opcode == kSynthetic) continue;
    const Inst& in = code.instructions[i];
    const Row& row = *rows.rows[in.row];
    const std::string_view op = code.canonical[code.info[i].opcode];
    if (!row.full) continue;  // ends a block
    uint32_t slot = 0;
    for (const OperandPattern& p : RowIndex::get().operands(in.row)) {
      if (p.letter == 'A' && address[i] == kNoRegister) address[i] = slot;
      slot += p.slots();
    }
    s.operands = static_cast<uint8_t>(code.first_operand[i + 1] - code.first_operand[i]);
    for (uint32_t k = 0; k < s.operands; ++k) {
      const uint32_t o = code.operands[code.first_operand[i] + k];
      if (o != kNoRegister && (o & 1u)) s.results = static_cast<uint8_t>(k + 1);
    }
    // Their last operand is the mbarrier that they tell.
    if (op.starts_with("st.async") || op.starts_with("red.async")) --s.operands;
    s.pass = pass_of(op, row, address[i] != kNoRegister);
    s.transposed = has(op, ".trans") || row.turned;
    s.element_bytes = op.ends_with(".f16") ? 2 : op.ends_with(".f64") ? 8 : 4;
    if (s.pass == Pass::matrix_product) {
      ProductShape shape;
      if (find_product_shape(code, i, op, in.row, shape)) {
        s.shape = static_cast<uint32_t>(shapes.size());
        shapes.push_back(shape);
      } else {
        s.pass = Pass::expression;
      }
    }
  }
  const auto starts_data = [](Pass p) {
    return p == Pass::load || p == Pass::load_matrix || p == Pass::load_fragment ||
           p == Pass::atomic || p == Pass::warpgroup_product;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < n; ++i) {
      const Step& s = steps[i];
      if (s.pass == Pass::nothing || s.results == 0) continue;
      bool reads = starts_data(s.pass);
      for (uint32_t k = 0; k < s.operands && !reads; ++k) {
        const uint32_t o = code.operands[code.first_operand[i] + k];
        reads = o != kNoRegister && !(o & 1u) && k != address[i] && data[o >> 1];
      }
      if (!reads) continue;
      for (uint32_t k = 0; k < s.results; ++k) {
        const uint32_t o = code.operands[code.first_operand[i] + k];
        if (o == kNoRegister || !(o & 1u) || code.registers[o >> 1].bits == 1 || data[o >> 1]) {
          continue;
        }
        data[o >> 1] = changed = true;
      }
    }
  }
  place.assign(code.registers.size(), kUntracked);
  halves.assign(code.registers.size(), 0);
  number.assign(code.registers.size(), 0);
  for (size_t r = 0; r < code.registers.size(); ++r) {
    const uint32_t bits = code.registers[r].bits;
    halves[r] = static_cast<uint8_t>(bits == 1 ? 0 : bits / 16);
    if (!data[r]) continue;
    number[r] = tracked++;
    place[r] = words;
    words += (halves[r] + 1u) * 32;  // and the route
  }
  for (uint32_t i = 0; i < n; ++i) {  // what touches no data needs no look
    Step& s = steps[i];
    if (s.pass == Pass::nothing || s.pass == Pass::copy || s.pass == Pass::store ||
        s.pass == Pass::store_matrix || s.pass == Pass::store_fragment || s.pass == Pass::atomic) {
      continue;
    }
    bool reads = starts_data(s.pass), writes = false;
    for (uint32_t k = 0; k < s.operands; ++k) {
      const uint32_t o = code.operands[code.first_operand[i] + k];
      if (o == kNoRegister || !data[o >> 1]) continue;
      (o & 1u ? writes : reads) = true;
    }
    if (!writes) s.pass = Pass::nothing;
    if (writes && !reads) s.pass = Pass::clear;
    if (s.pass != Pass::product || s.operands != 4 || s.results != 1) continue;
    s.direct = true;
    for (uint32_t k = 0; k < 4; ++k) {
      const uint32_t o = code.operands[code.first_operand[i] + k];
      s.direct = s.direct && o != kNoRegister && place[o >> 1] != kUntracked && halves[o >> 1] == 2;
      if (s.direct) s.at[k] = place[o >> 1], s.whole[k] = number[o >> 1];
    }
  }
  direct_run = direct_runs(code, steps);
}

}  // namespace tilescope::emulator
