// Which registers are alive where, and slots for them by linear scan over the blocks' order.
// Safe under divergence: a lane's part of a slot is written only by the path that lane takes.
#include <algorithm>

#include "emulator/compile/control_flow.h"

namespace tilescope::emulator {
namespace {

constexpr uint64_t kMaxBits = 1ull << 30;  // of a liveness table; above it, nothing is shared

class Bits {
 public:
  Bits(size_t rows, size_t columns) : words_((columns + 63) / 64), data_(rows * words_, 0) {}
  uint64_t* row(size_t i) { return data_.data() + i * words_; }
  size_t words() const { return words_; }
  static void set(uint64_t* row, uint32_t i) { row[i / 64] |= 1ull << (i % 64); }
  static void clear(uint64_t* row, uint32_t i) { row[i / 64] &= ~(1ull << (i % 64)); }
  static bool test(const uint64_t* row, uint32_t i) { return (row[i / 64] >> (i % 64)) & 1u; }

 private:
  size_t words_;
  std::vector<uint64_t> data_;
};

struct Interval {
  uint32_t begin = kNone, end = 0;
  void add(uint32_t at) {
    begin = std::min(begin, at);
    end = std::max(end, at);
  }
};

// Calls on_read and on_write with each register of an instruction; guards are reads, and what a
// guarded instruction writes keeps its old value in some lanes.
template <class Read, class Write>
void registers_of(const Draft& draft, uint32_t i, Read on_read, Write on_write) {
  const DraftInst& inst = draft.instructions[i];
  const bool guarded = inst.guard != kNone;
  for (uint32_t k = 0; k < inst.slots; ++k) {
    const DraftSlot& slot = draft.slots[inst.first_slot + k];
    if (slot.is_constant) continue;
    if (slot.written) on_write(slot.id, guarded || slot.also_read);
  }
  for (uint32_t k = 0; k < inst.slots; ++k) {
    const DraftSlot& slot = draft.slots[inst.first_slot + k];
    if (!slot.is_constant && (!slot.written || slot.also_read)) on_read(slot.id);
  }
  if (guarded) on_read(inst.guard);
}

uint32_t block_limit(const Block& b) { return b.end_inst == kNone ? b.end : b.end_inst + 1; }

std::vector<uint64_t> live_at_entry(const Draft& draft, const Flow& flow, Bits& in, Bits& out) {
  const size_t n = flow.blocks.size(), words = in.words();
  Bits reads(n, draft.registers.size()), writes(n, draft.registers.size());
  for (size_t b = 0; b < n; ++b) {
    uint64_t* use = reads.row(b);
    uint64_t* kill = writes.row(b);
    for (uint32_t i = block_limit(flow.blocks[b]); i-- > flow.blocks[b].begin;) {
      registers_of(
          draft, i, [&](uint32_t r) { Bits::set(use, r); },
          [&](uint32_t r, bool guarded) {
            if (guarded) return;
            Bits::clear(use, r);
            Bits::set(kill, r);
          });
    }
  }
  std::vector<uint32_t> order(n);
  for (uint32_t i = 0; i < n; ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return flow.blocks[a].rank > flow.blocks[b].rank; });
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b : order) {
      uint64_t* o = out.row(b);
      for (uint32_t e = 0; e < successor_count(flow.blocks[b]); ++e) {
        const uint64_t* s = in.row(successor(flow, flow.blocks[b], e));
        for (size_t w = 0; w < words; ++w) o[w] |= s[w];
      }
      uint64_t* live = in.row(b);
      const uint64_t* use = reads.row(b);
      const uint64_t* kill = writes.row(b);
      for (size_t w = 0; w < words; ++w) {
        const uint64_t fresh = use[w] | (o[w] & ~kill[w]);
        changed |= fresh != live[w];
        live[w] = fresh;
      }
    }
  }
  return {in.row(0), in.row(0) + words};
}

// One pool of slots of one size.
class Pool {
 public:
  explicit Pool(uint32_t stride) : stride_(stride) {}
  uint32_t take() {
    if (free_.empty()) return top_++ * stride_;
    const uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give(uint32_t slot) { free_.push_back(slot); }
  uint32_t bytes() const { return top_ * stride_; }

 private:
  uint32_t stride_, top_ = 0;
  std::vector<uint32_t> free_;
};

// A lane keeps the registers alive after a call, since the function may use their slots.
std::vector<uint32_t>& number_call(Block& block, Slots& slots) {
  block.call = static_cast<uint32_t>(slots.kept.size());
  return slots.kept.emplace_back();
}

}  // namespace

