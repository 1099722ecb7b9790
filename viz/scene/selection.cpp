#include "viz/scene/selection.h"

#include <algorithm>

#include "viz/scene/builder.h"
#include "viz/scene/cells.h"

namespace tilescope::viz {
namespace {

Axis consecutive(int first, int count) { return {first, count, {}}; }

Axis axis_of(const IndexRuns& runs) {
  Axis axis = consecutive(runs.first, runs.size());
  for (int i = 0; runs.count > 1 && i < runs.size(); ++i) axis.list.push_back(runs.at(i));
  return axis;
}

LevelPlace place_of(const Selection& s, const Moment& at) {
  return {s.cta, at.k_slice, s.warp, {s.mma_m, s.mma_n}, at.k_step, s.lane};
}

LevelAxes axes_of(const KernelPlan& plan, Level level, const LevelPlace& at) {
  const Hierarchy h = hierarchy_of(plan);
  const LevelPart part = part_of(plan, h, level, at);
  return {axis_of(part.m), axis_of(part.n), axis_of(part.k)};
}

}  // namespace

int k_step_depth(const KernelPlan& plan) { return std::max(1, plan.atom.k); }
int k_steps(const KernelPlan& plan) { return std::max(1, plan.block_k / k_step_depth(plan)); }

int values_of(const KernelPlan& plan, Operand operand) {
  const Hierarchy h = hierarchy_of(plan);
  const Mnk& held = h[Level::lane].box;
  if (operand == Operand::c) return held.m * held.n;
  return h.lanes_share_atoms() ? fragment_of(plan.atom, operand).values() : 0;
}

Selection clamped(const Selection& selection, const KernelPlan& plan) {
  const auto limit = [](int value, int count) {
    return std::clamp(value, 0, std::max(0, count - 1));
  };
  Selection s = selection;
  s.cta = {limit(s.cta.row, plan.work.raster.tiles_m), limit(s.cta.col, plan.work.raster.tiles_n)};
  s.warp = limit(s.warp, plan.warps());
  const Hierarchy h = hierarchy_of(plan);
  const Mnk atoms = h.lanes_share_atoms() ? h[Level::atom].count : Mnk{};
  s.mma_m = limit(s.mma_m, atoms.m);
  s.mma_n = limit(s.mma_n, atoms.n);
  s.lane = limit(s.lane, std::min(32, plan.threads - s.warp * 32));
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

LevelAxes grid_axes(const KernelPlan& plan) { return axes_of(plan, Level::grid, {}); }
LevelAxes cta_axes(const KernelPlan& plan, const Selection& s, const Moment& at) {
  return axes_of(plan, Level::cta, place_of(s, at));
}
LevelAxes warp_axes(const KernelPlan& plan, const Selection& s, const Moment& at) {
  LevelAxes axes = axes_of(plan, Level::warp, place_of(s, at));
  axes.k = atom_axes(plan, s, at).k;
  return axes;
}
LevelAxes atom_axes(const KernelPlan& plan, const Selection& s, const Moment& at) {
  return axes_of(plan, Level::atom, place_of(s, at));
}

std::vector<WarpRegion> warp_regions(const KernelPlan& plan) {
  std::vector<WarpRegion> regions;
  const Hierarchy h = hierarchy_of(plan);
  for (int warp = 0; warp < plan.warps(); ++warp) {
    LevelPlace at;
    at.warp = warp;
    const LevelPart part = part_of(plan, h, Level::warp, at);
    if (h.lanes_share_atoms() && plan.warps_per_atom() > 1) {
      for (int mi = 0; mi < mmas_m(plan); ++mi) {
        regions.push_back({warp,
                           part.m.first + mma_origin(plan, mi, 0).row + first_atom_row(plan, warp),
                           part.n.first, atom_rows_of_warp(plan), plan.warp_n});
      }
      continue;
    }
    for (int m = 0; m < part.m.count; ++m) {
      for (int n = 0; n < part.n.count; ++n) {
        regions.push_back({warp, part.m.first + m * part.m.step, part.n.first + n * part.n.step,
                           part.m.run, part.n.run});
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
      if (!hierarchy_of(plan).lanes_share_atoms()) return {};
      return product(atom_axes(plan, clamped(s, plan), at));
    default:
      return {};
  }
}

std::vector<ElementBox> fed_by(const Problem& problem, const Pick& pick) {
  if (pick.matrix < 0 || pick.row < 0 || pick.col < 0) return {};
  const auto o = static_cast<Operand>(pick.matrix);
  if (pick.row >= operand_rows(problem, o) || pick.col >= operand_cols(problem, o)) return {};
  switch (o) {
    case Operand::a:
      return {{Operand::c, pick.row, 0, 1, problem.n}};
    case Operand::b:
      return {{Operand::c, 0, pick.col, problem.m, 1}};
    case Operand::c:
      return {{Operand::a, pick.row, 0, 1, problem.k}, {Operand::b, 0, pick.col, problem.k, 1}};
  }
  return {};
}

}  // namespace tilescope::viz
