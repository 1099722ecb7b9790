// Comparison and choice: setp, set, selp, slct, copysign, testp.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

template <class T>
bool unordered(T a, T b) {
  return a != a || b != b;
}
inline f32 flush(f32 a) {  // .ftz: a subnormal becomes a zero of its sign
  const u32 bits = float_bits(a);
  return bits_float((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

#define COMPARE(T, name, condition, text) \
  lanes<[](T a, T b) -> bool { return (condition); }>("setp " name " " text)
#define COMPARE_AND(T, name, condition, text)                                                    \
  lanes<[](T a, T b, bool c) -> bool { return (condition)&c; }>("setp " name " and " text),      \
      lanes<[](T a, T b, bool c) -> bool { return (condition) | c; }>("setp " name " or " text), \
      lanes<[](T a, T b, bool c) -> bool { return (condition) ^ c; }>("setp " name " xor " text)
#define SIX(MACRO, T, text)                                                                   \
  MACRO(T, "eq", a == b, text), MACRO(T, "ne", a != b, text), MACRO(T, "lt|lo", a < b, text), \
      MACRO(T, "le|ls", a <= b, text), MACRO(T, "gt|hi", a > b, text),                        \
      MACRO(T, "ge|hs", a >= b, text)
// ne is true only for ordered operands; neu and the rest of …u also for NaN.
#define REALS(MACRO, T, text)                                                                 \
  MACRO(T, "eq", a == b, text), MACRO(T, "ne", (a != b) & !unordered(a, b), text),            \
      MACRO(T, "lt", a < b, text), MACRO(T, "le", a <= b, text), MACRO(T, "gt", a > b, text), \
      MACRO(T, "ge", a >= b, text), MACRO(T, "equ", (a == b) | unordered(a, b), text),        \
      MACRO(T, "neu", a != b, text), MACRO(T, "ltu", !(a >= b), text),                        \
      MACRO(T, "leu", !(a > b), text), MACRO(T, "gtu", !(a <= b), text),                      \
      MACRO(T, "geu", !(a < b), text), MACRO(T, "num", !unordered(a, b), text),               \
      MACRO(T, "nan", unordered(a, b), text)
#define COMPARE_FLUSHED(T, name, condition, text) \
  lanes<[](T x, T y) -> bool {                    \
    const T a = flush(x), b = flush(y);           \
    return (condition);                           \
  }>("setp " name " ftz " text)
#define COMPARE_HALF(T, name, condition, text)                      \
  lanes<[](T x, T y) -> bool {                                      \
    const f32 a = half_to_float(x.bits), b = half_to_float(y.bits); \
    return (condition);                                             \
  }>("setp " name " ftz? " text)
#define SET_WORD(T, name, condition, text)                                          \
  lanes<[](T a, T b) -> u32 { return (condition) ? 0xffffffffu : 0u; }>("set " name \
                                                                        " u32|s32 " text)
#define SET_FLOAT(T, name, condition, text) \
  lanes<[](T a, T b) -> f32 { return (condition) ? 1.0f : 0.0f; }>("set " name " f32 " text)
#define SET_HALF(T, name, condition, text)                          \
  lanes<[](T x, T y) -> u16 {                                       \
    const f32 a = half_to_float(x.bits), b = half_to_float(y.bits); \
    return (condition) ? u16{0x3c00} : u16{0};                      \
  }>("set " name " ftz? f16 " text)

const Row kRows[] = {
    SIX(COMPARE, s32, "s32"),
    SIX(COMPARE, u32, "u32|b32"),
    SIX(COMPARE, s64, "s64"),
    SIX(COMPARE, u64, "u64|b64"),
    SIX(COMPARE, s16, "s16"),
    SIX(COMPARE, u16, "u16|b16"),
    SIX(COMPARE_AND, s32, "s32"),
    SIX(COMPARE_AND, u32, "u32|b32"),
    SIX(COMPARE_AND, u64, "u64|b64"),
    SIX(COMPARE_AND, s64, "s64"),
    SIX(COMPARE_AND, f32, "f32"),
    REALS(COMPARE, f32, "f32"),
    REALS(COMPARE, f64, "f64"),
    REALS(COMPARE_FLUSHED, f32, "f32"),
    REALS(COMPARE_HALF, Half, "f16"),
    SIX(SET_WORD, s32, "s32"),
    SIX(SET_WORD, u32, "u32"),
    REALS(SET_WORD, f32, "f32"),
    REALS(SET_FLOAT, f32, "f32"),
    REALS(SET_HALF, Half, "f16"),
    lanes<[](u32 a, u32 b, bool p) -> u32 { return p ? a : b; }>("selp b32|u32|s32"),
    lanes<[](f32 a, f32 b, bool p) -> f32 { return p ? a : b; }>("selp f32"),
    lanes<[](u64 a, u64 b, bool p) -> u64 { return p ? a : b; }>("selp b64|u64|s64"),
    lanes<[](f64 a, f64 b, bool p) -> f64 { return p ? a : b; }>("selp f64"),
    lanes<[](u16 a, u16 b, bool p) -> u16 { return p ? a : b; }>("selp b16|u16|s16|f16"),
    lanes<[](u32 a, u32 b, s32 c) -> u32 { return (c >= 0 ? a : b); }>("slct b32|u32|s32 s32"),
    lanes<[](u64 a, u64 b, s32 c) -> u64 { return (c >= 0 ? a : b); }>("slct b64|u64|s64 s32"),
    lanes<[](f32 a, f32 b, s32 c) -> f32 { return (c >= 0 ? a : b); }>("slct f32 s32"),
    lanes<[](f32 a, f32 b, f32 c) -> f32 { return (c >= 0 ? a : b); }>("slct ftz? f32 f32"),
    lanes<[](u32 a, u32 b) -> u32 { return (a & 0x80000000u) | (b & 0x7fffffffu); }>(
        "copysign b32"),
    lanes<[](f32 a, f32 b) -> f32 {
      return bits_float((float_bits(a) & 0x80000000u) | (float_bits(b) & 0x7fffffffu));
    }>("copysign f32"),
    lanes<[](f32 a) -> bool { return (float_bits(a) & 0x7fffffffu) == 0x7f800000u; }>(
        "testp infinite f32"),
    lanes<[](f32 a) -> bool { return (float_bits(a) & 0x7f800000u) != 0x7f800000u; }>(
        "testp finite f32"),
    lanes<[](f32 a) -> bool { return a != a; }>("testp notanumber f32"),
    lanes<[](f32 a) -> bool { return a == a; }>("testp number f32"),
};

}  // namespace

RowSpan compare_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
