#include "emulator/step/live_registers.h"

#include <algorithm>
#include <numeric>

namespace tilescope::emulator {
namespace {

constexpr uint64_t kMostBits = 1ull << 28;
constexpr uint32_t kNoEnd = 0xffffffffu;

}  // namespace

template <class F>
void LiveRegisters::each_successor(const Block& block, F visit) const {
  switch (block.kind) {
    case BlockEnd::branch:
      visit(block.target);
      if (block.guard) visit(block.next);
      break;
    case BlockEnd::jump_table:
      for (uint32_t i = 0; i < block.targets; ++i) visit(code_.targets[block.first_target + i]);
      if (block.guard) visit(block.next);
      break;
    case BlockEnd::leave:
    case BlockEnd::give_back:
      if (block.guard) visit(block.next);
      break;
    case BlockEnd::next:
    case BlockEnd::call:
    case BlockEnd::barrier:
    case BlockEnd::trap:
    case BlockEnd::yield:
    case BlockEnd::warpgroup:
    case BlockEnd::cluster:
      visit(block.next);
      break;
  }
}

LiveRegisters::LiveRegisters(const Code& code) : code_(code) {
  const size_t blocks = code.blocks.size(), registers = code.registers.size();
  known_ = uint64_t{blocks} * registers <= kMostBits;
  if (!known_) return;
  at_end_.assign(blocks, Set(registers, false));
  std::vector<uint32_t> order(blocks);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(
      order, [&](uint32_t a, uint32_t b) { return code.blocks[a].rank > code.blocks[b].rank; });
  std::vector<std::vector<uint32_t>> before(blocks);
  for (uint32_t b = 0; b < blocks; ++b) {
    each_successor(code.blocks[b], [&](uint32_t to) { before[to].push_back(b); });
  }
  std::vector<bool> waits(blocks, true);
  for (bool any = true; any;) {
    any = false;
    for (const uint32_t b : order) {
      if (!waits[b]) continue;
      waits[b] = false;
      const Set live = at(b, code.blocks[b].begin);
      for (const uint32_t from : before[b]) {
        bool more = false;
        for (size_t r = 0; r < registers; ++r) {
          if (!live[r] || at_end_[from][r]) continue;
          at_end_[from][r] = true;
          more = true;
        }
        if (more) waits[from] = any = true;
      }
    }
  }
}

void LiveRegisters::go_back(uint32_t inst, Set& live) const {
  const uint32_t guard = code_.guards[inst];
  const auto begin = code_.first_operand[inst], end = code_.first_operand[inst + 1];
  for (uint32_t k = begin; k < end; ++k) {
    const uint32_t o = code_.operands[k];
    if (o != kNoRegister && (o & 1u) && guard == kNoRegister) live[o >> 1] = false;
  }
  for (uint32_t k = begin; k < end; ++k) {
    const uint32_t o = code_.operands[k];
    if (o != kNoRegister && !(o & 1u)) live[o >> 1] = true;
  }
  if (guard != kNoRegister) live[guard] = true;
}

std::vector<bool> LiveRegisters::at(uint32_t block, uint32_t inst) const {
  if (!known_) return Set(code_.registers.size(), true);
  const Block& b = code_.blocks[block];
  Set live = at_end_[block];
  if (b.end_inst != kNoEnd) go_back(b.end_inst, live);
  for (uint32_t i = b.end; i-- > inst;) go_back(i, live);
  return live;
}

}  // namespace tilescope::emulator
