// wgmma: B, and often A, is read from shared memory, in chunks of 16 bytes whose addresses the
// instruction's accesses tell: first A's 32, then B's, eight columns in 16 of them.
#include <algorithm>

#include "emulator/provenance/factors.h"
#include "emulator/provenance/tracker.h"

namespace tilescope::emulator {
namespace {

/// What the opcode says of the operands.
struct WgmmaForm {
  uint32_t n = 0, units = 16;  // along k: of 16 bits, or whole elements of tf32
  bool wide = false;           // tf32
  bool half_d = false;         // two 16-bit sums in a register
  bool turns = false;          // has the immediates that say so
};
WgmmaForm wgmma_form_of(std::string_view op) {
  WgmmaForm f;
  const size_t n = op.find(".m64n");
  for (size_t i = n + 5; i < op.size() && op[i] >= '0' && op[i] <= '9'; ++i) {
    f.n = f.n * 10 + static_cast<uint32_t>(op[i] - '0');
  }
  f.wide = op.ends_with(".tf32");
  if (f.wide) f.units = 8;
  f.turns = op.ends_with(".f16") || op.ends_with(".bf16");
  const size_t types = op.find('.', n + 1);
  f.half_d = types != op.npos && op.substr(types).starts_with(".f16.");
  return f;
}

}  // namespace

// One chunk: eight units, or four of tf32.
void Tracker::read_chunk(uint64_t address, bool wide, Tag* tags, uint32_t& route) const {
  const uint64_t g = address / 2;
  for (uint64_t i = 0; i < (wide ? 4u : 8u); ++i) {
    const uint64_t at = g + (wide ? 2 * i : i);
    tags[i] = at < shared_.size() ? shared_[at] : 0;
  }
  route = g < shared_.size() ? shared_route_[g] : 0;
}

// Sixteen chunks of eight lines: two of each line, or (`across`) one of each k.
void Tracker::read_lines(const Access& a, uint32_t first_chunk, uint32_t inst, bool wide,
                         bool across, uint32_t units, uint32_t line, Factors& to) const {
  for (uint32_t i = 0; i < 16; ++i) {
    Tag tags[8];
    uint32_t route = 0;
    read_chunk(a.address[first_chunk + i], wide, tags, route);
    route = graph_.route(inst, route);
    for (uint32_t j = 0; j < (wide ? 4u : 8u); ++j) {
      const uint32_t l = line + (across ? j : i / 2), k = across ? i : i % 2 * (units / 2) + j;
      to.units[l * units + k] = tags[j];
      to.route[l] = route;
    }
  }
}

void Tracker::warpgroup_product(const Context& c, const Inst& in, uint32_t inst) {
  const WgmmaForm f = wgmma_form_of(code_.canonical[code_.info[inst].opcode]);
  const uint32_t slots = plan_.steps[inst].operands, units = f.units;
  const uint32_t d = f.half_d ? f.n / 4 : f.n / 2;  // registers
  const bool a_in_registers = slots == d + 6;       // four, a descriptor, a predicate
  const uint32_t* list = c.lists + in.list;
  const bool keeps = c.predicates[list[slots - 1]] & 1u;
  const uint32_t turned = slots + 1;  // behind the sign of B
  const bool a_across = f.turns && !a_in_registers && list[turned] != 0;
  const bool b_across = f.turns && list[turned + (a_in_registers ? 0 : 1)] != 0;
  const size_t first_b = a_in_registers ? 0 : 1;
  if (accesses_.size() < first_b + (f.n + 15) / 16) return;
  Factors a, b;
  if (a_in_registers) {
    const ProductShape s{.m = 16, .n = 8, .units = units, .packed = f.wide ? 1u : 2u};
    const uint32_t each = units / (4 * s.packed);
    for (uint32_t r = 0; r < 4; ++r) {
      gather(a, s, plane(c.warp, inst, d + r), where(r, 16, each, false));
    }
  } else {
    for (uint32_t group = 0; group < 2; ++group) {
      read_lines(accesses_.at(0), 16 * group, inst, f.wide, a_across, units, 8 * group, a);
    }
  }
  for (uint32_t i = 0; i < 16; ++i) a.line[i] = line_of(a.units + i * units, units, a.route[i]);
  if (keeps_moved_) {
    now_ = {};
    for (uint32_t i = 0; i < 16; ++i) {
      note_line(a, i, units, now_.a[i], now_.a_step[i], now_.a_count[i]);
    }
    has_moved_ = true;
  }
  for (uint32_t block = 0; block < f.n / 8; ++block) {
    read_lines(accesses_.at(first_b + block / 2), block % 2 * 16, inst, f.wide, b_across, units, 0,
               b);
    for (uint32_t j = 0; j < 8; ++j) b.line[j] = line_of(b.units + j * units, units, b.route[j]);
    for (uint32_t j = 0; j < 8 && keeps_moved_; ++j) {
      const uint32_t column = 8 * block + j;
      if (column < 32) {
        note_line(b, j, units, now_.b[column], now_.b_step[column], now_.b_count[column]);
      } else {
        MovedTags::More& more = now_.more_b.emplace_back();
        note_line(b, j, units, more.first, more.step, more.count);
      }
    }
    for (uint32_t i = 0; i < 4; ++i) {
      const Plane v = plane(c.warp, inst, f.half_d ? 2 * block + i / 2 : 4 * block + i);
      for (uint32_t lane = 0; lane < 32; ++lane) {
        const Tags old = !keeps     ? Tags{}
                         : f.half_d ? graph_.widen(v.half[i % 2][lane])
                                    : v.tags(static_cast<int>(lane));
        const Tags sum = add_line(graph_, a, lane / 4 + 8 * (i / 2), b, 2 * (lane % 4) + i % 2,
                                  units, inst, old, keeps ? v.route[lane] : 0);
        if (!f.half_d) {
          v.set(static_cast<int>(lane), sum, 0);
        } else {
          v.half[i % 2][lane] = graph_.narrow(sum);
          if (i % 2 == 1) v.route[lane] = 0;
        }
      }
    }
  }
}

}  // namespace tilescope::emulator
