// The levels of a kernel's work, from the whole of C down to what one lane keeps of it: one table
// of a plan, the same for the tensor cores and for all other kernels. An atom is the tile of a
// matrix instruction, or that of a thread. Who needs a count, an extent or a place asks here, and
// not what kind of arithmetic the kernel has.
#pragma once
#include "core/layout/thread_elements.h"

namespace tilescope {

enum class Level : signed char { grid, cta, warp, atom, lane };
inline constexpr int kLevels = 5;

/// Numbers along m, n and k.
struct Mnk {
  int m = 1, n = 1, k = 1;
  constexpr bool operator==(const Mnk&) const = default;
};

/// Indices along one axis, ascending: `count` runs of `run` neighbours each, `step` apart. A warp
/// of thread tiles need not lie in one piece.
struct IndexRuns {
  int first = 0, run = 1, count = 1, step = 0;
  constexpr bool operator==(const IndexRuns&) const = default;

  constexpr int size() const { return run * count; }
  constexpr int at(int i) const { return first + i / run * step + i % run; }
};
constexpr IndexRuns moved(IndexRuns runs, int by) {
  runs.first += by;
  return runs;
}

/// In which order the parts of a level are numbered: the digits of a part's number, the fastest
/// first, each a step along one axis.
struct Numbering {
  enum class Axis : signed char { m, n, k };
  struct Digit {
    Axis axis = Axis::m;
    int count = 1;
    constexpr bool operator==(const Digit&) const = default;
  };
  static constexpr int kMost = Layout::kMaxRank + 3;
  int size = 0;
  Digit digit[kMost] = {};
  constexpr bool operator==(const Numbering&) const = default;

  constexpr void add(Axis axis, int count) {
    if (count > 1) digit[size++] = {axis, count};
  }
};

/// `count` parts lie in one part of the level above. Those along m and n divide its rows and
/// columns of C between them; those along k have the same ones, and other k.
struct LevelRow {
  Mnk count;
  Mnk box;               // elements of one part: rows and columns of C, and how much of k
  IndexRuns rows, cols;  // which ones, counted from the part's first
  int threads = 1;       // of a CTA, that compute a part together
  Numbering numbering;   // of the parts; of CTAs the raster has it
  constexpr bool operator==(const LevelRow&) const = default;

  constexpr int parts() const { return count.m * count.n * count.k; }
};

/// The table. An illegal tile may have the first levels alone: no warp fits into its block tile.
struct Hierarchy {
  int levels = 0;
  LevelRow row[kLevels] = {};
  constexpr bool operator==(const Hierarchy&) const = default;

  constexpr const LevelRow& operator[](Level level) const { return row[static_cast<int>(level)]; }
  constexpr LevelRow& operator[](Level level) { return row[static_cast<int>(level)]; }
  constexpr bool has(Level level) const { return static_cast<int>(level) < levels; }
  /// Lanes compute an atom together, each with a part of its fragments; else each has its own.
  constexpr bool lanes_share_atoms() const { return (*this)[Level::atom].threads > 1; }
};

namespace detail {

/// Steps along one axis of a tile, the shortest first.
struct AxisSteps {
  static constexpr int kMost = 2 * Layout::kMaxRank + 1;
  int size = 0;
  Mode mode[kMost] = {};

