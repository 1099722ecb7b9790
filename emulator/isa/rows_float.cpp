// Arithmetic of f32 and f64 in all rounding modes. The approximate functions use the host's exact
// ones; sin, cos, lg2, ex2 and tanh are the host's library's.
#include "emulator/isa/directed.h"
#include "emulator/isa/reals.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

constexpr f32 one_of(f32) { return 1; }
constexpr f64 one_of(f64) { return 1; }
inline f32 magnitude(f32 a) { return __builtin_fabsf(a); }
inline f64 magnitude(f64 a) { return __builtin_fabs(a); }
// .xorsign.abs: the magnitudes are compared, the sign is the product's.
template <class T>
T with_xor_sign(T magnitude, T a, T b) {
  const bool negative = bool(__builtin_signbit(a)) != bool(__builtin_signbit(b));
  return __builtin_copysign(magnitude, negative ? T(-1) : T(1));
}

// One operation with nothing, .sat, .ftz or both; MAKE is lanes, or lanes_rounded with its mode.
#define VARIANTS2(name, e, ...)                                                                  \
  MAKE_ROW(([](f32 a, f32 b) -> f32 { return e; }), name " f32", __VA_ARGS__),                   \
      MAKE_ROW(([](f32 a, f32 b) -> f32 { return saturate(e); }), name " sat f32", __VA_ARGS__), \
      MAKE_ROW(([](f32 x, f32 y) -> f32 {                                                        \
                 const f32 a = flush(x), b = flush(y);                                           \
                 return flush(e);                                                                \
               }),                                                                               \
               name " ftz f32", __VA_ARGS__),                                                    \
      MAKE_ROW(([](f32 x, f32 y) -> f32 {                                                        \
                 const f32 a = flush(x), b = flush(y);                                           \
                 return saturate(flush(e));                                                      \
               }),                                                                               \
               name " ftz sat f32", __VA_ARGS__),                                                \
      MAKE_ROW(([](f64 a, f64 b) -> f64 { return e; }), name " f64", __VA_ARGS__)
#define VARIANTS3(name, e, ...)                                                       \
  MAKE_ROW(([](f32 a, f32 b, f32 c) -> f32 { return e; }), name " f32", __VA_ARGS__), \
      MORE3(name, e, __VA_ARGS__)
#define MORE3(name, e, ...)                                                           \
  MAKE_ROW(([](f32 a, f32 b, f32 c) -> f32 { return saturate(e); }), name " sat f32", \
           __VA_ARGS__),                                                              \
      MAKE_ROW(([](f32 x, f32 y, f32 z) -> f32 {                                      \
                 const f32 a = flush(x), b = flush(y), c = flush(z);                  \
                 return flush(e);                                                     \
               }),                                                                    \
               name " ftz f32", __VA_ARGS__),                                         \
      MAKE_ROW(([](f32 x, f32 y, f32 z) -> f32 {                                      \
                 const f32 a = flush(x), b = flush(y), c = flush(z);                  \
                 return saturate(flush(e));                                           \
               }),                                                                    \
               name " ftz sat f32", __VA_ARGS__),                                     \
      MAKE_ROW(([](f64 a, f64 b, f64 c) -> f64 { return e; }), name " f64", __VA_ARGS__)
#define VARIANTS1(name, e, ...)                                         \
  MAKE_ROW(([](f32 a) -> f32 { return e; }), name " f32", __VA_ARGS__), \
      MAKE_ROW(([](f32 x) -> f32 {                                      \
                 const f32 a = flush(x);                                \
                 return flush(e);                                       \
               }),                                                      \
               name " ftz f32", __VA_ARGS__),                           \
      MAKE_ROW(([](f64 a) -> f64 { return e; }), name " f64", __VA_ARGS__)
#define MAKE_ROW(f, name, make, ...) make(f, name, __VA_ARGS__)
#define NEAREST(f, name, kind) lanes<f>(name, kind)
#define IN_MODE(f, name, kind, mode) lanes_rounded<f, mode>(name, kind)
constexpr RowKind kPlain = RowKind::plain, kFma = RowKind::fma;

#define DIRECTED(rounding, mode)                                           \
  VARIANTS2("add " rounding, sum(a, b), IN_MODE, kPlain, mode),            \
      VARIANTS2("sub " rounding, difference(a, b), IN_MODE, kPlain, mode), \
      VARIANTS2("mul " rounding, times(a, b), IN_MODE, kPlain, mode),      \
      VARIANTS2("div " rounding, quotient(a, b), IN_MODE, kPlain, mode),   \
      VARIANTS3("fma|mad " rounding, fused(a, b, c), IN_MODE, kFma, mode), \
      VARIANTS1("sqrt " rounding, root(a), IN_MODE, kPlain, mode),         \
      VARIANTS1("rcp " rounding, quotient(one_of(a), a), IN_MODE, kPlain, mode)

