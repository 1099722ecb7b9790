// Values inside a lane, and between the lanes of a warp: moves, sums, products, everything else.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/machine/clones.h"
#include "emulator/provenance/tracker.h"

namespace tilescope::emulator {
namespace {

constexpr uint32_t kShuffleOperands = 6;

uint32_t word(const Context& c, uint32_t slot, int lane) {
  return reinterpret_cast<const uint32_t*>(c.registers + slot)[lane];
}
bool is_data(Tags t) { return t.lo != 0 || t.hi != 0; }
/// The one tag of a factor: an element, whichever half of a wider register it fills.
Tag factor(Tags t) { return t.lo ? t.lo : t.hi; }

}  // namespace

// All halves of the sources, one after the other, are the halves of the results.
void Tracker::move(const Context& c, uint32_t inst, uint32_t active) {
  if (active == ~0u && move_whole(c.warp, inst)) return;
  const Step& s = plan_.steps[inst];
  Plane results[8], sources[8];
  const int n = std::min<int>(s.operands, 8);
  for (int k = 0; k < n; ++k) {
    (k < s.results ? results[k] : sources[k - s.results]) =
        plane(c.warp, inst, static_cast<uint32_t>(k));
  }
  for (uint32_t m = active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    Tag halves[16] = {};
    uint32_t routes[16] = {};
    int count = 0;
    for (int k = 0; k < n - s.results; ++k) {
      for (int h = 0; h < sources[k].halves && count < 16; ++h) {
        routes[count] = sources[k].route[lane];
        halves[count++] = sources[k].half[h][lane];
      }
    }
    // A 16-bit sum that becomes part of a register, or leaves one, is one tag already.
    int at = 0;
    for (int k = 0; k < s.results; ++k) {
      uint32_t route = 0;
      for (int h = 0; h < results[k].halves; ++h, ++at) {
        results[k].half[h][lane] = at < count ? halves[at] : 0;
        if (route == 0 && at < count && halves[at]) route = routes[at];
      }
      results[k].route[lane] = route;
    }
  }
}

void Tracker::choose(const Context& c, const Inst& in, uint32_t inst, uint32_t active) {
  const uint32_t p = c.predicates[in.r[3]];
  const Plane d = plane(c.warp, inst, 0), a = plane(c.warp, inst, 1), b = plane(c.warp, inst, 2);
  for (uint32_t m = active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    const Plane& from = (p >> lane) & 1u ? a : b;
    for (int h = 0; h < d.halves; ++h) d.half[h][lane] = h < from.halves ? from.half[h][lane] : 0;
    d.route[lane] = from.route[lane];
  }
}

// As rows_warp.cpp finds the lane to read from.
void Tracker::shuffle(const Context& c, const Inst& in, uint32_t inst, uint32_t active) {
  const uint32_t* list = c.lists + in.list;
  const std::string_view opcode = code_.canonical[code_.info[inst].opcode];
  if (plan_.steps[inst].operands != kShuffleOperands) return;
  const Plane d = plane(c.warp, inst, 0), v = plane(c.warp, inst, 2);
  Tags tags[32];
  uint32_t routes[32];
  for (int i = 0; i < 32; ++i) {
    tags[i] = v.tags(i);
    routes[i] = v.route[i];
  }
  for (uint32_t m = active; m; m &= m - 1) {
    const uint32_t i = static_cast<uint32_t>(std::countr_zero(m));
    const int lane = static_cast<int>(i);
    const uint32_t b = word(c, list[3], lane) & 31u, control = word(c, list[4], lane);
    const uint32_t clamp = control & 31u, segment = (control >> 8) & 31u;
    const uint32_t highest = (i & segment) | (clamp & ~segment), lowest = i & segment;
    uint32_t j = i;
    bool good = false;
    if (opcode.find(".up") != opcode.npos) {
      j = i - b;
      good = static_cast<int32_t>(j) >= static_cast<int32_t>(highest);
    } else if (opcode.find(".down") != opcode.npos) {
      j = i + b;
      good = j <= highest;
    } else if (opcode.find(".bfly") != opcode.npos) {
      j = i ^ b;
      good = j <= highest;
    } else {
      j = lowest | (b & ~segment);
      good = j <= highest;
    }
    const uint32_t from = good ? j & 31u : i;
    const bool any = is_data(tags[from]);
    d.set(lane, tags[from], any ? graph_.route(inst, routes[from]) : 0);
  }
}

Tags Tracker::product_of(uint32_t inst, Tags a, Tags b, Tags sum, const uint32_t* routes) {
  const auto plain = [](Tags t) { return !is_data(t) || is_leaf(factor(t)); };
  if (!is_data(a) && !is_data(b)) {
    return sum;  // a constant is added: to padding that is zero, most likely
  }
  if (!plain(a) || !plain(b)) {
    const Tags parts[3] = {a, b, sum};
    return graph_.expression(inst, parts, routes, 3);
  }
  Tag x = factor(a), y = factor(b);
  uint32_t rx = routes[0], ry = routes[1];
  if (y != 0 && (x == 0 || x > y)) {  // in one order, however a compiler may turn factors
    std::swap(x, y);
    std::swap(rx, ry);
  }
  return graph_.extend(sum, routes[2], x, 0, y, 0, 1, inst, rx, ry);
}

// Adding an element, or one product, to a sum makes the sum longer; else it is an expression.
Tags Tracker::sum_of(uint32_t inst, Tags a, Tags b, const uint32_t* routes) {
  uint32_t ra = routes[0], rb = routes[1];
  const auto one_product = [&](Tags t) {
    return is_sum(t.lo) && t.hi == (kCountTag | 1u) && graph_.run(t.lo).before.lo == 0;
  };
  if (!is_data(a) || !is_data(b)) {
    const Tags parts[2] = {a, b};
    return graph_.expression(inst, parts, routes, 2);
  }
  const bool turn = is_leaf(factor(a)) ? !is_leaf(factor(b))
                                       : one_product(a) && !is_leaf(factor(b)) && !one_product(b);
  if (turn) {  // the longer sum comes first
    std::swap(a, b);
    std::swap(ra, rb);
  }
  if (is_leaf(factor(b))) return graph_.extend(a, ra, factor(b), 0, 0, 0, 1, inst, rb, 0);
  if (one_product(b)) {
    const Run r = graph_.run(b.lo);
    return graph_.extend(a, ra, r.a, 0, r.b, 0, 1, inst, r.a_route, r.b_route);
  }
  if (Tags sum = a; is_sum(a.lo) && is_sum(b.lo) && graph_.join(sum, ra, b, inst)) return sum;
  const Tags parts[2] = {a, b};
  const uint32_t swapped[2] = {ra, rb};
  return graph_.expression(inst, parts, swapped, 2);
}

// A part of an element: some of its bits, the element less those, or such a part that constants are
// added to. Nothing if it is none.
Tags Tracker::part_of(Tags a, Tags b) const {
  const auto is_part = [this](Tags t) { return leaves_.is_part(t.lo) && t.hi == t.lo + 1; };
  if (is_part(a)) return !is_data(b) || leaves_.whole(a.lo) == leaves_.whole(b.lo) ? a : Tags{};
  if (is_part(b)) return !is_data(a) || leaves_.whole(b.lo) == a.lo ? b : Tags{};
  return {};
}

Tags Tracker::combine(const Context& c, uint32_t inst, const Step& s, int lane, const Plane* source,
                      uint32_t& route) {
  const int n = std::min(s.operands - s.results, 3);
  Tags t[3];
  uint32_t routes[3] = {};
  for (int k = 0; k < n; ++k) {
    t[k] = source[k].tags(lane);
    routes[k] = source[k].route[lane];
    if (source[k].halves == 1) t[k] = graph_.widen(t[k].lo);
  }
  const std::string_view opcode = code_.canonical[code_.info[inst].opcode];
  const Inst& in = c.code[inst];
  if (opcode.starts_with("sub.") || opcode.starts_with("add.")) {
    if (const Tags part = part_of(t[0], t[1]); is_data(part)) {
      route = is_data(t[0]) ? routes[0] : routes[1];
      return part;
    }
  }
  route = 0;
  switch (s.pass) {
    case Pass::product:
      return product_of(inst, t[0], t[1], t[2], routes);
    case Pass::sum:
      for (int k = 0; k < 2; ++k) {  // 0 + x is x: so most sums begin
        if (!is_data(t[k]) && source[k].halves == 2 &&
            (word(c, in.r[1 + k], lane) & 0x7fffffffu) == 0) {
          route = routes[1 - k];
          return t[1 - k];
        }
      }
      return sum_of(inst, t[0], t[1], routes);
    case Pass::factor:
      if (is_leaf(factor(t[0])) && is_leaf(factor(t[1]))) {
        return product_of(inst, t[0], t[1], {}, routes);
      }
      break;
    case Pass::convert:
      route = is_data(t[0]) ? graph_.route(inst, routes[0]) : 0;
      return t[0];
    case Pass::convert_two:
      route = graph_.route(inst, is_data(t[1]) ? routes[1] : routes[0]);
      return {graph_.narrow(t[1]), graph_.narrow(t[0])};
    case Pass::bits: {
      route = is_data(t[0]) ? routes[0] : routes[1];
      if (opcode.starts_with("shl.b32") || opcode.starts_with("shr.")) {
        const uint32_t by = word(c, in.r[2], lane);
        if (by == 0) return t[0];
        if (by == 16 && opcode.find("64") == opcode.npos) {
          return opcode.starts_with("shl") ? Tags{0, t[0].lo} : Tags{t[0].hi, 0};
        }
      } else if (opcode == "and.b32" && (!is_data(t[0]) || !is_data(t[1]))) {
        const uint32_t mask = word(c, in.r[is_data(t[0]) ? 2 : 1], lane);
        const Tags v = is_data(t[0]) ? t[0] : t[1];
        const uint32_t low = mask & 0xffffu, high = mask >> 16;
        if ((low == 0 || low == 0xffffu) && (high == 0 || high == 0xffffu)) {
          return {low ? v.lo : 0, high ? v.hi : 0};
        }
        if (v.hi == v.lo + 1 && leaves_.part_of(v.lo) != 0) {
          return {leaves_.part_of(v.lo), leaves_.part_of(v.hi)};
        }
      } else if (opcode == "or.b32" || opcode == "xor.b32") {
        if ((t[0].lo == 0 || t[1].lo == 0) && (t[0].hi == 0 || t[1].hi == 0)) {
          return {t[0].lo | t[1].lo, t[0].hi | t[1].hi};
        }
      }
      break;
    }
    case Pass::permute: {
      const uint32_t selector = word(c, in.r[3], lane) & 0xffffu;
      const Tag halves[4] = {t[0].lo, t[0].hi, t[1].lo, t[1].hi};
      Tags d;
      bool whole = true;
      for (int h = 0; h < 2; ++h) {
        const uint32_t low = (selector >> (8 * h)) & 15u, high = (selector >> (8 * h + 4)) & 15u;
        whole = whole && low % 2 == 0 && high == low + 1 && high < 8;
        (h ? d.hi : d.lo) = halves[(low & 7u) / 2];
      }
      route = is_data(t[0]) ? routes[0] : routes[1];
      if (whole && opcode == "prmt.b32") return d;
      break;
    }
    default:
      break;
  }
  route = 0;
  return graph_.expression(inst, t, routes, n);
}

// All lanes go on with a run of products of their own: nearly always so in a loop over k.
TILESCOPE_WIDE
bool Tracker::grow_warp(const Plane& d, const Plane& a, const Plane& b, const Plane& s,
                        uint32_t inst) {
  Tag first[32], second[32], hi[32];
  const Tag* __restrict x = a.half[0];
  const Tag* __restrict y = b.half[0];
  const Tag* __restrict sum_hi = s.half[1];
  uint32_t leaves = ~0u;
  for (int i = 0; i < 32; ++i) {
    const auto p = static_cast<int32_t>(x[i]), q = static_cast<int32_t>(y[i]);
    const bool less = p < q;
    first[i] = static_cast<Tag>(less ? p : q);
    second[i] = static_cast<Tag>(less ? q : p);
    hi[i] = sum_hi[i];
    leaves &= (0u - first[i]) & ~first[i];  // the top bit: above zero, and so is the second
  }
  if (!(leaves >> 31) || !graph_.grow_warp(s.half[0], hi, first, second, inst)) return false;
  if (d.half[0] != s.half[0]) std::memcpy(d.half[0], s.half[0], sizeof hi);
  std::memcpy(d.half[1], hi, sizeof hi);
  std::memset(d.route, 0, sizeof hi);
  return true;
}

// The innermost instruction of most kernels: d = a · b + c of 32 bits.
bool Tracker::multiply_add(const Context& c, uint32_t inst, uint32_t active) {
  const Plane d = plane(c.warp, inst, 0), a = plane(c.warp, inst, 1), b = plane(c.warp, inst, 2),
              s = plane(c.warp, inst, 3);
  if (d.halves != 2 || a.halves != 2 || b.halves != 2 || s.halves != 2) return false;
  if (keeps_fma_) {
    now_ = {};
    has_moved_ = true;
    for (uint32_t m = active; m; m &= m - 1) {
      const int lane = std::countr_zero(m);
      const Tag x = a.half[0][lane], y = b.half[0][lane];
      now_.a[static_cast<size_t>(lane)] = is_leaf(x) ? x : 0;
      now_.b[static_cast<size_t>(lane)] = is_leaf(y) ? y : 0;
    }
  }
  if (active == ~0u && grow_warp(d, a, b, s, inst)) return true;
  for (uint32_t m = active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    Tag x = a.half[0][lane], y = b.half[0][lane];
    Tags sum = s.tags(lane);
    if (x > y) std::swap(x, y);
    if (!is_leaf(x) || !is_leaf(y) || !graph_.grow(sum, x, 0, y, 0, 1, inst)) {
      const uint32_t routes[3] = {a.route[lane], b.route[lane], s.route[lane]};
      sum = product_of(inst, a.tags(lane), b.tags(lane), s.tags(lane), routes);
    }
    d.half[0][lane] = sum.lo;
    d.half[1][lane] = sum.hi;
    d.route[lane] = 0;
  }
  return true;
}

void Tracker::compute(const Context& c, const Inst&, uint32_t inst, uint32_t active) {
  const Step& s = plan_.steps[inst];
  if (s.results == 0) return;
  if (s.pass == Pass::product && s.operands == 4 && multiply_add(c, inst, active)) return;
  const Plane d = plane(c.warp, inst, 0);
  Plane source[3];
  for (int k = 0; k < std::min(s.operands - s.results, 3); ++k) {
    source[k] = plane(c.warp, inst, static_cast<uint32_t>(s.results + k));
  }
  for (uint32_t m = active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    uint32_t route = 0;
    Tags t = combine(c, inst, s, lane, source, route);
    if (d.halves == 1) t = {graph_.narrow(t), 0};
    d.set(lane, t, route);
  }
  for (uint32_t k = 1; k < s.results; ++k) {  // a second result: not followed
    const Plane other = plane(c.warp, inst, k);
    for (uint32_t m = active; m; m &= m - 1) other.set(std::countr_zero(m), {}, 0);
  }
}

// Two values per register: of 16 bits, or of 32 in one of 64.
void Tracker::pairs(uint32_t warp, uint32_t inst, uint32_t active) {
  const Step& s = plan_.steps[inst];
  const Plane d = plane(warp, inst, 0);
  Plane source[3];
  const int n = std::min(s.operands - s.results, 3);
  for (int k = 0; k < n; ++k) source[k] = plane(warp, inst, static_cast<uint32_t>(1 + k));
  for (uint32_t m = active; m; m &= m - 1) {
    const int lane = std::countr_zero(m);
    for (int part = 0; part < 2; ++part) {
      Tags t[3];
      uint32_t routes[3] = {};
      for (int k = 0; k < n; ++k) {
        t[k] = source[k].part(part, lane, graph_);
        routes[k] = source[k].route[lane];
      }
      const Tags value = s.pass == Pass::product_pairs ? product_of(inst, t[0], t[1], t[2], routes)
                                                       : graph_.expression(inst, t, routes, n);
      d.set_part(part, lane, value, graph_);
    }
    d.route[lane] = 0;
  }
}

}  // namespace tilescope::emulator
