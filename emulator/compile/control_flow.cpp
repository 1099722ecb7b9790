#include "emulator/compile/control_flow.h"

#include <algorithm>
#include <utility>

namespace tilescope::emulator {
namespace {

bool ends_block(RowKind kind) {
  return kind == RowKind::branch || kind == RowKind::leave || kind == RowKind::trap ||
         kind == RowKind::jump_table || kind == RowKind::call || kind == RowKind::give_back ||
         kind == RowKind::yield || kind == RowKind::warpgroup_commit ||
         kind == RowKind::warpgroup_wait || kind >= RowKind::barrier_sync;
}

BlockEnd end_kind(RowKind kind) {
  switch (kind) {
    case RowKind::branch:
      return BlockEnd::branch;
    case RowKind::jump_table:
      return BlockEnd::jump_table;
    case RowKind::call:
      return BlockEnd::call;
    case RowKind::give_back:
      return BlockEnd::give_back;
    case RowKind::leave:
      return BlockEnd::leave;
    case RowKind::trap:
      return BlockEnd::trap;
    case RowKind::yield:
      return BlockEnd::yield;
    case RowKind::warpgroup_commit:
    case RowKind::warpgroup_wait:
      return BlockEnd::warpgroup;
    case RowKind::cluster_arrive:
    case RowKind::cluster_wait:
      return BlockEnd::cluster;
    default:
      return BlockEnd::barrier;
  }
}

// Strongly connected components of the blocks with in_set[b] == set, in topological order; edges
// to `header` are left out, if there is one. Iterative, as malformed input may nest without bound.
class Components {
 public:
  Components(const Flow& flow, const std::vector<uint32_t>& set_of)
      : flow_(flow),
        set_of_(set_of),
        index_(flow.blocks.size(), 0),
        low_(flow.blocks.size(), 0),
        on_stack_(flow.blocks.size(), false) {}

  std::vector<std::vector<uint32_t>> find(const std::vector<uint32_t>& members, uint32_t set,
                                          uint32_t header) {
    result_.clear();
    for (uint32_t b : members) index_[b] = 0;
    if (header != kNone) visit(header, set, header);
    for (uint32_t b : members) {
      if (index_[b] == 0) visit(b, set, header);
    }
    std::reverse(result_.begin(), result_.end());
    return std::move(result_);
  }

 private:
  struct Frame {
    uint32_t block, edge, edges;
  };
  void enter(uint32_t b) {
    index_[b] = low_[b] = ++counter_;
    stack_.push_back(b);
    on_stack_[b] = true;
    frames_.push_back({b, 0, successor_count(flow_.blocks[b])});
  }
  void visit(uint32_t root, uint32_t set, uint32_t header) {
    enter(root);
    while (!frames_.empty()) {
      Frame& f = frames_.back();
      const uint32_t b = f.block;
      if (f.edge < f.edges) {
        const uint32_t n = successor(flow_, flow_.blocks[b], f.edge++);
        if (set_of_[n] != set || n == header) continue;
        if (index_[n] == 0) {
          enter(n);
        } else if (on_stack_[n]) {
          low_[b] = std::min(low_[b], index_[n]);
        }
        continue;
      }
      if (low_[b] == index_[b]) {
        std::vector<uint32_t> component;
        uint32_t n = 0;
        do {
          n = stack_.back();
          stack_.pop_back();
          on_stack_[n] = false;
          component.push_back(n);
        } while (n != b);
        result_.push_back(std::move(component));
      }
      frames_.pop_back();
      if (!frames_.empty())
        low_[frames_.back().block] = std::min(low_[frames_.back().block], low_[b]);
    }
  }

