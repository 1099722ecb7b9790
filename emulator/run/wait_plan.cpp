#include "emulator/run/wait_plan.h"

#include <algorithm>

#include "emulator/compile/code.h"
#include "emulator/compile/row_index.h"

namespace tilescope::emulator {
namespace {

constexpr uint32_t kNoSlot = 0xffffffffu;

bool has_modifier(std::string_view opcode, std::string_view part) {
  for (size_t at = opcode.find(part); at != opcode.npos; at = opcode.find(part, at + 1)) {
    const size_t end = at + part.size();
    if (end == opcode.size() || opcode[end] == '.' || opcode[end] == ':') return true;
  }
  return false;
}

bool is_atomic(std::string_view op) { return op.starts_with("atom.") || op.starts_with("red."); }
bool in_other_memory(std::string_view op) {
  return has_modifier(op, ".shared") || has_modifier(op, ".local") || has_modifier(op, ".param") ||
         has_modifier(op, ".const");
}
bool is_fence(std::string_view op) {  // of the whole GPU
  return (op.starts_with("membar.") || op.starts_with("fence.")) &&
         (has_modifier(op, ".gl") || has_modifier(op, ".gpu") || has_modifier(op, ".sys"));
}
bool is_strong(std::string_view op) {
  for (std::string_view part : {".volatile", ".relaxed", ".acquire", ".release", ".cv", ".mmio"}) {
    if (has_modifier(op, part)) return true;
  }
  return false;
}
// Sums of reals depend on the order of the CTAs, and so does what is left by an exchange.
bool order_matters(std::string_view op) {
  for (std::string_view part : {".exch", ".cas", ".inc", ".dec"}) {
    if (has_modifier(op, part)) return true;
  }
  return has_modifier(op, ".add") && (op.find(".f") != op.npos || op.find(".bf") != op.npos);
}

class Finder {
 public:
  Finder(const Code& code, const RowTable& rows, WaitPlan& plan)
      : code_(code), rows_(rows), plan_(plan) {}

  bool talks() const {
    bool atomics = false;
    for (const std::string& op : code_.canonical) {
      if (is_fence(op)) return true;
      if (in_other_memory(op)) continue;
      if (op.starts_with("ld.") && is_strong(op)) return true;
      if (is_atomic(op) && (is_strong(op) || order_matters(op))) return true;
      atomics = atomics || op.starts_with("atom.");
    }
    return atomics && uses_results();
  }

  void fill() {
    plan_.instruction.assign(code_.instructions.size(), 0);
    plan_.address.assign(code_.instructions.size(), kNoSlot);
    plan_.block.assign(code_.blocks.size(), 0);
    plan_.loop_of.assign(code_.blocks.size(), 0);
    for (uint32_t b = 0; b < code_.blocks.size(); ++b) look_at(b);
    find_loops();
  }

 private:
  std::string_view opcode(uint32_t i) const {
    const uint32_t o = code_.info[i].opcode;
    return o == kSynthetic ? std::string_view() : code_.canonical[o];
  }

  /// Of atomics: else the order of the CTAs shows nowhere.
  bool uses_results() const {
    std::vector<bool> is_read(code_.registers.size(), false);
    for (uint32_t o : code_.operands) {
      if (o != kNoRegister && !(o & 1u)) is_read[o >> 1] = true;
    }
    for (uint32_t i = 0; i < code_.instructions.size(); ++i) {
      const std::string_view op = opcode(i);
      if (!is_atomic(op) || in_other_memory(op)) continue;
      for (uint32_t k = code_.first_operand[i]; k < code_.first_operand[i + 1]; ++k) {
        const uint32_t o = code_.operands[k];
        if (o != kNoRegister && (o & 1u) && is_read[o >> 1]) return true;
      }
    }
    return false;
  }

