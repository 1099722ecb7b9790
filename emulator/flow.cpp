#include "emulator/flow.h"

#include <algorithm>

namespace tilescope::emulator {
namespace {

bool ends_block(RowKind kind) {
  return kind == RowKind::branch || kind == RowKind::leave || kind == RowKind::trap ||
         kind == RowKind::yield || kind >= RowKind::barrier_sync;
}

BlockEnd end_kind(RowKind kind) {
  switch (kind) {
    case RowKind::branch:
      return BlockEnd::branch;
    case RowKind::leave:
      return BlockEnd::leave;
    case RowKind::trap:
      return BlockEnd::trap;
    case RowKind::yield:
      return BlockEnd::yield;
    default:
      return BlockEnd::barrier;
  }
}

// Strongly connected components of the blocks with in_set[b] == set, in topological order; edges
// to `header` are left out. Iterative, as malformed input may nest without bound.
class Components {
 public:
  Components(const std::vector<Block>& blocks, const std::vector<uint32_t>& set_of)
      : blocks_(blocks),
        set_of_(set_of),
        index_(blocks.size(), 0),
        low_(blocks.size(), 0),
        on_stack_(blocks.size(), false) {}

  std::vector<std::vector<uint32_t>> find(const std::vector<uint32_t>& members, uint32_t set,
                                          uint32_t header) {
    result_.clear();
    for (uint32_t b : members) index_[b] = 0;
    visit(header, set, header);
    for (uint32_t b : members) {
      if (index_[b] == 0) visit(b, set, header);
    }
    std::reverse(result_.begin(), result_.end());
    return std::move(result_);
  }

 private:
  struct Frame {
    uint32_t block, edge, edges, next[2];
  };
  void enter(uint32_t b) {
    index_[b] = low_[b] = ++counter_;
    stack_.push_back(b);
    on_stack_[b] = true;
    Frame f{b, 0, 0, {0, 0}};
    f.edges = static_cast<uint32_t>(successors(blocks_[b], f.next));
    frames_.push_back(f);
  }
  void visit(uint32_t root, uint32_t set, uint32_t header) {
    enter(root);
    while (!frames_.empty()) {
      Frame& f = frames_.back();
      const uint32_t b = f.block;
      if (f.edge < f.edges) {
        const uint32_t n = f.next[f.edge++];
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

  const std::vector<Block>& blocks_;
  const std::vector<uint32_t>& set_of_;
  std::vector<uint32_t> index_, low_;
  std::vector<bool> on_stack_;
  std::vector<uint32_t> stack_;
  std::vector<Frame> frames_;
  std::vector<std::vector<uint32_t>> result_;
  uint32_t counter_ = 0;
};

}  // namespace

int successors(const Block& block, uint32_t out[2]) {
  switch (block.kind) {
    case BlockEnd::branch:
      out[0] = block.target;
      out[1] = block.next;
      return block.guard ? 2 : 1;
    case BlockEnd::leave:
    case BlockEnd::trap:
      out[0] = block.next;
      return block.guard ? 1 : 0;
    default:
      out[0] = block.next;
      return 1;
  }
}

Flow find_blocks(const Draft& draft) {
  const uint32_t n = static_cast<uint32_t>(draft.instructions.size());
  std::vector<bool> leader(n + 1, false);
  leader[0] = true;
  for (uint32_t label : draft.labels) {
    if (label != kNone) leader[label] = true;
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (ends_block(draft.instructions[i].kind)) leader[i + 1] = true;
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
    if (!ends_block(inst.kind)) continue;
    b.end_inst = --b.end;
    b.kind = end_kind(inst.kind);
    if (inst.target != kNone && draft.labels[inst.target] != kNone) {
      b.target = block_at[draft.labels[inst.target]];
    }
    b.guard = inst.guard == kNone ? 0 : 1;
  }
  rank_blocks(flow.blocks);
  return flow;
}

void rank_blocks(std::vector<Block>& blocks) {
  struct Work {
    std::vector<uint32_t> members;
    uint32_t header;
    int depth;
  };
  std::vector<uint32_t> set_of(blocks.size(), 0), position(blocks.size(), 0);
  Components components(blocks, set_of);
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
      uint32_t next[2];
      const int n = successors(blocks[b], next);
      for (int e = 0; e < n; ++e) {
        const uint32_t t = next[e];
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

}  // namespace tilescope::emulator
