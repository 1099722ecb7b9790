// ldmatrix, stmatrix, movmatrix and matrix products. Where a lane's registers lie in the matrices
// is written from the PTX ISA's text, as in isa/fragment.h, but in units of 16 bits along k.
#include <algorithm>
#include <bit>

#include "emulator/tracker.h"

namespace tilescope::emulator {
namespace {

// The halves of a register over a warp are an 8 × 8 tile: lane l has row l / 4, columns 2 (l % 4),
// +1.
Tag& tile(const Plane& p, int row, int col) { return p.half[col % 2][4 * row + col / 2]; }

/// Units of A or B that follow each other evenly: how the sums of a row or column go on.
struct Line {
  Tag first = 0;
  int32_t step = 0;
  bool even = true;
  uint32_t route = 0;
};

Line line_of(const Tag* units, uint32_t count, uint32_t route) {
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

}  // namespace

void Tracker::load_matrix(const Context& c, uint32_t inst) {
  const Access& a = accesses_.front();
  const Step& s = plan_.steps[inst];
  for (uint32_t q = 0; q < s.results; ++q) {
    const Plane d = plane(c.warp, inst, q);
    for (int row = 0; row < 8; ++row) {
      const size_t lane = 8 * q + static_cast<size_t>(row);
      const uint64_t g = a.address[lane] / 2;
      if (!((a.mask >> lane) & 1u) || g + 8 > shared_.size()) continue;
      const Tag* from = shared_.data() + g;
      const uint32_t* routes = shared_route_.data() + g;
      if (!s.transposed) {
        for (int l = 0; l < 4; ++l) {
          d.half[0][4 * row + l] = from[2 * l];
          d.half[1][4 * row + l] = from[2 * l + 1];
          d.route[4 * row + l] = graph_.route(inst, routes[2 * l]);
        }
        continue;
      }
      for (int col = 0; col < 8; ++col) {
        tile(d, col, row) = from[col];
        d.route[4 * col + row / 2] = graph_.route(inst, routes[col]);
      }
    }
  }
}

void Tracker::store_matrix(const Context& c, uint32_t inst) {
  const Access& a = accesses_.front();
  const Step& s = plan_.steps[inst];
  for (uint32_t q = 0; q + 1 < s.operands; ++q) {
    const Plane v = plane(c.warp, inst, 1 + q);
    for (int row = 0; row < 8; ++row) {
      const size_t lane = 8 * q + static_cast<size_t>(row);
      const uint64_t g = a.address[lane] / 2;
      if (!((a.mask >> lane) & 1u) || g + 8 > shared_.size()) continue;
      for (int col = 0; col < 8; ++col) {
        const int r = s.transposed ? col : row, k = s.transposed ? row : col;
        shared_[g + static_cast<uint64_t>(col)] = tile(v, r, k);
        shared_route_[g + static_cast<uint64_t>(col)] = graph_.route(inst, v.route[4 * r + k / 2]);
      }
    }
  }
}

void Tracker::move_matrix(const Context& c, uint32_t inst) {
  const Plane d = plane(c.warp, inst, 0), v = plane(c.warp, inst, 1);
  Tag from[8][8];
  uint32_t routes[32];
  std::copy(v.route, v.route + 32, routes);
  for (int row = 0; row < 8; ++row) {
    for (int col = 0; col < 8; ++col) from[row][col] = tile(v, row, col);
  }
  for (int row = 0; row < 8; ++row) {
    for (int col = 0; col < 8; ++col) {
      tile(d, row, col) = from[col][row];
      d.route[4 * row + col / 2] = graph_.route(inst, routes[4 * col + row / 2]);
    }
  }
}

void Tracker::matrix_product(const Context& c, uint32_t inst) {
  const ProductShape& shape = plan_.shapes[plan_.steps[inst].shape];
  const uint32_t n = shape.wmma ? 16 : 8, units = shape.units, p = shape.packed;
  constexpr uint32_t kMost = 64;
  if (units > kMost) return;
  Tag a[16 * kMost], b[16 * kMost];  // by row, then unit; by column, then unit
  uint32_t a_route[16] = {}, b_route[16] = {};
  const uint32_t rows_a = shape.m / 8;
  const uint32_t used_a = rows_a * units / (4 * p), used_b = n / 8 * units / (4 * p);
  // Register r of a lane in group `line`: units 4p · block + p · (lane % 4) of that line.
  const auto gather = [&](Tag* to, uint32_t* route, const Plane& v, uint32_t first,
                          uint32_t block) {
    for (uint32_t line = 0; line < 8; ++line) {
      Tag* units_of = to + (first + line) * units + 4 * p * block;
      const uint32_t lane = 4 * line;
      for (uint32_t q = 0; q < 4; ++q) {
        units_of[p * q] = v.half[0][lane + q];
        if (p == 2) units_of[2 * q + 1] = v.half[1][lane + q];
      }
      if (block == 0) route[first + line] = v.route[lane];
    }
  };
  const uint32_t each = units / (4 * p);  // registers of eight rows or columns
  for (uint32_t r = 0; r < used_a; ++r) {
    gather(a, a_route, plane(c.warp, inst, shape.d + r), 8 * (r % rows_a), r / rows_a);
  }
  for (uint32_t r = 0; r < used_b; ++r) {
    gather(b, b_route, plane(c.warp, inst, shape.d + shape.a + r), 8 * (r / each), r % each);
  }
  Line rows[16], cols[16];
  for (uint32_t i = 0; i < shape.m; ++i) rows[i] = line_of(a + i * units, units, a_route[i]);
  for (uint32_t j = 0; j < n; ++j) cols[j] = line_of(b + j * units, units, b_route[j]);

  if (keeps_moved_) {
    now_ = {};
    for (uint32_t i = 0; i < shape.m; ++i) now_.a[i] = is_leaf(a[i * units]) ? a[i * units] : 0;
    for (uint32_t j = 0; j < n; ++j) now_.b[j] = is_leaf(b[j * units]) ? b[j * units] : 0;
    has_moved_ = true;
  }
  const auto add = [&](Tags sum, uint32_t sum_route, uint32_t row, uint32_t col) {
    const Line &x = rows[row], &y = cols[col];
    if (x.even && y.even) {
      if (graph_.grow(sum, x.first, x.step, y.first, y.step, units, inst)) return sum;
      if (x.first == 0 && y.first == 0) return sum;  // padding
      return graph_.extend(sum, sum_route, x.first, x.step, y.first, y.step, units, inst, x.route,
                           y.route);
    }
    for (uint32_t k = 0; k < units; ++k) {
      const Tag s = a[row * units + k], t = b[col * units + k];
      if (s == 0 && t == 0) continue;
      sum = graph_.extend(sum, sum_route, s, 0, t, 0, 1, inst, x.route, y.route);
    }
    return sum;
  };
  const uint32_t first_c = shape.d + shape.a + shape.b;
  for (uint32_t r = 0; r < shape.d; ++r) {
    const Plane d = plane(c.warp, inst, r), sums = plane(c.warp, inst, first_c + r);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const int l = static_cast<int>(lane);
      const uint32_t sum_route = sums.route[lane];
      const uint32_t i0 = shape.half_sums ? 2 * r : r;  // element of the accumulator
      const auto row_of = [&](uint32_t i) { return lane / 4 + 8 * (i / 2 % 2); };
      const auto col_of = [&](uint32_t i) { return 2 * (lane % 4) + i % 2 + 8 * (i / 4); };
      if (!shape.half_sums) {
        d.set(l, add(sums.tags(l), sum_route, row_of(i0), col_of(i0)), 0);
        continue;
      }
      const Tag lo = sums.half[0][lane], hi = sums.half[1][lane];
      const Tags s0 = add(graph_.widen(lo), sum_route, row_of(i0), col_of(i0));
      const Tags s1 = add(graph_.widen(hi), sum_route, row_of(i0 + 1), col_of(i0 + 1));
      d.set(l, {graph_.narrow(s0), graph_.narrow(s1)}, 0);
    }
  }
}

}  // namespace tilescope::emulator
