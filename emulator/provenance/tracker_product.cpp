// Matrix products. Where a lane's registers lie in the matrices is written from the PTX ISA's text,
// as in isa/fragment.h and isa/wmma_fragment.h, but in units of 16 bits along k.
#include <bit>

#include "emulator/provenance/tracker.h"

namespace tilescope::emulator {
namespace {

constexpr uint32_t kMostUnits = 64, kMostLines = 32, kMostSums = 8;  // sums per lane

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
Where where(uint32_t r, uint32_t lines, uint32_t each, bool is_b) {
  if (lines == 8) return {0, r};
  if (is_b && lines == 16) return {8 * (r / each), r % each};
  return {8 * (2 * (r / (2 * each)) + r % 2), r % (2 * each) / 2};
}

void gather(Factors& to, const ProductShape& s, const Plane& v, Where at) {
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

uint32_t quad_product(uint32_t lane) { return lane % 16 / 4; }
uint32_t quad_line(uint32_t lane) { return lane % 4 + (lane < 16 ? 0u : 4u); }

// A lane's four elements: one line, or (`across`) one k of four lines.
void gather_quad(Factors& to, const Plane& v, uint32_t r, bool across) {
  for (uint32_t lane = 0; lane < 32; ++lane) {
    for (uint32_t h = 0; h < 2; ++h) {
      const uint32_t i = 2 * r + h, high = lane < 16 ? 0 : 4;
      const uint32_t line = 8 * quad_product(lane) + (across ? i + high : quad_line(lane));
      to.units[line * 4 + (across ? lane % 4 : i)] = v.half[h][lane];
      to.route[line] = v.route[lane];
    }
  }
}

struct Element {
  uint32_t row, col;  // line of A, line of B
};
Element element(ProductShape::Sums sums, uint32_t n, uint32_t lane, uint32_t i) {
  const uint32_t col = 2 * (lane % 4) + i % 2, first = 8 * quad_product(lane);
  switch (sums) {
    case ProductShape::Sums::transposed:
      return {col, lane / 4 + 8 * (i / 2)};
    case ProductShape::Sums::quad_half:
      return {first + quad_line(lane), first + i};
    case ProductShape::Sums::quad_float:
      return {first + lane % 2 + (i & 2u) + (lane < 16 ? 0 : 4),
              first + (i & 4u) + (lane & 2u) + (i & 1u)};
    default:
      return n == 16 ? Element{lane / 4 + 8 * (i / 2 % 2), col + 8 * (i / 4)}
                     : Element{lane / 4 + 8 * (i / 2), col};
  }
}

struct LaneSums {  // by element and lane
  Tags tags[kMostSums][32];
  uint32_t route[kMostSums][32];
};
// Of a quad's product, C and D lie differently if their types do.
LaneSums put_as(const LaneSums& from, const ProductShape& s) {
  LaneSums by_place, to;
  for (uint32_t i = 0; i < 8; ++i) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const Element e = element(s.sums_c, s.n, lane, i);
      by_place.tags[e.col % 8][e.row] = from.tags[i][lane];
      by_place.route[e.col % 8][e.row] = from.route[i][lane];
    }
  }
  for (uint32_t i = 0; i < 8; ++i) {
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const Element e = element(s.sums, s.n, lane, i);
      to.tags[i][lane] = by_place.tags[e.col % 8][e.row];
      to.route[i][lane] = by_place.route[e.col % 8][e.row];
    }
  }
  return to;
}

}  // namespace

void Tracker::matrix_product(const Context& c, uint32_t inst) {
  const ProductShape& s = plan_.shapes[plan_.steps[inst].shape];
  const uint32_t units = s.units;
  Factors a, b;
  if (s.is_quad()) {
    for (uint32_t r = 0; r < 2; ++r) {
      gather_quad(a, plane(c.warp, inst, s.d + r), r, s.a_by_column);
      gather_quad(b, plane(c.warp, inst, s.d + s.a + r), r, !s.b_by_column);
    }
  } else {
    const uint32_t each = units / (4 * s.packed);  // registers of eight lines
    for (uint32_t r = 0; r < s.m / 8 * each; ++r) {
      gather(a, s, plane(c.warp, inst, s.d + r), where(r, s.m, each, false));
    }
    for (uint32_t r = 0; r < s.n / 8 * each; ++r) {
      gather(b, s, plane(c.warp, inst, s.d + s.a + r), where(r, s.n, each, true));
    }
  }
  for (uint32_t i = 0; i < s.m; ++i) a.line[i] = line_of(a.units + i * units, units, a.route[i]);
  for (uint32_t j = 0; j < s.n; ++j) b.line[j] = line_of(b.units + j * units, units, b.route[j]);

  if (keeps_moved_) {
    now_ = {};
    const auto note = [units](const Factors& of, uint32_t line, Tag& first, int32_t& step,
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
    };
    for (uint32_t i = 0; i < s.m; ++i) note(a, i, now_.a[i], now_.a_step[i], now_.a_count[i]);
    for (uint32_t j = 0; j < s.n; ++j) note(b, j, now_.b[j], now_.b_step[j], now_.b_count[j]);
    has_moved_ = true;
  }
  const auto add = [&](Tags sum, uint32_t sum_route, Element e) {
    const Line &x = a.line[e.row], &y = b.line[e.col];
    if (x.even && y.even) {
      if (graph_.grow(sum, x.first, x.step, y.first, y.step, units, inst)) return sum;
      if (x.first == 0 && y.first == 0) return sum;  // padding
      return graph_.extend(sum, sum_route, x.first, x.step, y.first, y.step, units, inst, x.route,
                           y.route);
    }
    for (uint32_t k = 0; k < units; ++k) {
      const Tag p = a.units[e.row * units + k], q = b.units[e.col * units + k];
      if (p == 0 && q == 0) continue;
      sum = graph_.extend(sum, sum_route, p, 0, q, 0, 1, inst, x.route, y.route);
    }
    return sum;
  };
  // C is read before D is written: they may share registers in any order.
  const uint32_t count = s.half_d ? 2 * s.d : s.d, first_c = s.d + s.a + s.b;
  LaneSums sums;
  for (uint32_t i = 0; i < count; ++i) {
    const Plane v = plane(c.warp, inst, first_c + (s.half_c ? i / 2 : i));
    for (uint32_t lane = 0; lane < 32; ++lane) {
      sums.tags[i][lane] =
          s.half_c ? graph_.widen(v.half[i % 2][lane]) : v.tags(static_cast<int>(lane));
      sums.route[i][lane] = v.route[lane];
    }
  }
  if (s.sums != s.sums_c) sums = put_as(sums, s);
  for (uint32_t i = 0; i < count; ++i) {
    const Plane d = plane(c.warp, inst, s.half_d ? i / 2 : i);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const Tags sum = add(sums.tags[i][lane], sums.route[i][lane], element(s.sums, s.n, lane, i));
      if (!s.half_d) {
        d.set(static_cast<int>(lane), sum, 0);
      } else {
        d.half[i % 2][lane] = graph_.narrow(sum);
        d.route[lane] = 0;
      }
    }
  }
}

}  // namespace tilescope::emulator
