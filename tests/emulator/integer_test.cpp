// Integer instructions at their edges, in 16, 32 and 64 bits.
#include "support.h"
#include "wide_reference.h"

namespace tilescope::emulator::test::integer_file {
namespace {

const std::vector<uint64_t> k32 = {
    0,          1,          2,          3,          31,         32,         33,         255,
    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x12345678, 0xdeadbeef, 65536};
const std::vector<uint64_t> k64 = {0,
                                   1,
                                   2,
                                   63,
                                   64,
                                   0x7fffffff,
                                   0xffffffff,
                                   0x100000000,
                                   0x7fffffffffffffff,
                                   0x8000000000000000,
                                   0xffffffffffffffff,
                                   0x123456789abcdef0};
const std::vector<uint64_t> k16 = {0, 1, 2, 15, 16, 0x7fff, 0x8000, 0x8001, 0xffff, 0x1234};
const std::vector<uint64_t> kShift = {0, 1, 5, 15, 16, 31, 32, 33, 63, 64, 100};

uint32_t u(uint64_t v) { return static_cast<uint32_t>(v); }
int32_t s(uint64_t v) { return static_cast<int32_t>(v); }
int64_t sl(uint64_t v) { return static_cast<int64_t>(v); }
int16_t sh(uint64_t v) { return static_cast<int16_t>(v); }
uint16_t uh(uint64_t v) { return static_cast<uint16_t>(v); }

#define EXPR(e)                                        \
  [](uint64_t a, uint64_t b, uint64_t c) -> uint64_t { \
    (void)a, (void)b, (void)c;                         \
    return e;                                          \
  }

TEST(Integer, AddsAndMultiplies32) {
  sweep("add.s32 D, A, B;", "rrr", {k32, k32}, EXPR(u(a + b)));
  sweep("sub.u32 D, A, B;", "rrr", {k32, k32}, EXPR(u(a - b)));
  sweep("mul.lo.s32 D, A, B;", "rrr", {k32, k32}, EXPR(u(a * b)));
  sweep("mul.hi.s32 D, A, B;", "rrr", {k32, k32},
        EXPR(u(static_cast<uint64_t>(int64_t{s(a)} * s(b)) >> 32)));
  sweep("mul.hi.u32 D, A, B;", "rrr", {k32, k32}, EXPR(u((uint64_t{u(a)} * u(b)) >> 32)));
  sweep("mul.wide.s32 D, A, B;", "lrr", {k32, k32},
        EXPR(static_cast<uint64_t>(int64_t{s(a)} * s(b))));
  sweep("mul.wide.u32 D, A, B;", "lrr", {k32, k32}, EXPR(uint64_t{u(a)} * u(b)));
  sweep("mul.wide.u16 D, A, B;", "rhh", {k16, k16}, EXPR(uint32_t{uh(a)} * uh(b)));
  sweep("mad.lo.s32 D, A, B, C;", "rrrr", {k32, k32, {7, 0xffffffff}}, EXPR(u(a * b + c)));
  sweep("mad.wide.u32 D, A, B, C;", "lrrl", {k32, k32, {7, ~0ull}},
        EXPR(uint64_t{u(a)} * u(b) + c));
}

TEST(Integer, Divides) {
  const std::vector<uint64_t> divisors = {1, 2, 3, 7, 0x7fffffff, 0x80000000, 0xffffffff};
  sweep("div.u32 D, A, B;", "rrr", {k32, divisors}, EXPR(u(a) / u(b)));
  sweep("rem.u32 D, A, B;", "rrr", {k32, divisors}, EXPR(u(a) % u(b)));
  sweep("div.s32 D, A, B;", "rrr", {k32, divisors},
        EXPR(u(static_cast<uint64_t>(int64_t{s(a)} / s(b)))));
  sweep("rem.s32 D, A, B;", "rrr", {k32, divisors},
        EXPR(u(static_cast<uint64_t>(int64_t{s(a)} % s(b)))));
  sweep("div.u16 D, A, B;", "hhh", {k16, {1, 3, 0xffff}}, EXPR(uh(a) / uh(b)));
  sweep("rem.u64 D, A, B;", "lll", {k64, {1, 3, 0x100000001}}, EXPR(a % b));
  sweep("div.s64 D, A, B;", "lll", {k64, {1, 3, 7}}, EXPR(static_cast<uint64_t>(sl(a) / sl(b))));
}

TEST(Integer, MinMaxAbsNeg) {
  sweep("min.s32 D, A, B;", "rrr", {k32, k32}, EXPR(u(s(a) < s(b) ? a : b)));
  sweep("max.u32 D, A, B;", "rrr", {k32, k32}, EXPR(u(a) > u(b) ? u(a) : u(b)));
  sweep("max.s64 D, A, B;", "lll", {k64, k64}, EXPR(sl(a) > sl(b) ? a : b));
  sweep("min.s16 D, A, B;", "hhh", {k16, k16}, EXPR(uh(sh(a) < sh(b) ? a : b)));
  sweep("neg.s32 D, A;", "rr", {k32}, EXPR(u(0 - a)));
  sweep("abs.s32 D, A;", "rr", {k32}, EXPR(u(s(a) < 0 ? 0 - a : a)));
  sweep("neg.s64 D, A;", "ll", {k64}, EXPR(0 - a));
}

TEST(Integer, WideArithmetic) {
  sweep("add.s64 D, A, B;", "lll", {k64, k64}, EXPR(a + b));
  sweep("sub.s64 D, A, B;", "lll", {k64, k64}, EXPR(a - b));
  sweep("mul.lo.s64 D, A, B;", "lll", {k64, k64}, EXPR(a * b));
  sweep("mul.hi.u64 D, A, B;", "lll", {k64, k64},
        EXPR(static_cast<uint64_t>(UInt128(a) * UInt128(b) >> 64)));
  sweep("add.s16 D, A, B;", "hhh", {k16, k16}, EXPR(uh(a + b)));
  sweep("mul.lo.s16 D, A, B;", "hhh", {k16, k16}, EXPR(uh(a * b)));
}

TEST(Integer, Shifts) {
  sweep("shl.b32 D, A, B;", "rrr", {k32, kShift}, EXPR(b > 31 ? 0 : u(a << b)));
  sweep("shr.u32 D, A, B;", "rrr", {k32, kShift}, EXPR(b > 31 ? 0 : u(a) >> b));
  sweep("shr.s32 D, A, B;", "rrr", {k32, kShift},
        EXPR(u(static_cast<uint64_t>(s(a) >> (b > 31 ? 31 : b)))));
  sweep("shl.b64 D, A, B;", "llr", {k64, kShift}, EXPR(b > 63 ? 0 : a << b));
  sweep("shr.u64 D, A, B;", "llr", {k64, kShift}, EXPR(b > 63 ? 0 : a >> b));
  sweep("shr.s64 D, A, B;", "llr", {k64, kShift},
        EXPR(static_cast<uint64_t>(sl(a) >> (b > 63 ? 63 : b))));
  sweep("shr.u16 D, A, B;", "hhr", {k16, kShift}, EXPR(b > 15 ? 0 : uh(a) >> b));
  sweep("shf.l.wrap.b32 D, A, B, C;", "rrrr", {k32, {0x89abcdef}, kShift},
        EXPR(u(((b << 32 | a) << (c & 31)) >> 32)));
  sweep("shf.r.clamp.b32 D, A, B, C;", "rrrr", {k32, {0x89abcdef}, kShift},
        EXPR(u((b << 32 | a) >> (c > 32 ? 32 : c))));
}

TEST(Integer, Logic) {
  sweep("and.b32 D, A, B;", "rrr", {k32, k32}, EXPR(a & b));
  sweep("or.b64 D, A, B;", "lll", {k64, k64}, EXPR(a | b));
  sweep("xor.b16 D, A, B;", "hhh", {k16, k16}, EXPR(a ^ b));
  sweep("not.b32 D, A;", "rr", {k32}, EXPR(u(~a)));
  sweep("not.b16 D, A;", "hh", {k16}, EXPR(uh(~a)));
  sweep("and.pred D, A, B;", "ppp", {{0, 1}, {0, 1}}, EXPR(a & b));
  sweep("or.pred D, A, B;", "ppp", {{0, 1}, {0, 1}}, EXPR(a | b));
  sweep("xor.pred D, A, B;", "ppp", {{0, 1}, {0, 1}}, EXPR(a ^ b));
  sweep("not.pred D, A;", "pp", {{0, 1}}, EXPR(1 - a));
  sweep("and.pred D, A, !B;", "ppp", {{0, 1}, {0, 1}}, EXPR(a & (1 - b)));
  sweep("lop3.b32 D, A, B, C, 0x96;", "rrrr", {k32, k32, {0xff00ff00}}, EXPR(a ^ b ^ c));
  sweep("lop3.b32 D, A, B, C, 0xe8;", "rrrr", {k32, k32, {0xff00ff00}},
        EXPR((a & b) | (a & c) | (b & c)));
}

TEST(Integer, BitFields) {
  sweep("popc.b32 D, A;", "rr", {k32}, EXPR(static_cast<uint64_t>(std::popcount(u(a)))));
  sweep("clz.b32 D, A;", "rr", {k32}, EXPR(static_cast<uint64_t>(std::countl_zero(u(a)))));
  sweep("clz.b64 D, A;", "rl", {k64}, EXPR(static_cast<uint64_t>(std::countl_zero(a))));
  sweep("brev.b32 D, A;", "rr", {{0, 1, 0x80000000, 0x0000ffff, 6}},
        EXPR(a == 1            ? 0x80000000
             : a == 0x80000000 ? 1
             : a == 0xffff     ? 0xffff0000
             : a == 6          ? 0x60000000
                               : 0));
  sweep("bfe.u32 D, A, B, C;", "rrrr", {k32, {0, 4, 31, 32, 40}, {0, 1, 8, 32}},
        EXPR(b > 31 || c == 0 ? 0 : (u(a) >> b) & (c > 31 ? 0xffffffffu : (1u << c) - 1)));
  sweep("bfe.s32 D, A, 4, 8;", "rr", {k32},
        EXPR(u(static_cast<uint64_t>(int64_t{static_cast<int8_t>(a >> 4)}))));
  sweep("bfi.b32 D, A, B, 8, 4;", "rrr", {k32, k32}, EXPR((b & ~0xf00ull) | ((a & 15) << 8)));
  sweep("bfi.b64 D, A, B, 32, 32;", "lll", {k64, k64}, EXPR((b & 0xffffffff) | a << 32));
  sweep("bfind.shiftamt.u32 D, A;", "rr", {k32},
        EXPR(a == 0 ? 0xffffffff : static_cast<uint64_t>(std::countl_zero(u(a)))));
  sweep("prmt.b32 D, A, B, 0x5410;", "rrr", {k32, k32}, EXPR((a & 0xffff) | u(b << 16)));
  sweep("prmt.b32 D, A, B, 0x7732;", "rrr", {k32, k32},
        EXPR((a >> 16) | (b >> 24) << 16 | (b >> 24) << 24));
  sweep("prmt.b32 D, A, 0, 0x8888;", "rr", {k32}, EXPR(a & 0x80 ? 0xffffffff : 0));
}

TEST(Integer, DotProducts) {
  sweep("dp4a.s32.s32 D, A, B, C;", "rrrr",
        {{0xff01807f, 0x01020304}, {0x01ff7f80, 0x80808080}, {5}}, EXPR([&] {
          int64_t sum = static_cast<int64_t>(c);
          for (int i = 0; i < 4; ++i) {
            sum += static_cast<int8_t>(a >> (8 * i)) * static_cast<int8_t>(b >> (8 * i));
          }
          return uint64_t{static_cast<uint32_t>(sum)};
        }()));
  sweep("sad.s32 D, A, B, C;", "rrrr", {k32, k32, {9}},
        EXPR(u(static_cast<uint64_t>(std::abs(int64_t{s(a)} - s(b))) + 9)));
}

TEST(Integer, Compares) {
  sweep("setp.lt.s32 D, A, B;", "prr", {k32, k32}, EXPR(s(a) < s(b)));
  sweep("setp.lt.u32 D, A, B;", "prr", {k32, k32}, EXPR(u(a) < u(b)));
  sweep("setp.ge.s64 D, A, B;", "pll", {k64, k64}, EXPR(sl(a) >= sl(b)));
  sweep("setp.gt.u64 D, A, B;", "pll", {k64, k64}, EXPR(a > b));
  sweep("setp.ne.s16 D, A, B;", "phh", {k16, k16}, EXPR(uh(a) != uh(b)));
  sweep("setp.le.s16 D, A, B;", "phh", {k16, k16}, EXPR(sh(a) <= sh(b)));
  sweep("setp.eq.b32 D, A, B;", "prr", {k32, k32}, EXPR(a == b));
  sweep("setp.lt.and.s32 D, A, B, C;", "prrp", {k32, k32, {0, 1}}, EXPR(s(a) < s(b) && c));
  sweep("setp.lt.or.u32 D, A, B, C;", "prrp", {k32, k32, {0, 1}}, EXPR(u(a) < u(b) || c));
  sweep("selp.b32 D, A, B, C;", "rrrp", {k32, k32, {0, 1}}, EXPR(c ? a : b));
  sweep("selp.b64 D, A, B, C;", "lllp", {k64, k64, {0, 1}}, EXPR(c ? a : b));
  sweep("selp.u16 D, A, B, C;", "hhhp", {k16, k16, {0, 1}}, EXPR(c ? a : b));
}

TEST(Integer, ConvertsWidths) {
  sweep("cvt.s64.s32 D, A;", "lr", {k32}, EXPR(static_cast<uint64_t>(int64_t{s(a)})));
  sweep("cvt.u64.u32 D, A;", "lr", {k32}, EXPR(uint64_t{u(a)}));
  sweep("cvt.u32.u64 D, A;", "rl", {k64}, EXPR(u(a)));
  sweep("cvt.u16.u32 D, A;", "hr", {k32}, EXPR(uh(a)));
  sweep("cvt.u32.u16 D, A;", "rh", {k16}, EXPR(uh(a)));
  sweep("cvt.s32.s16 D, A;", "rh", {k16}, EXPR(u(static_cast<uint64_t>(int64_t{sh(a)}))));
  sweep("cvt.s32.s8 D, A;", "rr", {k32},
        EXPR(u(static_cast<uint64_t>(int64_t{static_cast<int8_t>(a)}))));
  sweep("cvt.s16.s8 D, A;", "hh", {k16},
        EXPR(uh(static_cast<uint64_t>(int64_t{static_cast<int8_t>(a)}))));
  sweep("mov.b32 D, {A, B};", "rhh", {k16, k16}, EXPR(uh(a) | u(b << 16)));
  sweep("mov.b64 D, {A, B};", "lrr", {k32, k32}, EXPR(u(a) | b << 32));
  sweep("mov.b32 {%h20, %h21}, A; mov.b32 D, {%h21, %h20};", "rr", {k32},
        EXPR(u(a << 16 | u(a) >> 16)));
}

}  // namespace
}  // namespace tilescope::emulator::test::integer_file
