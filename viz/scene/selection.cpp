#include "viz/scene/selection.h"

#include <algorithm>
#include <set>
#include "core/layout/thread_elements.h"

#include "viz/scene/builder.h"
#include "viz/scene/cells.h"

namespace tilescope::viz {
namespace {

Axis consecutive(int first, int count) { return {first, count, {}}; }

Axis listed(const std::set<int>& values, int origin) {
  Axis axis;
  for (int value : values) axis.list.push_back(origin + value);
  axis.count = static_cast<int>(axis.list.size());
  axis.first = axis.list.empty() ? origin : axis.list.front();
  if (axis.count > 0 && axis.list.back() - axis.list.front() + 1 == axis.count) axis.list.clear();
  return axis;
}

/// Rows and columns of the block tile that a range of threads of a SIMT kernel holds.
void thread_rows_cols(const KernelPlan& plan, int first, int count, Coord origin, Axis* m,
                      Axis* n) {
  std::set<int> rows, cols, value_rows, value_cols;
  const Coord start = thread_origin(plan, 0);
  for (int v = 0; v < thread_elements(plan); ++v) {
    const Coord at = thread_element(plan, 0, v);
    value_rows.insert(at.row - start.row), value_cols.insert(at.col - start.col);
  }
  for (int t = first; t < std::min(first + count, plan.threads); ++t) {
    const Coord at = thread_origin(plan, t);
    for (int row : value_rows) rows.insert(at.row + row);
    for (int col : value_cols) cols.insert(at.col + col);
  }
  *m = listed(rows, origin.row), *n = listed(cols, origin.col);
}

Coord cta_origin(const KernelPlan& plan, const Selection& s) { return block_origin(plan, s.cta); }

Axis step_axis(const KernelPlan& plan, const Moment& at) {
  return consecutive(at.k_slice * plan.block_k + at.k_step * k_step_depth(plan),
                     k_step_depth(plan));
}

}  // namespace

int k_step_depth(const KernelPlan& plan) {
  return plan.math() == Math::mma && plan.atom.k > 0 ? plan.atom.k : 1;
}
int k_steps(const KernelPlan& plan) { return std::max(1, plan.block_k / k_step_depth(plan)); }

int values_of(const KernelPlan& plan, Operand operand) {
  if (plan.math() == Math::simt) return operand == Operand::c ? thread_elements(plan) : 0;
  return operand == Operand::a   ? plan.atom.a.values()
         : operand == Operand::b ? plan.atom.b.values()
                                 : plan.atom.c.values();
}

Selection clamped(const Selection& selection, const KernelPlan& plan) {
  const auto limit = [](int value, int count) {
    return std::clamp(value, 0, std::max(0, count - 1));
  };
  Selection s = selection;
  s.cta = {limit(s.cta.row, plan.work.raster.tiles_m), limit(s.cta.col, plan.work.raster.tiles_n)};
  s.warp = limit(s.warp, plan.warps());
  const bool mma = plan.math() == Math::mma;
  s.mma_m = mma ? limit(s.mma_m, mmas_m(plan)) : 0;
  s.mma_n = mma ? limit(s.mma_n, mmas_n(plan)) : 0;
  s.lane = limit(s.lane, mma ? 32 : std::min(32, plan.threads - s.warp * 32));
  s.output = limit(s.output, values_of(plan, Operand::c));
  return s;
}

Moment clamped(const Moment& moment, const KernelPlan& plan) {
  return {std::clamp(moment.k_slice, 0, std::max(0, plan.work.k_slices - 1)),
          std::clamp(moment.k_step, 0, k_steps(plan) - 1)};
}

std::vector<Span> spans(const Axis& outer, const Axis& inner) {
  std::vector<Span> found;
  if (inner.count <= 0 || outer.count <= 0) return found;
  if (outer.list.empty() && inner.list.empty()) {
    const int from = std::max(0, inner.first - outer.first);
    const int to = std::min(outer.count, inner.first + inner.count - outer.first);
    if (from < to) found.push_back({from, to});
    return found;
  }
  for (int i = 0; i < inner.count; ++i) {
    const int index = inner.at(i);
    int place = index - outer.first;
    if (!outer.list.empty()) {
      const auto it = std::lower_bound(outer.list.begin(), outer.list.end(), index);
      if (it == outer.list.end() || *it != index) continue;
      place = static_cast<int>(it - outer.list.begin());
    }
    if (place < 0 || place >= outer.count) continue;
    if (!found.empty() && found.back().to == place) {
      ++found.back().to;
    } else {
      found.push_back({place, place + 1});
    }
  }
  return found;
}

std::string axis_text(const Axis& axis) {
  if (axis.list.empty()) return range_text(axis.first, axis.first + axis.count - 1);
  std::string text;
  int runs = 0;
  for (int i = 0; i < axis.count;) {
    int j = i;
    while (j + 1 < axis.count && axis.at(j + 1) == axis.at(j) + 1) ++j;
    if (runs == 2) return text + ", …";
    text += (runs > 0 ? ", " : "") + range_text(axis.at(i), axis.at(j));
    ++runs;
    i = j + 1;
  }
  return text;
}

LevelAxes grid_axes(const KernelPlan& plan) {
  return {consecutive(0, plan.work.raster.tiles_m * plan.block_m),
          consecutive(0, plan.work.raster.tiles_n * plan.block_n),
          consecutive(0, plan.work.k_slices * plan.block_k)};
}

LevelAxes cta_axes(const KernelPlan& plan, const Selection& s, const Moment& at) {
  const Coord origin = cta_origin(plan, s);
  return {consecutive(origin.row, plan.block_m), consecutive(origin.col, plan.block_n),
          consecutive(at.k_slice * plan.block_k, plan.block_k)};
}

LevelAxes warp_axes(const KernelPlan& plan, const Selection& s, const Moment& at) {
  const Coord origin = cta_origin(plan, s);
  LevelAxes axes;
  axes.k = step_axis(plan, at);
  if (plan.math() == Math::mma) {
    const Coord warp = origin + warp_origin(plan, s.warp);
    axes.m = consecutive(warp.row, plan.warp_m), axes.n = consecutive(warp.col, plan.warp_n);
  } else {
    thread_rows_cols(plan, s.warp * 32, 32, origin, &axes.m, &axes.n);
  }
  return axes;
}

LevelAxes thread_axes(const KernelPlan& plan, const Selection& s, const Moment& at) {
  const Coord origin = cta_origin(plan, s);
  LevelAxes axes;
  axes.k = step_axis(plan, at);
  if (plan.math() == Math::mma) {
    const Coord tile = origin + warp_origin(plan, s.warp) + mma_origin(plan, s.mma_m, s.mma_n);
    axes.m = consecutive(tile.row, plan.atom.m), axes.n = consecutive(tile.col, plan.atom.n);
  } else {
    thread_rows_cols(plan, thread_of(s), 1, origin, &axes.m, &axes.n);
  }
  return axes;
}

std::vector<WarpRegion> warp_regions(const KernelPlan& plan) {
  std::vector<WarpRegion> regions;
  if (plan.math() == Math::mma) {
    for (int warp = 0; warp < plan.warps(); ++warp) {
      const Coord at = warp_origin(plan, warp);
      regions.push_back({warp, at.row, at.col, plan.warp_m, plan.warp_n});
    }
    return regions;
  }
  // A SIMT warp's elements are the product of its rows and its columns.
  for (int warp = 0; warp < plan.warps(); ++warp) {
    Axis m, n;
    thread_rows_cols(plan, warp * 32, 32, {0, 0}, &m, &n);
    const Axis rows = consecutive(0, plan.block_m), cols = consecutive(0, plan.block_n);
    for (const Span& r : spans(rows, m)) {
      for (const Span& c : spans(cols, n)) {
        regions.push_back({warp, r.from, c.from, r.to - r.from, c.to - c.from});
      }
    }
  }
  return regions;
}

std::vector<ElementBox> elements_of(const KernelPlan& plan, const Selection& selection,
                                    const Moment& at, const Pick& pick) {
  const auto product = [](const LevelAxes& axes) {
    std::vector<ElementBox> boxes;
    const auto runs = [](const Axis& axis) {
      Axis whole = consecutive(axis.first, axis.last() - axis.first + 1);
      std::vector<Span> found = spans(whole, axis);
      for (Span& span : found) span = {span.from + axis.first, span.to + axis.first};
      return found;
    };
    for (const Span& m : runs(axes.m)) {
      for (const Span& k : runs(axes.k)) {
        boxes.push_back({Operand::a, m.from, k.from, m.to - m.from, k.to - k.from});
      }
      for (const Span& n : runs(axes.n)) {
        boxes.push_back({Operand::c, m.from, n.from, m.to - m.from, n.to - n.from});
      }
    }
    for (const Span& k : runs(axes.k)) {
      for (const Span& n : runs(axes.n)) {
        boxes.push_back({Operand::b, k.from, n.from, k.to - k.from, n.to - n.from});
      }
    }
    return boxes;
  };
  Selection s = selection;
  switch (pick.kind) {
    case Pick::Kind::element:
      if (pick.row < 0 || pick.col < 0 || pick.matrix < 0) return {};
      return {{static_cast<Operand>(pick.matrix), pick.row, pick.col, 1, 1}};
    case Pick::Kind::cta:
      s.cta = {pick.cta_row, pick.cta_col};
      return product(cta_axes(plan, clamped(s, plan), at));
    case Pick::Kind::warp:
      s.warp = pick.warp;
      return product(warp_axes(plan, clamped(s, plan), at));
    case Pick::Kind::mma:
      s.mma_m = pick.mma_m, s.mma_n = pick.mma_n;
      if (plan.math() != Math::mma) return {};
      return product(thread_axes(plan, clamped(s, plan), at));
    default:
      return {};
  }
}

}  // namespace tilescope::viz
