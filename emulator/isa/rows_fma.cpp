// fma.rn.f32, the innermost instruction of most kernels without matrix products. Also built for
// AVX-512, where its runs take two thirds of the time.
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

constexpr auto kFused = [](f32 a, f32 b, f32 c) -> f32 { return __builtin_fmaf(a, b, c); };
using OneByOne = Lanes<kFused, f32 (*)(f32, f32, f32)>;

#if defined(__FMA__)
#if defined(__AVX512F__)
using Wide = __m512;
inline Wide load(const std::byte* p) { return _mm512_load_ps(p); }
inline void store(std::byte* p, Wide v) { _mm512_store_ps(p, v); }
inline Wide fused(Wide a, Wide b, Wide c) { return _mm512_fmadd_ps(a, b, c); }
#else
using Wide = __m256;
inline Wide load(const std::byte* p) { return _mm256_load_ps(reinterpret_cast<const float*>(p)); }
inline void store(std::byte* p, Wide v) { _mm256_store_ps(reinterpret_cast<float*>(p), v); }
inline Wide fused(Wide a, Wide b, Wide c) { return _mm256_fmadd_ps(a, b, c); }
#endif
constexpr int kParts = 128 / static_cast<int>(sizeof(Wide));

// Outer products multiply one element of A by a row of B: as long as the first factor's register
// stays the same, its lanes stay in the host's registers. Loads are what such a run waits for.
const Inst* run(Context& c, const Inst* in, const Inst* end) {
  const u16 row = in->row;
  std::byte* const file = c.registers;
  Wide a[kParts] = {};
  u32 held = ~0u;
  do {
    if (in->r[1] != held) {
      held = in->r[1];
#pragma GCC unroll 4
      for (int i = 0; i < kParts; ++i) a[i] = load(file + held + sizeof(Wide) * i);
    }
    std::byte* d = file + in->r[0];
    const std::byte *b = file + in->r[2], *s = file + in->r[3];
#pragma GCC unroll 4
    for (size_t i = 0; i < sizeof(Wide) * kParts; i += sizeof(Wide)) {
      store(d + i, fused(a[i / sizeof(Wide)], load(b + i), load(s + i)));
    }
    if (in->r[0] == held) held = ~0u;
  } while (++in != end && in->row == row && in->guard == 0);
  return in;
}
#else
const Inst* run(Context& c, const Inst* in, const Inst* end) {
  return OneByOne::full_run(c, in, end);
}
#endif

const Row kRows[] = {Row{.pattern = "fma|mad rn? f32",
                         .operands = OneByOne::Letters::text,
                         .full = &OneByOne::full,
                         .masked = &OneByOne::masked,
                         .kind = RowKind::fma,
                         .run = &run}};

}  // namespace

RowSpan fma_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
