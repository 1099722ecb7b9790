#include "emulator/provenance/product_shape.h"

#include <algorithm>
#include <charconv>

#include "emulator/compile/code.h"
#include "emulator/compile/row_index.h"

namespace tilescope::emulator {
namespace {

using Sums = ProductShape::Sums;

bool find_mnk(std::string_view op, uint32_t& m, uint32_t& n, uint32_t& k) {
  size_t at = op.find(".m8n");
  if (at == op.npos) at = std::min(op.find(".m16n"), op.find(".m32n"));
  if (at == op.npos) return false;
  const char* end = op.data() + op.size();
  auto r = std::from_chars(op.data() + at + 2, end, m);
  if (r.ptr == end || *r.ptr != 'n') return false;
  r = std::from_chars(r.ptr + 1, end, n);
  if (r.ptr == end || *r.ptr != 'k') return false;
  std::from_chars(r.ptr + 1, end, k);
  return true;
}

// Four products of 8 × 8, one below the other: lines 8p … 8p + 7 of A and of B are product p's.
bool find_quad(std::string_view op, ProductShape& s) {
  s.m = s.n = 32;
  s.units = 4;
  s.packed = 2;
  s.half_d = s.d == 4;
  s.half_c = s.c == 4;
  s.sums = s.half_d ? Sums::quad_half : Sums::quad_float;
  s.sums_c = s.half_c ? Sums::quad_half : Sums::quad_float;
  s.a_by_column = op.find(".m8n8k4.col.") != op.npos;
  s.b_by_column = op.find(".m8n8k4.row.col.") != op.npos || op.find(".m8n8k4.col.col.") != op.npos;
  return s.a == 2 && s.b == 2;
}

}  // namespace

bool find_product_shape(const Code& code, uint32_t inst, std::string_view op, uint16_t row,
                        ProductShape& s) {
  const auto& operands = RowIndex::get().operands(row);
  if (operands.size() < 4) return false;
  uint32_t* counts[4] = {&s.d, &s.a, &s.b, &s.c};
  for (size_t i = 0; i < 4; ++i) *counts[i] = operands[i].count ? operands[i].count : 1;
  uint32_t k = 0;
  if (!find_mnk(op, s.m, s.n, k)) return false;
  const auto bits_of = [&](uint32_t slot) {
    const uint32_t o = code.operands[code.first_operand[inst] + slot];
    return o == kNoRegister ? 32u : uint32_t{code.registers[o >> 1].bits};
  };
  const bool wide = bits_of(s.d) == 64, wmma = op.starts_with("wmma");
  if (s.m == 8 && s.n == 8 && k == 4 && !wide) return find_quad(op, s);
  if (s.m * k == 0 || s.m > 32 || s.n > 32) return false;
  uint32_t bits = s.a * (wide ? 64 : 32) * 32 / (s.m * k);  // of an element
  // wmma of f16 has eight registers for A and B in all shapes: those too many repeat the first.
  if (wmma && k == 16 && s.a == 8) bits = 16;
  if (bits > (wide ? 64u : 32u) || bits == 0) return false;
  s.packed = bits <= 16 ? 2 : 1;
  s.units = bits <= 16 ? k * bits / 16 : k;
  if (s.units == 0 || s.units % (4 * s.packed) != 0 || s.units > 64) return false;
  if (s.n == 32) s.sums = s.sums_c = Sums::transposed;
  const uint32_t elements = s.m * s.n / 32, each = s.units / (4 * s.packed);
  if (elements > 8) return false;
  s.half_d = 2 * s.d == elements;
  s.half_c = 2 * s.c == elements;
  return (s.half_d || s.d == elements) && (s.half_c || s.c == elements) && s.a >= s.m / 8 * each &&
         s.b >= s.n / 8 * each;
}

}  // namespace tilescope::emulator
