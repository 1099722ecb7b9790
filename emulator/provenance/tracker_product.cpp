// Matrix products. Where a lane's registers lie in the matrices is written from the PTX ISA's text,
// as in isa/fragment.h and isa/wmma_fragment.h, but in units of 16 bits along k.
#include <bit>

#include "emulator/provenance/factors.h"
#include "emulator/provenance/tracker.h"

namespace tilescope::emulator {
namespace {

constexpr uint32_t kMostSums = 8;  // per lane

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
    for (uint32_t i = 0; i < s.m; ++i) {
      note_line(a, i, units, now_.a[i], now_.a_step[i], now_.a_count[i]);
    }
    for (uint32_t j = 0; j < s.n; ++j) {
      note_line(b, j, units, now_.b[j], now_.b_step[j], now_.b_count[j]);
    }
    has_moved_ = true;
  }
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
      const Element e = element(s.sums, s.n, lane, i);
      const Tags sum = add_line(graph_, a, e.row, b, e.col, units, inst, sums.tags[i][lane],
                                sums.route[i][lane]);
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
