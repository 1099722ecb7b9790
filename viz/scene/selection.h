// The selection, from the grid down to a lane, and the moment of the kernel that is shown. Where
// something lies is always asked of core/layout; there is no formula of its own here.
#pragma once
#include <optional>

#include "core/layout/hierarchy.h"
#include "viz/scene/scene.h"

namespace tilescope::viz {

struct Selection {
  Coord cta;                 // block tile of C: row, column of tiles
  int warp = 0;              // of the CTA
  int mma_m = 0, mma_n = 0;  // tile of the warp (mma kernels)
  int lane = 0;
  int output = 0;  // value of the lane's accumulators: the output whose inputs are shown
  bool operator==(const Selection&) const = default;
};

struct Moment {
  int k_slice = 0;
  int k_step = 0;  // inside the slice, in units of the atom's k
  bool operator==(const Moment&) const = default;
};

/// k steps in one slice.
int k_steps(const KernelPlan& plan);
/// Depth of one k step in elements.
int k_step_depth(const KernelPlan& plan);

/// Values of an operand that one lane holds.
int values_of(const KernelPlan& plan, Operand operand);

/// The selection that is nearest to one made for another plan and that this plan has.
Selection clamped(const Selection& selection, const KernelPlan& plan);
Moment clamped(const Moment& moment, const KernelPlan& plan);

/// Indices along m, n or k: consecutive, or a list where a warp's threads lie apart.
struct Axis {
  int first = 0, count = 0;
  std::vector<int> list;  // ascending; used if not empty
  int at(int i) const { return list.empty() ? first + i : list[static_cast<size_t>(i)]; }
  int last() const { return at(count - 1); }
};
/// Where the indices of `inner` lie among those of an outer axis: runs of consecutive places
/// [from, to), counted in cells of the outer axis.
struct Span {
  int from = 0, to = 0;
};
std::vector<Span> spans(const Axis& outer, const Axis& inner);
/// "464–479"; lists as "0–7, 64–71", shortened with "…" after two runs.
std::string axis_text(const Axis& axis);

/// The part of m, n and k that a level shows, in indices of the matrices.
struct LevelAxes {
  Axis m, n, k;
};
LevelAxes grid_axes(const KernelPlan& plan);
LevelAxes cta_axes(const KernelPlan& plan, const Selection& s, const Moment& at);
/// Of what lies below the CTA that k step alone which is shown.
LevelAxes warp_axes(const KernelPlan& plan, const Selection& s, const Moment& at);
LevelAxes atom_axes(const KernelPlan& plan, const Selection& s, const Moment& at);

/// Thread of the CTA that is chosen.
inline int thread_of(const Selection& s) { return s.warp * 32 + s.lane; }

/// One rectangle of the block tile that a warp computes.
struct WarpRegion {
  int warp = 0;
  int row = 0, col = 0, rows = 0, cols = 0;
};
std::vector<WarpRegion> warp_regions(const KernelPlan& plan);

/// The elements of one matrix that a thing in a picture stands for (a CTA, a lane, a register):
/// when the pointer is on it, they are highlighted at every level.
struct ElementBox {
  Operand matrix = Operand::c;
  int row = 0, col = 0, rows = 1, cols = 1;
  bool operator==(const ElementBox&) const = default;
};
std::vector<ElementBox> elements_of(const KernelPlan& plan, const Selection& s, const Moment& at,
                                    const Pick& pick);

/// What an element of A or B feeds: outputs, all along n or m; what an element of C is made of: a
/// row of A and a column of B. Within the matrices; empty where the pick is no element of them.
std::vector<ElementBox> fed_by(const Problem& problem, const Pick& pick);

}  // namespace tilescope::viz
