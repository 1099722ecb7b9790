#include "emulator/checks/check_plan.h"

#include <algorithm>
#include <string_view>

#include "emulator/compile/code.h"

namespace tilescope::emulator {
namespace {

bool has_part(std::string_view opcode, std::string_view part) {
  for (size_t at = opcode.find(part); at != opcode.npos; at = opcode.find(part, at + 1)) {
    const size_t end = at + part.size();
    if (end == opcode.size() || opcode[end] == '.') return true;
  }
  return false;
}

uint16_t flags_of(std::string_view opcode) {
  uint16_t flags = 0;
  if (opcode.starts_with("mov.")) flags |= CheckPlan::kMove;
  if (opcode.starts_with("prmt.")) flags |= CheckPlan::kPacks;
  if (opcode.starts_with("ld.param")) flags |= CheckPlan::kParameter;
  if (opcode.starts_with("mbarrier.")) flags |= CheckPlan::kBarrier;
  if (opcode.starts_with("mbarrier.init")) flags |= CheckPlan::kInit;
  if (opcode.starts_with("mbarrier.") && has_part(opcode, "_wait.parity")) {
    flags |= CheckPlan::kWaits;
  }
  for (std::string_view s : {"ldmatrix.", "stmatrix.", "wmma.load.", "wmma.store."}) {
    if (opcode.starts_with(s)) flags |= CheckPlan::kMeets;
  }
  if (opcode.starts_with("cp.async.mbarrier.arrive")) {
    flags |= CheckPlan::kBarrier | CheckPlan::kFinishes;
  }
  if (opcode.starts_with("wgmma.mma_async")) flags |= CheckPlan::kProduct | CheckPlan::kMeets;
  if (opcode.starts_with("st.async") || opcode.starts_with("red.async")) {
    return flags | CheckPlan::kAsync;
  }
  if (opcode.starts_with("atom.") || opcode.starts_with("red.")) flags |= CheckPlan::kSync;
  if (opcode.starts_with("mbarrier.") || opcode.starts_with("cp.async.mbarrier.")) {
    flags |= CheckPlan::kSync;
  }
  for (std::string_view part : {".volatile", ".relaxed", ".acquire", ".release", ".acq_rel"}) {
    if ((opcode.starts_with("ld.") || opcode.starts_with("st.")) && has_part(opcode, part)) {
      flags |= CheckPlan::kSync;
    }
  }
  return flags;
}

uint8_t order_of(std::string_view opcode) {
  uint8_t order = 0;
  const bool both = opcode.starts_with("atom.");
  if (both || opcode.starts_with("ld.")) order |= CheckPlan::kReads;
  if (both || opcode.starts_with("red.") || opcode.starts_with("st.")) order |= CheckPlan::kWrites;
  if (opcode.starts_with("cp.reduce.")) return CheckPlan::kWrites | CheckPlan::kUpdates;  // relaxed
  if (has_part(opcode, ".cta")) return order;  // others need not see it
  if (both || opcode.starts_with("red.")) order |= CheckPlan::kUpdates;
  if (both && has_part(opcode, ".cas")) order |= CheckPlan::kCompares;
  const bool full = has_part(opcode, ".acq_rel");
  if (full || has_part(opcode, ".acquire")) order |= CheckPlan::kAcquires;
  if (full || has_part(opcode, ".release")) order |= CheckPlan::kReleases;
  return order;
}

bool may_touch_shared(RowKind kind) {
  switch (kind) {
    case RowKind::load_shared:
    case RowKind::store_shared:
    case RowKind::load_generic:
    case RowKind::store_generic:
    case RowKind::atomic:
    case RowKind::copy:
      return true;
    default:
      return false;
  }
}

bool stores_to_shared(RowKind kind) {
  switch (kind) {
    case RowKind::store_shared:
    case RowKind::store_generic:
    case RowKind::copy:
      return true;
    default:
      return false;
  }
}

}  // namespace

CheckPlan::CheckPlan(const Code& code, const RowTable& rows) {
  const size_t n = code.instructions.size();
  std::vector<uint16_t> by_opcode;
  std::vector<uint8_t> order_by_opcode;
  for (const std::string& opcode : code.canonical) by_opcode.push_back(flags_of(opcode));
  for (const std::string& opcode : code.canonical) order_by_opcode.push_back(order_of(opcode));
  flags.resize(n);
  order.resize(n);
  for (size_t i = 0; i < n; ++i) {
    if (code.info[i].opcode != kSynthetic) flags[i] = by_opcode[code.info[i].opcode];
    if (code.info[i].opcode != kSynthetic) order[i] = order_by_opcode[code.info[i].opcode];
    const Row& row = *rows.rows[code.instructions[i].row];
    const bool bulk = row.kind == RowKind::bulk_load || row.kind == RowKind::bulk_store;
    // A group may be committed, or waited for, that is empty.
    has_products = has_products || (flags[i] & CheckPlan::kProduct) ||
                   row.kind == RowKind::warpgroup_commit || row.kind == RowKind::warpgroup_wait;
    copies_in_bulk = copies_in_bulk || bulk || (flags[i] & CheckPlan::kAsync);
    if (bulk) granule = 1;  // elements of ragged boxes
    stores_by_threads = stores_by_threads || stores_to_shared(row.kind);
    if (may_touch_shared(row.kind) && row.bytes) {
      granule = std::min<uint32_t>(granule, row.bytes);
    }
  }
  find_doubtful(code);
  find_flying(code);
  watch(code);
}

namespace {

/// Adds what moves (and what else has a flag of `copies`) copy from registers that have an index,
/// until nothing more is added.
void follow_moves(const Code& code, const std::vector<uint16_t>& flags,
                  std::vector<uint32_t>& index, uint32_t& count, uint16_t copies = 0) {
  for (bool changed = count > 0; changed;) {
    changed = false;
    for (size_t i = 0; i < code.instructions.size(); ++i) {
      if (!(flags[i] & (CheckPlan::kMove | copies))) continue;
      bool reads = false;
      for (uint32_t k = code.first_operand[i]; k < code.first_operand[i + 1]; ++k) {
        const uint32_t o = code.operands[k];
        reads = reads || (o != kNoRegister && !(o & 1u) && index[o >> 1] != kNoRegister);
      }
      if (!reads) continue;
      for (uint32_t k = code.first_operand[i]; k < code.first_operand[i + 1]; ++k) {
        const uint32_t o = code.operands[k];
        if (o == kNoRegister || !(o & 1u) || index[o >> 1] != kNoRegister) continue;
        index[o >> 1] = count++;
        changed = true;
      }
    }
  }
}

}  // namespace

void CheckPlan::find_doubtful(const Code& code) {
  doubtful.assign(code.registers.size(), kNoRegister);
  for (uint32_t r : code.read_unset) doubtful[r] = doubtful_count++;
  // What is copied may be unset as well.
  follow_moves(code, flags, doubtful, doubtful_count, kPacks);
}

void CheckPlan::find_flying(const Code& code) {
  flying.assign(code.registers.size(), kNoRegister);
  for (size_t i = 0; has_products && i < code.instructions.size(); ++i) {
    if (!(flags[i] & kProduct)) continue;
    for (uint32_t k = code.first_operand[i]; k < code.first_operand[i + 1]; ++k) {
      const uint32_t o = code.operands[k];
      // Descriptors have 64 bits and are read at once, as predicates are.
      if (o == kNoRegister || code.registers[o >> 1].bits > 32 ||
          code.registers[o >> 1].bits == 1) {
        continue;
      }
      if (flying[o >> 1] == kNoRegister) flying[o >> 1] = flying_count++;
    }
  }
  follow_moves(code, flags, flying, flying_count);
}

void CheckPlan::watch(const Code& code) {
  const size_t n = code.instructions.size();
  watched_instruction.assign(n, false);
  watched_block.assign(code.blocks.size(), false);
  if (doubtful_count == 0 && flying_count == 0) return;
  const auto watches = [&](uint32_t r) {
    return doubtful[r] != kNoRegister || flying[r] != kNoRegister;
  };
  for (size_t i = 0; i < n; ++i) {
    bool touches = code.guards[i] != kNoRegister && watches(code.guards[i]);
    for (uint32_t k = code.first_operand[i]; k < code.first_operand[i + 1]; ++k) {
      const uint32_t o = code.operands[k];
      touches = touches || (o != kNoRegister && watches(o >> 1));
    }
    watched_instruction[i] = touches;
  }
  for (size_t b = 0; b < code.blocks.size(); ++b) {
    const Block& block = code.blocks[b];
    for (uint32_t i = block.begin; i < block.end; ++i) {
      if (watched_instruction[i]) watched_block[b] = true;
    }
    if (block.end_inst != 0xffffffffu && watched_instruction[block.end_inst]) {
      watched_block[b] = true;
    }
  }
}

}  // namespace tilescope::emulator
