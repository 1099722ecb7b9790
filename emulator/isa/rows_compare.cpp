// setp: into one predicate (the usual form, by vectors), into two, and combined with a third.
#include "emulator/isa/compare.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

// The usual form.
#define PLAIN(name, condition, T, text) \
  lanes<[](T a, T b) -> bool { return condition(a, b); }>("setp " name " " text)
#define PLAIN_FLUSHED(name, condition, T, text) \
  lanes<[](T a, T b) -> bool { return condition(flush(a), flush(b)); }>("setp " name " ftz " text)
#define PLAIN_HALF(name, condition, T, text)                                             \
  lanes<[](T a, T b) -> bool { return condition(real_of(a), real_of(b)); }>("setp " name \
                                                                            " ftz? " text)

// All other forms: B is p or p|q.
#define FORMS(name, condition, T, ftz, words, letters)                  \
  compare_row("setp " name " " words, "B" letters,                      \
              &set_predicates<T, condition, ftz, Combine::none>),       \
      compare_row("setp " name " and " words, "B" letters "p",          \
                  &set_predicates<T, condition, ftz, Combine::both>),   \
      compare_row("setp " name " or " words, "B" letters "p",           \
                  &set_predicates<T, condition, ftz, Combine::either>), \
      compare_row("setp " name " xor " words, "B" letters "p",          \
                  &set_predicates<T, condition, ftz, Combine::one>)

const Row kRows[] = {
    TILESCOPE_INTEGER_CONDITIONS(PLAIN, s32, "s32"),
    TILESCOPE_INTEGER_CONDITIONS(PLAIN, u32, "u32|b32"),
    TILESCOPE_INTEGER_CONDITIONS(PLAIN, s64, "s64"),
    TILESCOPE_INTEGER_CONDITIONS(PLAIN, u64, "u64|b64"),
    TILESCOPE_INTEGER_CONDITIONS(PLAIN, s16, "s16"),
    TILESCOPE_INTEGER_CONDITIONS(PLAIN, u16, "u16|b16"),
    TILESCOPE_REAL_CONDITIONS(PLAIN, f32, "f32"),
    TILESCOPE_REAL_CONDITIONS(PLAIN_FLUSHED, f32, "f32"),
    TILESCOPE_REAL_CONDITIONS(PLAIN, f64, "f64"),
    TILESCOPE_REAL_CONDITIONS(PLAIN_HALF, Half, "f16"),
    TILESCOPE_INTEGER_CONDITIONS(FORMS, s32, false, "s32", "rr"),
    TILESCOPE_INTEGER_CONDITIONS(FORMS, u32, false, "u32|b32", "rr"),
    TILESCOPE_INTEGER_CONDITIONS(FORMS, s64, false, "s64", "ll"),
    TILESCOPE_INTEGER_CONDITIONS(FORMS, u64, false, "u64|b64", "ll"),
    TILESCOPE_INTEGER_CONDITIONS(FORMS, s16, false, "s16", "hh"),
    TILESCOPE_INTEGER_CONDITIONS(FORMS, u16, false, "u16|b16", "hh"),
    TILESCOPE_REAL_CONDITIONS(FORMS, f32, false, "f32", "ff"),
    TILESCOPE_REAL_CONDITIONS(FORMS, f32, true, "ftz f32", "ff"),
    TILESCOPE_REAL_CONDITIONS(FORMS, f64, false, "f64", "dd"),
    TILESCOPE_REAL_CONDITIONS(FORMS, Half, false, "ftz? f16", "hh"),
    TILESCOPE_REAL_CONDITIONS(FORMS, Brain, false, "bf16", "hh"),
    TILESCOPE_REAL_CONDITIONS(FORMS, Half2, false, "ftz? f16x2", "rr"),
    TILESCOPE_REAL_CONDITIONS(FORMS, Brain2, false, "bf16x2", "rr"),
};

}  // namespace

RowSpan compare_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
