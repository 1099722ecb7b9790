// Basic blocks of a draft, their order, and which registers are alive where.
#pragma once
#include <cstdint>
#include <vector>

#include "emulator/code.h"
#include "emulator/draft.h"

namespace tilescope::emulator {

struct Flow {
  std::vector<Block> blocks;  // instruction indices are the draft's; ranks are set
};

Flow find_blocks(const Draft& draft);

/// Topological order in which a loop's blocks stand together: splits of a warp run lowest rank
/// first, so lanes that leave a loop wait for those that stay.
void rank_blocks(std::vector<Block>& blocks);

/// The successors of a block: 0 to 2.
int successors(const Block& block, uint32_t out[2]);

/// Slots for registers and predicates. Two registers share a slot if no thread can have both alive.
struct Slots {
  std::vector<uint32_t> of_register;  // byte offset, or predicate index
  std::vector<uint32_t> read_unset;   // registers that may be read before they are set
  uint32_t frame_bytes = 0, predicates = 0;
};
Slots assign_slots(const Draft& draft, const Flow& flow);

/// The executable form; `draft` must be free of errors.
Code assemble(const Draft& draft);

}  // namespace tilescope::emulator
