#include "core/model/packing_counts.h"

#include <algorithm>

namespace tilescope::model {
namespace {

/// Accesses of a line that comes from `base`, or is all zeros. Where lines go to, they are aligned.
void add_line(const Packing& p, int64_t base, bool zeros, uint64_t times, PackingCounts& counts) {
  GlobalSum load, store;
  const auto line = static_cast<unsigned long long>(base);
  for (int first = 0; first < p.pieces(); first += kWarpLanes) {
    const int lanes = std::min(kWarpLanes, p.pieces() - first);
    WarpAccess words[2], elements[kPackBytes], stores;
    for (WarpAccess& access : words) access.bytes = kPackBytes;
    for (WarpAccess& access : elements) access.bytes = p.element_bytes;
    stores.bytes = kPackBytes;
    for (int lane = 0; lane < lanes; ++lane) {
      const Coord at{0, (first + lane) * p.piece()};
      const int64_t piece = base + packed_from(p, at);
      stores.add(lane, packed_to(p, at));
      if (zeros) continue;
      if (reads_words(p, line, static_cast<unsigned long long>(piece))) {
        for (int i = 0; i < 2; ++i) {
          words[i].add(lane, piece / kPackBytes * kPackBytes + i * kPackBytes);
        }
        continue;
      }
      for (int i = 0; i < p.piece() && at.col + i < p.elements; ++i) {
        elements[i].add(lane, piece + i * p.element_bytes);
      }
    }
    const auto take = [](GlobalSum& sum, const WarpAccess& access) {
      if (access.active != 0) sum.add(access);
    };
    for (const WarpAccess& access : words) take(load, access);
    for (const WarpAccess& access : elements) take(load, access);
    take(store, stores);
  }
  counts.load.add(load, times), counts.store.add(store, times);
}

}  // namespace

PackingCounts count_packing(const KernelPlan& plan, const Problem& problem) {
  PackingCounts counts;
  for (const Operand o : {Operand::a, Operand::b}) {
    if (!packs(plan.spec, o)) continue;
    const Packing p = packing_of(plan, problem, o);
    // Lines are alike that begin at the same place in a 128-byte line.
    const int alike = kLineBytes / p.element_bytes;
    const int64_t first = global_offset(problem, o, {0, 0});
    for (int i = 0; i < std::min(alike, p.lines); ++i) {
      const auto times = static_cast<uint64_t>(ceil_div(p.lines - i, alike));
      add_line(p, (first + packed_from(p, {i, 0})) % kLineBytes, false, times, counts);
    }
    add_line(p, 0, true, static_cast<uint64_t>(p.room_lines - p.lines), counts);
  }
  return counts;
}

}  // namespace tilescope::model