Slots assign_slots(const Draft& draft, Flow& flow, Registers kept) {
  const uint32_t registers = static_cast<uint32_t>(draft.registers.size());
  Slots result;
  result.of_register.assign(registers, 0);
  std::vector<Interval> intervals(registers);
  if (uint64_t{registers} * flow.blocks.size() > kMaxBits) {
    for (uint32_t r = 0; r < registers; ++r) {
      intervals[r] = {0, kNone};
      result.read_unset.push_back(r);
    }
    for (Block& b : flow.blocks) {
      if (b.kind == BlockEnd::call) number_call(b, result) = result.read_unset;
    }
  } else {
    Bits in(flow.blocks.size(), registers), out(flow.blocks.size(), registers);
    const std::vector<uint64_t> unset = live_at_entry(draft, flow, in, out);
    std::vector<uint32_t> order(flow.blocks.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[flow.blocks[i].rank] = i;
    uint32_t at = 1;
    for (uint32_t b : order) {
      const Block& block = flow.blocks[b];
      const uint32_t begin = at;
      for (uint32_t i = block.begin; i < block_limit(block); ++i, ++at) {
        registers_of(
            draft, i, [&](uint32_t r) { intervals[r].add(at); },
            [&](uint32_t r, bool) { intervals[r].add(at); });
      }
      ++at;
      for (size_t w = 0; w < in.words(); ++w) {
        const uint64_t i = in.row(b)[w], o = out.row(b)[w];
        for (uint64_t bits = i; bits; bits &= bits - 1) {
          intervals[w * 64 + static_cast<uint32_t>(__builtin_ctzll(bits))].add(begin);
        }
        for (uint64_t bits = o; bits; bits &= bits - 1) {
          intervals[w * 64 + static_cast<uint32_t>(__builtin_ctzll(bits))].add(at - 1);
        }
      }
    }
    for (size_t b = 0; b < flow.blocks.size(); ++b) {
      if (flow.blocks[b].kind != BlockEnd::call) continue;
      std::vector<uint32_t>& kept = number_call(flow.blocks[b], result);
      for (uint32_t r = 0; r < registers; ++r) {
        if (Bits::test(out.row(b), r)) kept.push_back(r);
      }
    }
    for (uint32_t r : draft.pinned) intervals[r] = {0, kNone};
    for (uint32_t r = 0; r < registers; ++r) {
      if (Bits::test(unset.data(), r)) {
        intervals[r].add(0);
        result.read_unset.push_back(r);
      }
    }
  }
  if (kept == Registers::kept) {
    for (Interval& interval : intervals) {
      if (interval.begin != kNone) interval = {0, kNone};
    }
  }
  std::vector<uint32_t> by_begin, by_end;
  for (uint32_t r = 0; r < registers; ++r) {
    if (intervals[r].begin != kNone) by_begin.push_back(r);
  }
  by_end = by_begin;
  std::sort(by_begin.begin(), by_begin.end(),
            [&](uint32_t a, uint32_t b) { return intervals[a].begin < intervals[b].begin; });
  std::sort(by_end.begin(), by_end.end(),
            [&](uint32_t a, uint32_t b) { return intervals[a].end < intervals[b].end; });
  // A result never takes the slot of a source of its own instruction: handlers need not care.
  Pool narrow(128), wide(256), predicates(1);
  auto pool = [&](uint32_t r) -> Pool& {
    return draft.registers[r] == RegisterClass::predicate ? predicates
           : is_wide(draft.registers[r])                  ? wide
                                                          : narrow;
  };
  size_t ended = 0;
  for (uint32_t r : by_begin) {
    while (ended < by_end.size() && intervals[by_end[ended]].end < intervals[r].begin) {
      pool(by_end[ended]).give(result.of_register[by_end[ended]]);
      ++ended;
    }
    result.of_register[r] = pool(r).take();
  }
  for (uint32_t r = 0; r < registers; ++r) {  // narrow slots follow the wide ones
    if (intervals[r].begin == kNone) {
      result.of_register[r] = kNone;
    } else if (draft.registers[r] == RegisterClass::b16 ||
               draft.registers[r] == RegisterClass::b32) {
      result.of_register[r] += wide.bytes();
    }
  }
  result.frame_bytes = wide.bytes() + narrow.bytes();
  result.predicates = predicates.bytes();
  return result;
}

}  // namespace tilescope::emulator
