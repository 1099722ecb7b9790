// The lines of a matrix product's operands as provenance has them: tags of units along k.
#pragma once
#include <cstdint>

#include "emulator/provenance/product_shape.h"
#include "emulator/provenance/shadow.h"
#include "emulator/provenance/tracker.h"

namespace tilescope::emulator {

inline constexpr uint32_t kMostUnits = 64, kMostLines = 32;

/// Units of A or B that follow each other evenly: how the sums of a row or column go on.
struct Line {
  Tag first = 0;
  int32_t step = 0;
  bool even = true;
  uint32_t route = 0;
};

inline Line line_of(const Tag* units, uint32_t count, uint32_t route) {
  Line l{units[0], 0, true, route};
  if (count > 1) l.step = static_cast<int32_t>(units[1] - units[0]);
  uint32_t wrong = 0;
  for (uint32_t k = 2; k < count; ++k) {
    wrong |= units[k] ^ (units[k - 1] + static_cast<uint32_t>(l.step));
  }
  l.even = wrong == 0;
  const bool leaves = l.even && (units[0] == 0 ? l.step == 0 : is_leaf(units[0]));
  l.even =
      leaves && is_leaf(units[0] + (count - 1) * static_cast<uint32_t>(l.step) + (units[0] == 0));
  return l;
}

struct Factors {  // all rows of A, or columns of B
  Tag units[kMostLines * kMostUnits];
  uint32_t route[kMostLines];
  Line line[kMostLines];
};

// Register r of A or B has, in the lanes of group l / 4, units of one line of eight lines. Of lines
// by sixteens (A, and B of wmma where n is 32), registers go down first, then along k.
struct Where {
  uint32_t first_line, block;  // the eight lines; which 4 · packed units of theirs
};
inline Where where(uint32_t r, uint32_t lines, uint32_t each, bool is_b) {
  if (lines == 8) return {0, r};
  if (is_b && lines == 16) return {8 * (r / each), r % each};
  return {8 * (2 * (r / (2 * each)) + r % 2), r % (2 * each) / 2};
}

inline void gather(Factors& to, const ProductShape& s, const Plane& v, Where at) {
  const uint32_t p = s.packed;
  for (uint32_t line = 0; line < 8; ++line) {
    Tag* units = to.units + (at.first_line + line) * s.units + 4 * p * at.block;
    const uint32_t lane = 4 * line;
    for (uint32_t q = 0; q < 4; ++q) {
      units[p * q] = v.half[0][lane + q];
      if (p == 2) units[2 * q + 1] = v.half[1][lane + q];
    }
    if (at.block == 0) to.route[at.first_line + line] = v.route[lane];
  }
}

/// The first leaf of a line, and how many follow it evenly.
inline void note_line(const Factors& of, uint32_t line, uint32_t units, Tag& first, int32_t& step,
                      uint32_t& count) {
  const Tag* u = of.units + line * units;
  if (!is_leaf(u[0])) return;
  first = u[0];
  count = 1;
  if (units > 1 && is_leaf(u[1])) step = static_cast<int32_t>(u[1] - u[0]);
  while (step != 0 && count < units && is_leaf(u[count]) &&
         u[count] == u[count - 1] + static_cast<uint32_t>(step)) {
    ++count;
  }
}

/// `sum` and the products of row `row` of A and column `column` of B.
inline Tags add_line(Graph& graph, const Factors& a, uint32_t row, const Factors& b,
                     uint32_t column, uint32_t units, uint32_t inst, Tags sum, uint32_t sum_route) {
  const Line &x = a.line[row], &y = b.line[column];
  if (x.even && y.even) {
    if (graph.grow(sum, x.first, x.step, y.first, y.step, units, inst)) return sum;
    if (x.first == 0 && y.first == 0) return sum;  // padding
    return graph.extend(sum, sum_route, x.first, x.step, y.first, y.step, units, inst, x.route,
                        y.route);
  }
  for (uint32_t k = 0; k < units; ++k) {
    const Tag p = a.units[row * units + k], q = b.units[column * units + k];
    if (p == 0 && q == 0) continue;
    sum = graph.extend(sum, sum_route, p, 0, q, 0, 1, inst, x.route, y.route);
  }
  return sum;
}

}  // namespace tilescope::emulator