  void look_at(uint32_t b) {
    const Block& block = code_.blocks[b];
    uint8_t& flags = plan_.block[b];
    for (uint32_t i = block.begin; i < block.end; ++i) {
      const std::string_view op = opcode(i);
      const Row& row = *rows_.rows[code_.instructions[i].row];
      uint32_t slot = 0;
      for (const OperandPattern& p : RowIndex::get().operands(code_.instructions[i].row)) {
        if (p.letter == 'A' && plan_.address[i] == kNoSlot) plan_.address[i] = slot;
        slot += p.slots();
      }
      uint8_t& what = plan_.instruction[i];
      const bool has_address = plan_.address[i] != kNoSlot;
      if ((row.kind == RowKind::load_global || row.kind == RowKind::load_generic) && has_address &&
          op.starts_with("ld.") && !has_modifier(op, ".nc")) {
        what |= WaitPlan::kRead;
        if (is_strong(op)) what |= WaitPlan::kLooksAgain;
      } else if (row.kind == RowKind::atomic && !in_other_memory(op)) {
        what |= WaitPlan::kAtomic | WaitPlan::kWrite | WaitPlan::kRead | WaitPlan::kLooksAgain;
      } else if (row.kind == RowKind::bulk_store) {
        what |= WaitPlan::kWrite;
        flags |= WaitPlan::kEffect;
      } else if (row.kind == RowKind::store_global || row.kind == RowKind::store_generic) {
        if (op.starts_with("st.")) what |= WaitPlan::kWrite;
        flags |= WaitPlan::kEffect;
      } else if (row.kind == RowKind::store_shared || row.kind == RowKind::copy ||
                 row.kind == RowKind::wait || row.kind == RowKind::atomic ||
                 row.pattern[0] == '$') {
        flags |= WaitPlan::kEffect;
      } else {
        for (std::string_view s : {"stmatrix", "wmma.store", "mbarrier.", "cp.", "red.", "atom."}) {
          if (op.starts_with(s)) flags |= WaitPlan::kEffect;
        }
      }
      if (is_fence(op)) what |= WaitPlan::kFence, flags |= WaitPlan::kFences;
      if (what & WaitPlan::kRead) flags |= WaitPlan::kReads | WaitPlan::kCareful;
      if (what & WaitPlan::kAtomic) flags |= WaitPlan::kCareful;
      if (what & WaitPlan::kWrite) flags |= WaitPlan::kWrites;
    }
    switch (block.kind) {
      case BlockEnd::next:
      case BlockEnd::branch:
      case BlockEnd::yield:
        break;
      default:
        flags |= WaitPlan::kEffect;
    }
  }

  // Natural loops: an edge back to a block of no higher rank, and all that reaches its source
  // without passing that block.
  void find_loops() {
    std::vector<std::vector<uint32_t>> before(code_.blocks.size());
    std::vector<std::vector<uint32_t>> ends(code_.blocks.size());  // by header
    for (uint32_t b = 0; b < code_.blocks.size(); ++b) {
      const auto edge = [&](uint32_t to) {
        before[to].push_back(b);
        if (code_.blocks[to].rank <= code_.blocks[b].rank) ends[to].push_back(b);
      };
      const Block& block = code_.blocks[b];
      if (block.kind == BlockEnd::branch) edge(block.target);
      if (block.kind != BlockEnd::branch || block.guard) {
        if (block.kind != BlockEnd::leave || block.guard) edge(block.next);
      }
    }
    for (uint32_t header = 0; header < ends.size(); ++header) {
      if (ends[header].empty()) continue;
      WaitPlan::Loop loop;
      loop.has.assign(code_.blocks.size(), false);
      loop.has[header] = true;
      std::vector<uint32_t> todo = ends[header];
      bool reads = false;
      const auto take = [&](uint32_t b) {
        const Block& block = code_.blocks[b];
        reads = reads || (plan_.block[b] & WaitPlan::kReads);
        loop.sleeps = loop.sleeps || (block.kind == BlockEnd::yield && block.end_inst != kNone);
        for (uint32_t i = block.begin; i < block.end; ++i) {
          if (plan_.instruction[i] & WaitPlan::kLooksAgain) loop.looks_again = true;
        }
      };
      take(header);
      while (!todo.empty()) {
        const uint32_t b = todo.back();
        todo.pop_back();
        if (loop.has[b]) continue;
        loop.has[b] = true;
        take(b);
        todo.insert(todo.end(), before[b].begin(), before[b].end());
      }
      if (!reads) continue;
      loop.looks_again = loop.looks_again || loop.sleeps;
      plan_.block[header] |= WaitPlan::kHeader;
      plan_.loop_of[header] = static_cast<uint32_t>(plan_.loops.size());
      plan_.loops.push_back(std::move(loop));
    }
  }

  static constexpr uint32_t kNone = 0xffffffffu;
  const Code& code_;
  const RowTable& rows_;
  WaitPlan& plan_;
};

}  // namespace

WaitPlan::WaitPlan(const Code& code, const RowTable& rows) {
  Finder finder(code, rows, *this);
  talks = finder.talks();
  if (talks) finder.fill();
}

}  // namespace tilescope::emulator
