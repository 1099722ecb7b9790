#include "core/model/warp_walk.h"

#include <algorithm>

#include "core/layout/tensor_box.h"

namespace tilescope::model {
namespace {

/// Byte offset of an element relative to the block's first.
int64_t block_offset(const Problem& p, Operand o, Coord at) {
  return element_index(operand_order(p, o), leading_dimension(p, o), at.row, at.col) *
         element_bytes(operand_type(p, o));
}
/// The same of [outer, k] (A, B) in a slice.
int64_t slice_offset(const Problem& p, Operand o, int outer, int k) {
  return block_offset(p, o, matrix_coord(o, outer, k));
}

Coord from_to(Coord a, Coord b) { return {b.row - a.row, b.col - a.col}; }

/// Calls f(lane, thread) for the threads of a warp that exist.
template <class F>
void for_each_lane(const KernelPlan& plan, int warp, F&& f) {
  for (int lane = 0; lane < 32; ++lane) {
    const int thread = warp * 32 + lane;
    if (thread < plan.threads) f(lane, thread);
  }
}

/// Calls f(chunks) for each warp instruction that moves chunks, and chunks(g) calls g(lane, at) for
/// the lanes that have one.
template <class F>
void for_each_chunks(const KernelPlan& plan, const CopyMap& map, F&& f) {
  for (int i = 0; i < map.iterations(); ++i) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      f([&](auto&& g) {
        for_each_lane(plan, warp, [&](int lane, int thread) {
          const Coord at = copy_coord(map, thread, i);  // [outer, k]
          if (at.row < map.outer && at.col < map.depth) g(lane, at);
        });
      });
    }
  }
}

}  // namespace

std::vector<CopyAccess> walk_copy(const KernelPlan& plan, const Problem& p, Operand o,
                                  int valid_outer, int valid_k) {
  const CopyMap& map = copy_of(plan, o);
  const SharedTile& tile = shared_of(plan, o);
  std::vector<CopyAccess> all;
  for_each_chunks(plan, map, [&](auto&& chunks) {
    CopyAccess copy;
    copy.global.bytes = map.access_bytes();
    if (passes_l1_by(map)) copy.shared = copy.global;
    chunks([&](int lane, Coord at) {
      if (at.row >= valid_outer || at.col >= valid_k) return;
      copy.global.add(lane, slice_offset(p, o, at.row, at.col));
      if (copy.shared) copy.shared->add(lane, shared_offset(tile, at.row, at.col));
    });
    if (copy.global.active != 0) all.push_back(copy);
  });
  return all;
}

std::vector<BoxAccess> walk_boxes(const KernelPlan& plan, const Problem& p, Operand o,
                                  int valid_outer, int valid_k) {
  const CopyMap& map = boxes_of(plan, o);
  std::vector<BoxAccess> all;
  for (int i = 0; i < map.iterations(); ++i) {
    const Coord at = copy_coord(map, 0, i);
    const BoxPlace begin = box_place(map, at);
    const BoxPlace valid = box_place(map, {valid_outer, valid_k});
    const int along = min_of(valid.along - begin.along, map.width);
    const int end = min_of(valid.line, begin.line + map.box_lines);
    BoxAccess box;
    box.bytes = along * map.bytes;
    for (int line = begin.line; along > 0 && line < end; ++line) {
      box.lines.push_back(map.k_contiguous ? slice_offset(p, o, line, at.col)
                                           : slice_offset(p, o, at.row, line));
    }
    all.push_back(std::move(box));
  }
  return all;
}

Accesses walk_direct(const KernelPlan& plan, const Problem& p, Operand o, int valid_m,
                     int valid_n) {
  Accesses all;
  for (int value = 0; value < plan.atom.c.values(); ++value) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      WarpAccess access;
      access.bytes = element_bytes(operand_type(p, o));
      for_each_lane(plan, warp, [&](int lane, int thread) {
        const Coord at = fragment_coord(plan.atom.c, thread, value);
        if (at.row >= valid_m || at.col >= valid_n) return;
        access.add(lane, slice_offset(p, o, o == Operand::a ? at.row : at.col, 0));
      });
      if (access.active != 0) all.push_back({access});
    }
  }
  return all;
}

namespace {

/// The stores of one warp whose values begin at `values` of its atoms' layout: lanes and values add
/// up to a place, so all are the first one, moved; at the edge some lanes fall away.
template <class OffsetOf>
class WarpStores {
 public:
  WarpStores(const KernelPlan& plan, int warp, Coord valid, OffsetOf& offset_of)
      : valid_(valid), offset_of_(offset_of) {
    for_each_lane(plan, warp, [&](int lane, int) {
      const Coord at = stored_coord(plan, warp, 0, 0, lane, 0);
      lanes_[lane] = at, all_ |= 1u << lane;
      last_ = {std::max(last_.row, at.row), std::max(last_.col, at.col)};
    });
  }
  void add(Coord moved, int bytes, Accesses& all) {
    const uint32_t active = inside(moved);
    if (active == 0) return;
    const int64_t by = offset_of_(lanes_[0] + moved) - offset_of_(lanes_[0]);
    for (const Kind& kind : kinds_) {
      if (kind.active != active || (by - kind.moved) % kLineBytes != 0) continue;
      ++all[kind.index].times;
      return;
    }
    WarpAccess access;
    access.bytes = bytes;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      if ((active >> lane & 1u) != 0) access.add(lane, offset_of_(lanes_[lane] + moved));
    }
    kinds_.push_back({active, by, all.size()});
    all.push_back({access});
  }

