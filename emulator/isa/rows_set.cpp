// set: a comparison into a register, alone or combined with a predicate. And choice: selp, slct,
// testp, copysign.
#include "emulator/isa/compare.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

// `True` in a register of the letter's width.
#define SET(name, condition, T, ftz, result, letter, yes, words, letters)  \
  compare_row("set " name " " words(result), letter letters,               \
              &set_register<T, condition, ftz, yes, Combine::none>),       \
      compare_row("set " name " and " words(result), letter letters "p",   \
                  &set_register<T, condition, ftz, yes, Combine::both>),   \
      compare_row("set " name " or " words(result), letter letters "p",    \
                  &set_register<T, condition, ftz, yes, Combine::either>), \
      compare_row("set " name " xor " words(result), letter letters "p",   \
                  &set_register<T, condition, ftz, yes, Combine::one>)
#define S32_OF(result) result " s32"
#define U32_OF(result) result " u32|b32"
#define S64_OF(result) result " s64"
#define U64_OF(result) result " u64|b64"
#define S16_OF(result) result " s16"
#define U16_OF(result) result " u16|b16"
#define F32_OF(result) result " f32"
#define F32_FTZ_OF(result) "ftz " result " f32"
#define F64_OF(result) result " f64"
#define F16_OF(result) "ftz? " result " f16"
#define F16_PLAIN_OF(result) result " f16"
#define BF16_OF(result) result " bf16"
#define F16X2_OF(result) "ftz? " result " f16x2"
#define BF16X2_OF(result) result " bf16x2"

constexpr u32 kOnes = 0xffffffffu, kOne32 = 0x3f800000u, kOne16 = 0x3c00u, kOneBrain = 0x3f80u;

// Of all types but 16-bit reals into a word and into each real; there is no .ftz into bf16.
#define INTO_BRAIN(CONDITIONS, T, words, letters) \
  CONDITIONS(SET, T, false, "bf16", "H", kOneBrain, words, letters)
#define INTO_ANY_FTZ(CONDITIONS, T, ftz, words, letters)           \
  CONDITIONS(SET, T, ftz, "u32|s32", "R", kOnes, words, letters),  \
      CONDITIONS(SET, T, ftz, "f32", "F", kOne32, words, letters), \
      CONDITIONS(SET, T, ftz, "f16", "H", kOne16, words, letters)
#define INTO_ANY(CONDITIONS, T, words, letters) \
  INTO_ANY_FTZ(CONDITIONS, T, false, words, letters), INTO_BRAIN(CONDITIONS, T, words, letters)
// of 16-bit reals also into 16 bits, of pairs into a pair
#define OF_HALF(T, words, own, one, letters)                                             \
  TILESCOPE_REAL_CONDITIONS(SET, T, false, "u32|s32", "R", kOnes, words, letters),       \
      TILESCOPE_REAL_CONDITIONS(SET, T, false, "u16|s16", "H", 0xffffu, words, letters), \
      TILESCOPE_REAL_CONDITIONS(SET, T, false, own, "H", one, words, letters)