  constexpr void add(Mode m) {
    if (m.shape == 1 || m.stride == 0) return;
    int at = size++;
    for (; at > 0 && mode[at - 1].stride > m.stride; --at) mode[at] = mode[at - 1];
    mode[at] = m;
  }
  constexpr IndexRuns runs() const {
    IndexRuns r;
    int i = 0;
    for (; i < size && mode[i].stride == r.run; ++i) r.run *= mode[i].shape;
    if (i == size) return r;
    r.step = mode[i].stride, r.count = mode[i].shape;
    for (++i; i < size; ++i) r.count *= mode[i].shape;
    return r;
  }
};

/// Whether a mode of a column-major layout goes along the rows' numbers, that is along m.
constexpr bool along_m(const Mode& mode, int rows) { return mode.stride < rows; }

/// The steps of a layout into a tile of `rows` rows along m, or along n.
constexpr void add_steps(AxisSteps& steps, const Layout& layout, int rows, bool m) {
  for (int i = 0; i < layout.rank; ++i) {
    const Mode& mode = layout.mode[i];
    if (along_m(mode, rows) == m) steps.add({mode.shape, m ? mode.stride : mode.stride / rows});
  }
}
constexpr void add_digits(Numbering& numbering, const Layout& layout, int rows) {
  for (int i = 0; i < layout.rank; ++i) {
    numbering.add(along_m(layout.mode[i], rows) ? Numbering::Axis::m : Numbering::Axis::n,
                  layout.mode[i].shape);
  }
}

/// The modes that the first `size` indices of a layout run through, and those that are left.
struct SplitLayout {
  Layout inner, outer;
};
constexpr SplitLayout split_layout(const Layout& layout, int size) {
  SplitLayout split;
  for (int i = 0; i < layout.rank; ++i) {
    const Mode mode = layout.mode[i];
    const int inside = min_of(mode.shape, size);
    split.inner = append(split.inner, {inside, mode.stride});
    split.outer = append(split.outer, {mode.shape / inside, mode.stride * inside});
    size /= inside;
  }
  return split;
}

constexpr Mnk counts_of(const Numbering& numbering) {
  Mnk count;
  for (int i = 0; i < numbering.size; ++i) {
    const Numbering::Digit& d = numbering.digit[i];
    (d.axis == Numbering::Axis::m   ? count.m
     : d.axis == Numbering::Axis::n ? count.n
                                    : count.k) *= d.count;
  }
  return count;
}

constexpr void set_row(LevelRow& row, IndexRuns rows, IndexRuns cols, int k, int threads) {
  row.rows = rows, row.cols = cols;
  row.box = {rows.size(), cols.size(), k};
  row.threads = threads;
  row.count = counts_of(row.numbering);
}

constexpr IndexRuns whole(int extent) { return {.run = extent}; }

/// A matrix instruction: the warp's tile is made of its atoms, an atom of what its lanes hold.
constexpr void set_shared_atoms(Hierarchy& h, const KernelPlan& plan) {
  using Axis = Numbering::Axis;
  const MmaAtom& atom = plan.atom;
  LevelRow &warp = h[Level::warp], &tile = h[Level::atom], &lane = h[Level::lane];
  set_row(warp, whole(plan.warp_m), whole(plan.warp_n), plan.block_k / plan.warps_k,
          32 * plan.warps_per_atom());
  tile.numbering.add(Axis::n, mmas_n(plan));
  tile.numbering.add(Axis::m, mmas_m(plan));
  tile.numbering.add(Axis::k, mmas_k(plan));
  set_row(tile, whole(atom.m), whole(atom.n), atom.k, atom.threads());
  AxisSteps rows, cols;
  add_steps(rows, atom.c.value, atom.m, true), add_steps(cols, atom.c.value, atom.m, false);
  add_digits(lane.numbering, atom.c.thread, atom.m);
  lane.numbering.add(Axis::k, atom.group.size());  // groups of lanes with a product each
  set_row(lane, rows.runs(), cols.runs(), atom.k, 1);
}

/// Thread tiles: the warp is made of its lanes' tiles, which are the atoms.
constexpr void set_thread_tiles(Hierarchy& h, const KernelPlan& plan, const SplitLayout& threads) {
  const MmaAtom& atom = plan.atom;
  LevelRow &warp = h[Level::warp], &tile = h[Level::atom], &lane = h[Level::lane];
  AxisSteps rows, cols;
  rows.add({mmas_m(plan), atom.m}), cols.add({mmas_n(plan), atom.n});
  add_steps(rows, atom.c.value, atom.m, true), add_steps(cols, atom.c.value, atom.m, false);
  add_digits(tile.numbering, threads.inner, atom.m);
  tile.numbering.add(Numbering::Axis::k, mmas_k(plan));
  set_row(tile, rows.runs(), cols.runs(), atom.k, 1);
  set_row(lane, rows.runs(), cols.runs(), atom.k, 1);
  add_steps(rows, threads.inner, atom.m, true), add_steps(cols, threads.inner, atom.m, false);
  set_row(warp, rows.runs(), cols.runs(), plan.block_k / plan.warps_k, min_of(32, plan.threads));
}

constexpr bool warps_fit(const KernelPlan& p) {
  if (p.warps_m < 1 || p.warps_n < 1 || p.warps_k < 1 || p.warp_m < 1 || p.warp_n < 1) return false;
  if (p.threads < 1 || p.atom.m < 1 || p.atom.n < 1 || p.atom.k < 1) return false;
  return mmas_m(p) > 0 && mmas_n(p) > 0 && p.atom.c.values() > 0;
}

}  // namespace detail

constexpr Hierarchy hierarchy_of(const KernelPlan& plan) {
  using Axis = Numbering::Axis;
  Hierarchy h;
  const Raster& raster = plan.work.raster;
  if (plan.block_m < 1 || plan.block_n < 1 || raster.tiles() < 1) return h;
  h.levels = 2;
  LevelRow &grid = h[Level::grid], &cta = h[Level::cta], &warp = h[Level::warp];
  detail::set_row(grid, detail::whole(raster.tiles_m * plan.block_m),
                  detail::whole(raster.tiles_n * plan.block_n), plan.work.k_slices * plan.block_k,
                  plan.threads);
  detail::set_row(cta, detail::whole(plan.block_m), detail::whole(plan.block_n), plan.block_k,
                  plan.threads);
  cta.count = {raster.tiles_m, raster.tiles_n, plan.work.k_slices};
  if (!detail::warps_fit(plan)) return h;
  h.levels = kLevels;
  const bool share = is_instruction(plan.atom.kind);
  const detail::SplitLayout threads = detail::split_layout(plan.atom.c.thread, 32);
  if (!share) detail::add_digits(warp.numbering, threads.outer, plan.atom.m);
  warp.numbering.add(Axis::n, plan.warps_n);
  warp.numbering.add(Axis::m, plan.warps_m);
  warp.numbering.add(Axis::k, plan.warps_k);
  share ? detail::set_shared_atoms(h, plan) : detail::set_thread_tiles(h, plan, threads);
  return h;
}

/// Where the part with a number stands among those of the part above, and back. Not of CTAs, whose
/// order is the raster's.
constexpr Mnk part_coord(const LevelRow& row, int number) {
  Mnk at{0, 0, 0}, before;
  for (int i = 0; i < row.numbering.size; ++i) {
    const Numbering::Digit& d = row.numbering.digit[i];
    const auto take = [&](int& along, int& unit) {
      along += number % d.count * unit;
      unit *= d.count;
    };
    d.axis == Numbering::Axis::m   ? take(at.m, before.m)
    : d.axis == Numbering::Axis::n ? take(at.n, before.n)
                                   : take(at.k, before.k);
    number /= d.count;
  }
  return at;
}
constexpr int part_number(const LevelRow& row, Mnk at) {
  int number = 0, before = 1;
  for (int i = 0; i < row.numbering.size; ++i) {
    const Numbering::Digit& d = row.numbering.digit[i];
    int& along = d.axis == Numbering::Axis::m ? at.m : d.axis == Numbering::Axis::n ? at.n : at.k;
    number += along % d.count * before;
    along /= d.count;
    before *= d.count;
  }
  return number;
}

/// One part of each level. Of thread tiles the lane says which atom it is.
struct LevelPlace {
  Coord cta;  // block tile: row, column of tiles
  int k_slice = 0;
  int warp = 0;    // of the CTA
  Coord atom;      // of the warp's tile
  int k_step = 0;  // of the slice, in units of the atom's k
  int lane = 0;    // of the warp
};

/// What a part computes of C, and along which k, in indices of the matrices.
struct LevelPart {
  IndexRuns m, n, k;
};

/// First row and column of a part in its block tile.
constexpr Coord part_origin(const KernelPlan& plan, const Hierarchy& h, Level level,
                            const LevelPlace& at) {
  const bool share = h.lanes_share_atoms();
  switch (level) {
    case Level::grid:
    case Level::cta:
      return {0, 0};
    case Level::warp:
      return share ? warp_origin(plan, at.warp) : thread_origin(plan, at.warp * 32);
    case Level::atom:
      if (!share) return thread_origin(plan, at.warp * 32 + at.lane);
      return warp_origin(plan, at.warp) + mma_origin(plan, at.atom.row, at.atom.col);
    case Level::lane:
      if (!share) return thread_origin(plan, at.warp * 32 + at.lane);
      return warp_origin(plan, at.warp) + mma_origin(plan, at.atom.row, at.atom.col) +
             thread_coord(plan.atom.c, atom_thread_of(plan, at.warp, at.lane));
  }
  return {0, 0};
}

constexpr LevelPart part_of(const KernelPlan& plan, const Hierarchy& h, Level level,
                            const LevelPlace& at) {
  const LevelRow& row = h[level];
  LevelPart part{row.rows, row.cols, detail::whole(row.box.k)};
  if (level == Level::grid || !h.has(level)) return part;
  const Coord origin = block_origin(plan, at.cta) + part_origin(plan, h, level, at);
  part.m = moved(part.m, origin.row), part.n = moved(part.n, origin.col);
  const int in_slice = level == Level::cta    ? 0
                       : level == Level::warp ? warp_k_origin(plan, at.warp)
                                              : at.k_step * row.box.k;
  part.k = moved(part.k, at.k_slice * plan.block_k + in_slice);
  return part;
}

/// What one arithmetic instruction does: an mma of its warps on fragments, or an FFMA of one lane.
struct Arithmetic {
  Mnk shape;                // products, summed along k
  int threads = 1;          // that issue it together
  int a = 1, b = 1, c = 1;  // values read of each in registers; as many as of C are written
};
constexpr Arithmetic arithmetic_of(const KernelPlan& plan) {
  const MmaAtom& atom = plan.atom;
  if (!is_instruction(atom.kind)) return {};
  const auto held = [&atom](Operand o) {
    const FragmentLayout& f = fragment_of(atom, o);
    return atom.in_shared(o) ? 0 : f.threads() * f.values();
  };
  return {{atom.m, atom.n, atom.k},
          atom.threads(),
          held(Operand::a),
          held(Operand::b),
          held(Operand::c)};
}
/// The level whose parts find each other's operands in registers: what instructions are repeated
/// over.
constexpr Level register_level(const Hierarchy& h) {
  return h.lanes_share_atoms() ? Level::warp : Level::atom;
}

}  // namespace tilescope