 private:
  struct Kind {
    uint32_t active = 0;
    int64_t moved = 0;  // bytes
    size_t index = 0;
  };
  uint32_t inside(Coord moved) const {
    const Coord furthest = last_ + moved;
    if (furthest.row < valid_.row && furthest.col < valid_.col) return all_;
    uint32_t active = 0;
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      if ((all_ >> lane & 1u) == 0) continue;
      const Coord at = lanes_[lane] + moved;
      if (at.row < valid_.row && at.col < valid_.col) active |= 1u << lane;
    }
    return active;
  }
  Coord lanes_[kWarpLanes] = {};
  Coord last_{0, 0};  // row and column of any lane, at most
  uint32_t all_ = 0;
  Coord valid_;
  OffsetOf& offset_of_;
  std::vector<Kind> kinds_;
};

/// Each thread stores its own accumulators, or what it has of some after an exchange. `bytes` of
/// each access, at offset_of(element of the block tile).
template <class OffsetOf>
Accesses walk_accumulators(const KernelPlan& plan, int valid_m, int valid_n, int bytes,
                           OffsetOf&& offset_of) {
  Accesses all;
  const FragmentLayout& layout = store_layout(plan);
  std::vector<Coord> values;  // from the first on
  for (int value = 0; value < layout.values(); ++value) {
    if (!begins_store(plan, value)) continue;
    values.push_back(from_to(value_coord(layout, 0), value_coord(layout, value)));
  }
  for (int warp = 0; warp < plan.warps(); ++warp) {
    WarpStores stores(plan, warp, {valid_m, valid_n}, offset_of);
    for (int mi = 0; mi < mmas_m(plan); ++mi) {
      for (int ni = 0; ni < mmas_n(plan); ni += plan.epilogue.atoms) {
        const Coord atom = from_to(mma_origin(plan, 0, 0), mma_origin(plan, mi, ni));
        for (const Coord value : values) stores.add(atom + value, bytes, all);
      }
    }
  }
  return all;
}

}  // namespace

Accesses walk_part(const KernelPlan& plan) {
  Accesses all;
  const int sums = mmas_m(plan) * mmas_n(plan) * plan.atom.c.values();
  for (int i = 0; i < sums / kSumsPerAccess; ++i) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      WarpAccess access;
      access.bytes = kSumsPerAccess * 4;
      for_each_lane(plan, warp, [&](int lane, int thread) {
        access.add(lane, sums_offset(plan.threads, i, thread));
      });
      all.push_back({access});
    }
  }
  return all;
}

namespace {

/// Beside what a warp stores to its buffers, pair by pair.
template <class OffsetOf>
Accesses walk_box_pairs(const KernelPlan& plan, int valid_m, int valid_n, int bytes,
                        OffsetOf&& offset_of) {
  Accesses all;
  for (int warp = 0; warp < plan.warps(); ++warp) {
    for (int box = 0; box < boxes_of_warp(plan); ++box) {
      const Coord from = box_origin(plan, warp, box);
      for (int pair = 0; pair < box_pairs(plan); ++pair) {
        WarpAccess access;
        access.bytes = bytes;
        for (int lane = 0; lane < kWarpLanes; ++lane) {
          const Coord at = from + pair_in_box(plan, pair, lane);
          if (at.row < valid_m && at.col < valid_n) access.add(lane, offset_of(at));
        }
        if (access.active != 0) all.push_back({access});
      }
    }
  }
  return all;
}

/// An access of `bytes` at offset_of(element of the block tile) beside each store of C.
template <class OffsetOf>
Accesses walk_stores(const KernelPlan& plan, int valid_m, int valid_n, int bytes,
                     OffsetOf&& offset_of) {
  switch (plan.epilogue.kind) {
    case EpilogueKind::direct:
      return walk_accumulators(plan, valid_m, valid_n, bytes, offset_of);
    case EpilogueKind::boxes:
      return walk_box_pairs(plan, valid_m, valid_n, bytes, offset_of);
    case EpilogueKind::shared:
      break;
  }
  Accesses all;
  for_each_chunks(plan, plan.epilogue.map, [&](auto&& chunks) {
    WarpAccess access;
    access.bytes = bytes;
    chunks([&](int lane, Coord at) {
      if (at.row < valid_m && at.col < valid_n) access.add(lane, offset_of(at));
    });
    if (access.active != 0) all.push_back({access});
  });
  return all;
}

}  // namespace

Accesses walk_epilogue(const KernelPlan& plan, const Problem& p, int valid_m, int valid_n) {
  return walk_stores(plan, valid_m, valid_n, plan.epilogue.width * element_bytes(p.type_c),
                     [&](Coord at) { return block_offset(p, Operand::c, at); });
}

Accesses walk_bias(const KernelPlan& plan, const Problem& p, int valid_m, int valid_n) {
  const int bytes = bias_width(p.order_c, plan.epilogue.width) * element_bytes(p.type_c);
  if (!plan.epilogue.bias_ahead) {
    return walk_stores(plan, valid_m, valid_n, bytes, [&](Coord at) { return bias_offset(p, at); });
  }
  Accesses all;
  for (int warp = 0; warp < plan.warps(); ++warp) {
    for (int ni = 0; ni < mmas_n(plan); ni += plan.epilogue.atoms) {
      for (int value = 0; value < store_layout(plan).values(); ++value) {
        if (!begins_store(plan, value) || bias_of_store(plan, value) != value) continue;
        WarpAccess access;
        access.bytes = bytes;
        for_each_lane(plan, warp, [&](int lane, int) {
          const Coord at = stored_coord(plan, warp, 0, ni, lane, value);
          if (at.col < valid_n) access.add(lane, bias_offset(p, at));
        });
        if (access.active != 0) all.push_back({access});
      }
    }
  }
  return all;
}

}  // namespace tilescope::model