  const Flow& flow_;
  const std::vector<uint32_t>& set_of_;
  std::vector<uint32_t> index_, low_;
  std::vector<bool> on_stack_;
  std::vector<uint32_t> stack_;
  std::vector<Frame> frames_;
  std::vector<std::vector<uint32_t>> result_;
  uint32_t counter_ = 0;
};

}  // namespace

uint32_t successor_count(const Block& block) {
  switch (block.kind) {
    case BlockEnd::branch:
      return block.guard ? 2 : 1;
    case BlockEnd::jump_table:
      return block.targets + (block.guard ? 1 : 0);
    case BlockEnd::leave:
    case BlockEnd::give_back:
    case BlockEnd::trap:
      return block.guard ? 1 : 0;
    default:
      return 1;
  }
}

uint32_t successor(const Flow& flow, const Block& block, uint32_t i) {
  if (block.kind == BlockEnd::branch) return i == 0 ? block.target : block.next;
  if (block.kind == BlockEnd::jump_table && i < block.targets) {
    return flow.targets[block.first_target + i];
  }
  return block.next;
}

Flow find_blocks(const Draft& draft) {
  const uint32_t n = static_cast<uint32_t>(draft.instructions.size());
  std::vector<bool> leader(n + 1, false);
  leader[0] = true;
  for (uint32_t label : draft.labels) {
    if (label != kNone) leader[label] = true;
  }
  for (uint32_t i = 0; i < n; ++i) {
    const RowKind kind = draft.instructions[i].kind;
    if (ends_block(kind) || kind == RowKind::poll) leader[i + 1] = true;
    if (kind == RowKind::warp_sync) leader[i] = true;
  }
  Flow flow;
  std::vector<uint32_t> block_at(n + 1, 0);
  for (uint32_t i = 0; i < n; ++i) {
    if (leader[i]) {
      Block b;
      b.begin = i;
      flow.blocks.push_back(b);
    }
    block_at[i] = static_cast<uint32_t>(flow.blocks.size()) - 1;
    flow.blocks.back().end = i + 1;
  }
  // The text's end, and labels that stand there: leave.
  block_at[n] = static_cast<uint32_t>(flow.blocks.size());
  Block last;
  last.begin = last.end = n;
  last.kind = BlockEnd::leave;
  flow.blocks.push_back(last);
  for (uint32_t i = 0; i + 1 < flow.blocks.size(); ++i) {
    Block& b = flow.blocks[i];
    b.next = i + 1;
    const DraftInst& inst = draft.instructions[b.end - 1];
    if (inst.kind == RowKind::poll) b.kind = BlockEnd::yield;
    if (!ends_block(inst.kind)) continue;
    b.end_inst = --b.end;
    b.kind = end_kind(inst.kind);
    auto block_of = [&](uint32_t label) {  // of a label that stands nowhere: leave
      return block_at[draft.labels[label] == kNone ? n : draft.labels[label]];
    };
    if (inst.target != kNone) b.target = block_of(inst.target);
    b.first_target = static_cast<uint32_t>(flow.targets.size());
    b.targets = inst.targets;
    for (uint32_t k = 0; k < inst.targets; ++k) {
      flow.targets.push_back(block_of(draft.targets[inst.first_target + k]));
    }
    b.guard = inst.guard == kNone ? 0 : 1;
  }
  rank_blocks(flow);
  return flow;
}

void rank_blocks(Flow& flow) {
  std::vector<Block>& blocks = flow.blocks;
  struct Work {
    std::vector<uint32_t> members;
    uint32_t header;
    int depth;
  };
  std::vector<uint32_t> set_of(blocks.size(), 0), position(blocks.size(), 0);
  Components components(flow, set_of);
  std::vector<Work> todo;  // in reverse: the next part of the order is at the back
  Work all{{}, 0, 0};
  for (uint32_t i = 0; i < blocks.size(); ++i) all.members.push_back(i);
  todo.push_back(std::move(all));
  uint32_t rank = 0, sets = 0;
  while (!todo.empty()) {
    Work work = std::move(todo.back());
    todo.pop_back();
    if (work.members.size() == 1 || work.depth > 100) {
      std::sort(work.members.begin(), work.members.end());
      for (uint32_t b : work.members) blocks[b].rank = rank++;
      continue;
    }
    const uint32_t set = ++sets;
    for (uint32_t b : work.members) set_of[b] = set;
    auto parts = components.find(work.members, set, work.header);
    for (size_t i = 0; i < parts.size(); ++i) {
      for (uint32_t b : parts[i]) position[b] = static_cast<uint32_t>(i);
    }
    // The header of a part: where an edge from an earlier part enters it; else its first block.
    std::vector<uint32_t> headers(parts.size(), kNone);
    for (size_t i = 0; i < parts.size(); ++i) {
      headers[i] = *std::min_element(parts[i].begin(), parts[i].end());
    }
    std::vector<bool> entered(parts.size(), false);
    for (uint32_t b : work.members) {
      for (uint32_t e = 0; e < successor_count(blocks[b]); ++e) {
        const uint32_t t = successor(flow, blocks[b], e);
        if (set_of[t] != set || t == work.header || position[t] == position[b]) continue;
        if (!entered[position[t]] || t < headers[position[t]]) headers[position[t]] = t;
        entered[position[t]] = true;
      }
    }
    for (size_t i = parts.size(); i-- > 0;) {
      todo.push_back({std::move(parts[i]), headers[i], work.depth + 1});
    }
  }
}

OuterLoops outer_loops(const Flow& flow) {
  const std::vector<Block>& blocks = flow.blocks;
  OuterLoops loops;
  loops.of_block.assign(blocks.size(), OuterLoops::kCallers);
  std::vector<uint32_t> reached = {0};  // by the entry itself
  loops.of_block[0] = OuterLoops::kNone;
  for (size_t i = 0; i < reached.size(); ++i) {
    const Block& block = blocks[reached[i]];
    for (uint32_t e = 0; e < successor_count(block); ++e) {
      const uint32_t next = successor(flow, block, e);
      if (std::exchange(loops.of_block[next], OuterLoops::kNone) == OuterLoops::kCallers) {
        reached.push_back(next);
      }
    }
  }
  const auto meets_itself = [&](uint32_t b) {
    for (uint32_t e = 0; e < successor_count(blocks[b]); ++e) {
      if (successor(flow, blocks[b], e) == b) return true;
    }
    return false;
  };
  const std::vector<uint32_t> one_set(blocks.size(), 0);
  for (const auto& part : Components(flow, one_set).find(reached, 0, kNone)) {
    if (part.size() == 1 && !meets_itself(part[0])) continue;
    for (const uint32_t b : part) loops.of_block[b] = static_cast<int32_t>(loops.heads.size());
    loops.heads.push_back(
        *std::ranges::min_element(part, {}, [&](uint32_t b) { return blocks[b].rank; }));
  }
  return loops;
}

}  // namespace tilescope::emulator