const Row kRows[] = {
    INTO_ANY(TILESCOPE_INTEGER_CONDITIONS, s32, S32_OF, "rr"),
    INTO_ANY(TILESCOPE_INTEGER_CONDITIONS, u32, U32_OF, "rr"),
    INTO_ANY(TILESCOPE_INTEGER_CONDITIONS, s64, S64_OF, "ll"),
    INTO_ANY(TILESCOPE_INTEGER_CONDITIONS, u64, U64_OF, "ll"),
    INTO_ANY(TILESCOPE_INTEGER_CONDITIONS, s16, S16_OF, "hh"),
    INTO_ANY(TILESCOPE_INTEGER_CONDITIONS, u16, U16_OF, "hh"),
    INTO_ANY(TILESCOPE_REAL_CONDITIONS, f32, F32_OF, "ff"),
    INTO_ANY_FTZ(TILESCOPE_REAL_CONDITIONS, f32, true, F32_FTZ_OF, "ff"),
    INTO_ANY(TILESCOPE_REAL_CONDITIONS, f64, F64_OF, "dd"),
    OF_HALF(Half, F16_OF, "f16", kOne16, "hh"),
    INTO_BRAIN(TILESCOPE_REAL_CONDITIONS, Half, F16_PLAIN_OF, "hh"),
    OF_HALF(Brain, BF16_OF, "bf16", kOneBrain, "hh"),
    TILESCOPE_REAL_CONDITIONS(SET, Half2, false, "f16x2", "R", kOne16, F16X2_OF, "rr"),
    TILESCOPE_REAL_CONDITIONS(SET, Half2, false, "u32|s32", "R", 0xffffu, F16X2_OF, "rr"),
    TILESCOPE_REAL_CONDITIONS(SET, Brain2, false, "bf16x2", "R", kOneBrain, BF16X2_OF, "rr"),
    TILESCOPE_REAL_CONDITIONS(SET, Brain2, false, "u32|s32", "R", 0xffffu, BF16X2_OF, "rr"),
    lanes<[](u32 a, u32 b, bool p) -> u32 { return p ? a : b; }>("selp b32|u32|s32"),
    lanes<[](f32 a, f32 b, bool p) -> f32 { return p ? a : b; }>("selp f32"),
    lanes<[](u64 a, u64 b, bool p) -> u64 { return p ? a : b; }>("selp b64|u64|s64"),
    lanes<[](f64 a, f64 b, bool p) -> f64 { return p ? a : b; }>("selp f64"),
    lanes<[](u16 a, u16 b, bool p) -> u16 { return p ? a : b; }>("selp b16|u16|s16|f16|bf16"),
    lanes<[](u16 a, u16 b, s32 c) -> u16 { return (c >= 0 ? a : b); }>("slct b16|u16|s16 s32"),
    lanes<[](u32 a, u32 b, s32 c) -> u32 { return (c >= 0 ? a : b); }>("slct b32|u32|s32 s32"),
    lanes<[](u64 a, u64 b, s32 c) -> u64 { return (c >= 0 ? a : b); }>("slct b64|u64|s64 s32"),
    lanes<[](f32 a, f32 b, s32 c) -> f32 { return (c >= 0 ? a : b); }>("slct f32 s32"),
    lanes<[](f64 a, f64 b, s32 c) -> f64 { return (c >= 0 ? a : b); }>("slct f64 s32"),
    lanes<[](u16 a, u16 b, f32 c) -> u16 { return (c >= 0 ? a : b); }>("slct b16|u16|s16 f32"),
    lanes<[](u32 a, u32 b, f32 c) -> u32 { return (c >= 0 ? a : b); }>("slct b32|u32|s32 f32"),
    lanes<[](u64 a, u64 b, f32 c) -> u64 { return (c >= 0 ? a : b); }>("slct b64|u64|s64 f32"),
    lanes<[](f32 a, f32 b, f32 c) -> f32 { return (c >= 0 ? a : b); }>("slct f32 f32"),
    lanes<[](f64 a, f64 b, f32 c) -> f64 { return (c >= 0 ? a : b); }>("slct f64 f32"),
    lanes<[](u16 a, u16 b, f32 c) -> u16 { return (flush(c) >= 0 ? a : b); }>(
        "slct ftz b16|u16|s16 f32"),
    lanes<[](u32 a, u32 b, f32 c) -> u32 { return (flush(c) >= 0 ? a : b); }>(
        "slct ftz b32|u32|s32 f32"),
    lanes<[](u64 a, u64 b, f32 c) -> u64 { return (flush(c) >= 0 ? a : b); }>(
        "slct ftz b64|u64|s64 f32"),
    lanes<[](f32 a, f32 b, f32 c) -> f32 { return (flush(c) >= 0 ? a : b); }>("slct ftz f32 f32"),
    lanes<[](f64 a, f64 b, f32 c) -> f64 { return (flush(c) >= 0 ? a : b); }>("slct ftz f64 f32"),
    lanes<[](f32 a, f32 b) -> f32 {  // b, with the sign of a
      return bits_float((float_bits(a) & 0x80000000u) | (float_bits(b) & 0x7fffffffu));
    }>("copysign f32"),
    lanes<[](f64 a, f64 b) -> f64 { return __builtin_copysign(b, a); }>("copysign f64"),
    lanes<[](f32 a) -> bool { return (float_bits(a) & 0x7fffffffu) == 0x7f800000u; }>(
        "testp infinite f32"),
    lanes<[](f32 a) -> bool { return (float_bits(a) & 0x7f800000u) != 0x7f800000u; }>(
        "testp finite f32"),
    lanes<[](f32 a) -> bool { return a != a; }>("testp notanumber f32"),
    lanes<[](f32 a) -> bool { return a == a; }>("testp number f32"),
    lanes<[](f32 a) -> bool {
      const u32 e = float_bits(a) & 0x7f800000u;
      return e != 0 && e != 0x7f800000u;
    }>("testp normal f32"),
    lanes<[](f32 a) -> bool {
      const u32 m = float_bits(a) & 0x7fffffffu;
      return m != 0 && m < 0x00800000u;
    }>("testp subnormal f32"),
    lanes<[](f64 a) -> bool { return __builtin_isinf(a); }>("testp infinite f64"),
    lanes<[](f64 a) -> bool { return __builtin_isfinite(a); }>("testp finite f64"),
    lanes<[](f64 a) -> bool { return a != a; }>("testp notanumber f64"),
    lanes<[](f64 a) -> bool { return a == a; }>("testp number f64"),
    lanes<[](f64 a) -> bool { return __builtin_isnormal(a); }>("testp normal f64"),
    lanes<[](f64 a) -> bool { return a != 0 && __builtin_fabs(a) < 0x1p-1022; }>(
        "testp subnormal f64"),
};

}  // namespace

RowSpan set_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
