// Basic blocks of a draft, their order, and which registers are alive where.
#pragma once
#include <cstdint>
#include <vector>

#include "emulator/compile/code.h"
#include "emulator/compile/draft.h"
#include "emulator/emulator.h"

namespace tilescope::emulator {

struct Flow {
  std::vector<Block> blocks;      // instruction indices are the draft's; ranks are set
  std::vector<uint32_t> targets;  // blocks, of jump tables
};

Flow find_blocks(const Draft& draft);

/// Topological order in which a loop's blocks stand together: splits of a warp run lowest rank
/// first, so lanes that leave a loop wait for those that stay.
void rank_blocks(Flow& flow);

/// The successors of a block within its function: a call goes on behind itself.
uint32_t successor_count(const Block& block);
uint32_t successor(const Flow& flow, const Block& block, uint32_t i);

/// The loops that lie in no other. A function that was not inlined lies where its caller is.
struct OuterLoops {
  static constexpr int32_t kNone = -1, kCallers = -2;
  std::vector<int32_t> of_block;  // into `heads`, or one of these
  std::vector<uint32_t> heads;    // the block that is reached first: in each iteration again
};
OuterLoops outer_loops(const Flow& flow);

/// Slots for registers and predicates. Two registers share a slot if no thread can have both alive,
/// unless they are to be kept.
struct Slots {
  std::vector<uint32_t> of_register;  // byte offset, or predicate index; kNone if it has no use
  std::vector<uint32_t> read_unset;   // registers that may be read before they are set
  uint32_t frame_bytes = 0, predicates = 0;
  std::vector<std::vector<uint32_t>> kept;  // registers alive after a call; by Block::call
};
Slots assign_slots(const Draft& draft, Flow& flow, Registers registers);  // numbers the calls

/// The executable form; `draft` must be free of errors.
Code assemble(const Draft& draft, Registers registers);

}  // namespace tilescope::emulator
