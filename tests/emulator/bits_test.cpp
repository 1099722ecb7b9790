// Carries, and the rarer integer instructions, each a line of a table.
#include <algorithm>
#include <cstdlib>

#include "support.h"
#include "wide_reference.h"

namespace tilescope::emulator::test::bits_file {
namespace {

const std::vector<uint64_t> k32 = {0,          1,          2,          31,
                                   32,         0x7fffffff, 0x80000000, 0x80000001,
                                   0xfffffffe, 0xffffffff, 0x12345678, 0xdeadbeef};
const std::vector<uint64_t> k16 = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff, 0x1234};
const std::vector<uint64_t> k64 = {
    0, 1, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ~0ull, 0x123456789abcdef0};
const std::vector<uint64_t> kShift = {0, 1, 5, 31, 32, 33, 63, 64, 200, 0xffffffff};
const std::vector<uint64_t> kFew = {0, 1, 0x80000000, 0xffffffff};

uint32_t u(uint64_t v) { return static_cast<uint32_t>(v); }
int64_t s(uint64_t v) { return static_cast<int32_t>(v); }
int64_t s24(uint64_t v) { return static_cast<int32_t>(u(v) << 8) / 256; }
int64_t u24(uint64_t v) { return static_cast<int64_t>(v & 0xffffff); }
uint64_t clamp(int64_t v) {
  return u(static_cast<uint64_t>(std::clamp<int64_t>(v, INT32_MIN, INT32_MAX)));
}
using Bits128 = UInt128;
uint64_t carry(Bits128 v, int bits) { return static_cast<uint64_t>(v >> bits) & 1u; }
template <class A, class B>
uint64_t dots(uint64_t a, uint64_t b, uint64_t c, int n, int step, int from) {
  int64_t sum = s(c);
  for (int i = 0; i < n; ++i) {
    sum +=
        int64_t{static_cast<A>(a >> (step * i))} * int64_t{static_cast<B>(b >> (8 * (i + from)))};
  }
  return u(static_cast<uint64_t>(sum));
}
uint64_t nth(uint64_t mask, uint64_t base, uint64_t n) {
  const int64_t count = s(n);
  if (count == 0) return (mask >> base) & 1u ? base : 0xffffffff;
  int64_t left = std::abs(count);
  for (int64_t i = static_cast<int64_t>(base); i >= 0 && i<32; i += count> 0 ? 1 : -1) {
    if ((mask >> i) & 1u && --left == 0) return static_cast<uint64_t>(i);
  }
  return 0xffffffff;
}
uint64_t bmsk(uint64_t at, uint64_t n) {
  uint32_t r = 0;
  for (uint64_t i = at; i < 32 && i < at + n; ++i) r |= 1u << i;
  return r;
}
uint64_t szext(uint64_t a, uint64_t n, bool sign) {
  if (n >= 32) return a;
  uint32_t r = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    const bool bit = i < n ? (a >> i) & 1u : sign && n > 0 && (a >> (n - 1)) & 1u;
    r |= u(bit) << i;
  }
  return r;
}
template <class T>
uint64_t halves(uint64_t a, uint64_t b, T (*f)(T, T)) {
  return static_cast<uint16_t>(f(static_cast<T>(a), static_cast<T>(b))) |
         uint64_t{static_cast<uint16_t>(f(static_cast<T>(a >> 16), static_cast<T>(b >> 16)))} << 16;
}

struct Row {
  std::string text, types;
  std::vector<std::vector<uint64_t>> values;
  uint64_t (*reference)(uint64_t a, uint64_t b, uint64_t c);
};
#define EXPR(e)                                        \
  [](uint64_t a, uint64_t b, uint64_t c) -> uint64_t { \
    (void)a, (void)b, (void)c;                         \
    return e;                                          \
  }
#define CARRY(before, after, type) "{ .reg ." type " t; " before " t, A, B; " after " }"