// An f32 function with and without .ftz.
#define APPROXIMATE(name, e)                                                   \
  lanes<[](f32 a) -> f32 { return e; }>(name " f32"), lanes<[](f32 x) -> f32 { \
    const f32 a = flush(x);                                                    \
    return flush(e);                                                           \
  }>(name " ftz f32")
#define EXTREME(name, F)                                                                      \
  lanes<[](f32 a, f32 b) -> f32 { return F(a, b); }>(name " f32"),                            \
      lanes<[](f32 a, f32 b) -> f32 { return F(flush(a), flush(b)); }>(name " ftz f32"),      \
      lanes<[](f64 a, f64 b) -> f64 { return F(a, b); }>(name " f64"),                        \
      lanes<[](f32 a, f32 b) -> f32 { return a != a || b != b ? not_a_number() : F(a, b); }>( \
          name " NaN f32"),                                                                   \
      lanes<[](f32 a, f32 b) -> f32 {                                                         \
        return a != a || b != b ? not_a_number() : F(flush(a), flush(b));                     \
      }>(name " ftz NaN f32"),                                                                \
      lanes<[](f32 a, f32 b) -> f32 {                                                         \
        return with_xor_sign(F(__builtin_fabsf(a), __builtin_fabsf(b)), a, b);                \
      }>(name " xorsign abs f32"),                                                            \
      lanes<[](f32 x, f32 y) -> f32 {                                                         \
        const f32 a = flush(x), b = flush(y);                                                 \
        return with_xor_sign(F(__builtin_fabsf(a), __builtin_fabsf(b)), a, b);                \
      }>(name " ftz xorsign abs f32"),                                                        \
      lanes<[](f32 x, f32 y) -> f32 {                                                         \
        const f32 a = flush(x), b = flush(y);                                                 \
        if (a != a || b != b) return not_a_number();                                          \
        return with_xor_sign(F(__builtin_fabsf(a), __builtin_fabsf(b)), a, b);                \
      }>(name " ftz? NaN xorsign abs f32")

const Row kRows[] = {
    MORE3("fma|mad rn?", fused(a, b, c), NEAREST, kFma),  // without: rows_fma.cpp
    VARIANTS2("add rn?", a + b, NEAREST, kPlain),
    VARIANTS2("sub rn?", a - b, NEAREST, kPlain),
    VARIANTS2("mul rn?", a* b, NEAREST, kPlain),
    VARIANTS2("div rn?", a / b, NEAREST, kPlain),
    DIRECTED("rz", FE_TOWARDZERO),
    DIRECTED("rm", FE_DOWNWARD),
    DIRECTED("rp", FE_UPWARD),
    lanes<[](f32 a, f32 b) -> f32 { return a / b; }>("div approx|full f32"),
    lanes<[](f32 a, f32 b) -> f32 { return flush(flush(a) / flush(b)); }>(
        "div approx|full ftz f32"),
    VARIANTS1("neg", -a, NEAREST, kPlain),
    VARIANTS1("abs", magnitude(a), NEAREST, kPlain),
    VARIANTS1("sqrt rn", root(a), NEAREST, kPlain),
    VARIANTS1("rcp rn", 1 / a, NEAREST, kPlain),
    APPROXIMATE("sqrt approx", root(a)),
    APPROXIMATE("rcp approx", 1 / a),
    APPROXIMATE("rsqrt approx", 1 / root(a)),
    APPROXIMATE("ex2 approx", __builtin_exp2f(a)),
    APPROXIMATE("lg2 approx", __builtin_log2f(a)),
    APPROXIMATE("sin approx", __builtin_sinf(a)),
    APPROXIMATE("cos approx", __builtin_cosf(a)),
    lanes<[](f32 a) -> f32 { return __builtin_tanhf(a); }>("tanh approx f32"),
    lanes<[](f64 a) -> f64 { return 1 / root(a); }>("rsqrt approx ftz? f64"),
    lanes<[](f64 a) -> f64 { return 1 / a; }>("rcp approx ftz f64"),
    EXTREME("min", minimum),
    EXTREME("max", maximum),
};

}  // namespace

RowSpan float_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