const Row kRows[] = {
    // the flag, by what reads it
    {CARRY("add.cc.u32", "addc.u32 D, 5, 0;", "b32"),
     "rrr",
     {k32, k32},
     EXPR(5 + carry(Bits128{a} + b, 32))},
    {CARRY("sub.cc.u32", "subc.u32 D, 5, 0;", "b32"), "rrr", {k32, k32}, EXPR(5 - (a < b))},
    {CARRY("add.cc.s64", "addc.s64 D, 5, 0;", "b64"),
     "lll",
     {k64, k64},
     EXPR(5 + carry(Bits128{a} + b, 64))},
    {CARRY("sub.cc.u64", "subc.u64 D, 5, 0;", "b64"), "lll", {k64, k64}, EXPR(5 - (a < b))},
    {"{ .reg .b32 t; add.cc.u32 t, A, B; addc.cc.u32 t, A, C; addc.u32 D, 0, 0; }",
     "rrrr",
     {k32, k32, kFew},
     EXPR(carry(Bits128{a} + c + carry(Bits128{a} + b, 32), 32))},
    {"{ .reg .b32 t; sub.cc.u32 t, A, B; subc.cc.u32 t, A, C; subc.u32 D, 0, 0; }",
     "rrrr",
     {k32, k32, kFew},
     EXPR(a < c + (a < b) ? 0xffffffffu : 0u)},
    {"add.cc.u32 D, A, B;", "rrr", {k32, k32}, EXPR(u(a + b))},
    {"sub.cc.s32 D, A, B;", "rrr", {k32, k32}, EXPR(u(a - b))},
    {"{ .reg .b32 t; mad.lo.cc.u32 t, A, B, C; addc.u32 D, 0, 0; }",
     "rrrr",
     {k32, k32, kFew},
     EXPR(carry(Bits128{u(a * b)} + c, 32))},
    {"{ .reg .b32 t; mad.lo.cc.u32 t, A, B, C; madc.hi.u32 D, A, B, 7; }",
     "rrrr",
     {k32, k32, kFew},
     EXPR(u((a * b >> 32) + 7 + carry(Bits128{u(a * b)} + c, 32)))},
    {"{ .reg .b64 t; mad.lo.cc.u64 t, A, B, C; madc.hi.u64 D, A, B, C; }",
     "llll",
     {k64, k64, k64},
     EXPR(static_cast<uint64_t>(Bits128{a} * b >> 64) + c + carry(Bits128{a * b} + c, 64))},
    {"{ .reg .b32 t; add.cc.u32 t, A, A; madc.hi.s32 D, A, B, C; }",
     "rrrr",
     {k32, k32, kFew},
     EXPR(u(static_cast<uint64_t>(s(a) * s(b) >> 32) + c + (a >> 31)))},
    {"{ .reg .b32 t; add.cc.u32 t, A, A; madc.lo.cc.u32 t, A, B, C; addc.u32 D, 0, 0; }",
     "rrrr",
     {k32, k32, kFew},
     EXPR(carry(Bits128{u(a * b)} + c + (a >> 31), 32))},
    {"mad.hi.sat.s32 D, A, B, C;",
     "rrrr",
     {k32, k32, kFew},
     EXPR(clamp((s(a) * s(b) >> 32) + s(c)))},
    {"mad.hi.u32 D, A, B, C;", "rrrr", {k32, k32, kFew}, EXPR(u((a * b >> 32) + c))},
    {"mul24.lo.s32 D, A, B;", "rrr", {k32, k32}, EXPR(u(static_cast<uint64_t>(s24(a) * s24(b))))},
    {"mul24.hi.s32 D, A, B;",
     "rrr",
     {k32, k32},
     EXPR(u(static_cast<uint64_t>(s24(a) * s24(b) >> 16)))},
    {"mul24.lo.u32 D, A, B;", "rrr", {k32, k32}, EXPR(u(static_cast<uint64_t>(u24(a) * u24(b))))},
    {"mul24.hi.u32 D, A, B;",
     "rrr",
     {k32, k32},
     EXPR(u(static_cast<uint64_t>(u24(a) * u24(b) >> 16)))},
    {"mad24.lo.s32 D, A, B, C;",
     "rrrr",
     {k32, k32, kFew},
     EXPR(u(static_cast<uint64_t>(s24(a) * s24(b)) + c))},
    {"mad24.hi.u32 D, A, B, C;",
     "rrrr",
     {k32, k32, kFew},
     EXPR(u(static_cast<uint64_t>(u24(a) * u24(b) >> 16) + c))},
    {"mad24.hi.sat.s32 D, A, B, C;",
     "rrrr",
     {k32, k32, kFew},
     EXPR(clamp((s24(a) * s24(b) >> 16) + s(c)))},
    {"sad.s32 D, A, B, C;",
     "rrrr",
     {k32, k32, kFew},
     EXPR(u(c + static_cast<uint64_t>(std::abs(s(a) - s(b)))))},
    {"sad.u32 D, A, B, C;", "rrrr", {k32, k32, kFew}, EXPR(u(c + (a > b ? a - b : b - a)))},
    {"sad.u64 D, A, B, C;", "llll", {k64, k64, k64}, EXPR(c + (a > b ? a - b : b - a))},
    {"sad.s16 D, A, B, C;",
     "hhhh",
     {k16, k16, k16},
     EXPR(static_cast<uint16_t>(
         c + static_cast<uint64_t>(std::abs(static_cast<int16_t>(a) - static_cast<int16_t>(b)))))},
    {"dp4a.s32.s32 D, A, B, C;",
     "rrrr",
     {k32, k32, kFew},
     EXPR((dots<int8_t, int8_t>(a, b, c, 4, 8, 0)))},
    {"dp4a.u32.s32 D, A, B, C;",
     "rrrr",
     {k32, k32, kFew},
     EXPR((dots<uint8_t, int8_t>(a, b, c, 4, 8, 0)))},
    {"dp2a.lo.s32.s32 D, A, B, C;",
     "rrrr",
     {k32, k32, kFew},
     EXPR((dots<int16_t, int8_t>(a, b, c, 2, 16, 0)))},
    {"dp2a.hi.u32.u32 D, A, B, C;",
     "rrrr",
     {k32, k32, kFew},
     EXPR((dots<uint16_t, uint8_t>(a, b, c, 2, 16, 2)))},
    {"dp2a.hi.s32.u32 D, A, B, C;",
     "rrrr",
     {k32, k32, kFew},
     EXPR((dots<int16_t, uint8_t>(a, b, c, 2, 16, 2)))},
    {"fns.b32 D, A, B, C;",
     "rrrr",
     {k32, {0, 1, 7, 31}, {0, 1, 2, 5, 0xffffffff, 0xfffffffd, 0x80000000}},
     EXPR(nth(a, b, c))},
    {"bmsk.clamp.b32 D, A, B;", "rrr", {kShift, kShift}, EXPR(bmsk(a, b))},
    {"bmsk.wrap.b32 D, A, B;", "rrr", {kShift, kShift}, EXPR(bmsk(a & 31, b & 31))},
    {"szext.clamp.s32 D, A, B;", "rrr", {k32, kShift}, EXPR(szext(a, b, true))},
    {"szext.clamp.u32 D, A, B;", "rrr", {k32, kShift}, EXPR(szext(a, b, false))},
    {"szext.wrap.s32 D, A, B;", "rrr", {k32, kShift}, EXPR(szext(a, b & 31, true))},
    {"szext.wrap.u32 D, A, B;", "rrr", {k32, kShift}, EXPR(szext(a, b & 31, false))},
    {"add.u16x2 D, A, B;",
     "rrr",
     {k32, k32},
     EXPR(u((a + b) & 0xffff) | u(((a >> 16) + (b >> 16)) << 16))},
    {"min.s16x2 D, A, B;",
     "rrr",
     {k32, k32},
     EXPR(halves<int16_t>(a, b, [](int16_t x, int16_t y) { return x < y ? x : y; }))},
    {"max.relu.s16x2 D, A, B;",
     "rrr",
     {k32, k32},
     EXPR(halves<int16_t>(a, b,
                          [](int16_t x, int16_t y) {
                            return std::max({x, y, int16_t{0}});
                          }))},
    {"min.relu.s32 D, A, B;",
     "rrr",
     {k32, k32},
     EXPR(u(static_cast<uint64_t>(std::max<int64_t>(std::min(s(a), s(b)), 0))))},
    {"add.sat.s32 D, A, B;", "rrr", {k32, k32}, EXPR(clamp(s(a) + s(b)))},
    {"sub.sat.s32 D, A, B;", "rrr", {k32, k32}, EXPR(clamp(s(a) - s(b)))},
    {"{ .reg .b32 t; .reg .pred q; setp.ne.u32 q, C, 0; lop3.or.b32 t|D, A, B, C, 0x96, q; }",
     "prrr",
     {k32, k32, kFew},
     EXPR(((a ^ b ^ c) != 0 || c != 0))},
    {"{ .reg .pred t; .reg .pred q; setp.eq.u32 q, C, 1; lop3.and.b32 D|t, A, B, C, 0xe8, q; }",
     "rrrr",
     {k32, k32, kFew},
     EXPR((a & b) | (a & c) | (b & c))},
    {"slct.u32.f32 D, A, B, C;",
     "rrrf",
     {k32, k32, {bits(0.0f), bits(-0.0f), bits(-1.0f), 0x7fc00000, 0x80000001}},
     EXPR(as_float(c) >= 0 ? a : b)},
    {"testp.subnormal.f32 D, A;",
     "pf",
     {{0, 1, 0x807fffff, 0x800000, bits(1.0f), 0x7fc00000, 0x7f800000}},
     EXPR(a == 1 || a == 0x807fffff)},
    {"testp.normal.f64 D, A;",
     "pd",
     {{0, 1, bits(1.0), bits(0x1p-1022), 0x7ff0000000000000, 0x7ff8000000000000}},
     EXPR(as_double(a) == 1.0 || as_double(a) == 0x1p-1022)},
    {"copysign.f64 D, A, B;",
     "ddd",
     {{bits(1.0), bits(-2.0)}, {bits(3.0), bits(-4.0)}},
     EXPR((a & 0x8000000000000000) | (b & 0x7fffffffffffffff))},
};

TEST(Bits, Table) {
  for (const Row& row : kRows) sweep(row.text, row.types, row.values, row.reference);
}

}  // namespace
}  // namespace tilescope::emulator::test::bits_file
