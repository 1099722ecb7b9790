// ld: a row a space, width and vector length; cache hints are read over.
#include "emulator/isa/access.h"
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

// 16 bytes a lane into four registers: 4 × 4 transposes.
inline void transpose_in(const Access& a, std::byte* r0, std::byte* r1, std::byte* r2,
                         std::byte* r3) {
#if defined(__SSE2__)
  for (int i = 0; i < 32; i += 4) {
    __m128 v0 = _mm_loadu_ps(reinterpret_cast<const float*>(a.at(i)));
    __m128 v1 = _mm_loadu_ps(reinterpret_cast<const float*>(a.at(i + 1)));
    __m128 v2 = _mm_loadu_ps(reinterpret_cast<const float*>(a.at(i + 2)));
    __m128 v3 = _mm_loadu_ps(reinterpret_cast<const float*>(a.at(i + 3)));
    _MM_TRANSPOSE4_PS(v0, v1, v2, v3);
    _mm_store_ps(reinterpret_cast<float*>(r0) + i, v0);
    _mm_store_ps(reinterpret_cast<float*>(r1) + i, v1);
    _mm_store_ps(reinterpret_cast<float*>(r2) + i, v2);
    _mm_store_ps(reinterpret_cast<float*>(r3) + i, v3);
  }
#else
  for (int i = 0; i < 32; ++i) {
    __builtin_memcpy(r0 + 4 * i, a.at(i), 4);
    __builtin_memcpy(r1 + 4 * i, a.at(i) + 4, 4);
    __builtin_memcpy(r2 + 4 * i, a.at(i) + 8, 4);
    __builtin_memcpy(r3 + 4 * i, a.at(i) + 12, 4);
  }
#endif
}

/// T: in memory; C: the register's type, which T is converted to (sign- or zero-extended).
template <Space S, class T, class C, int V, bool Full>
void load(Context& c, const Inst& in) {
  constexpr int bytes = static_cast<int>(sizeof(T)) * V;
  const u32* r = V > 3 ? c.lists + in.list : in.r;  // registers, then the address
  Access a;
  resolve<S, Full>(c, in, r[V], in.imm, a, bytes, false);
  if constexpr (Full && V == 4 && sizeof(T) == 4 && sizeof(C) == 4) {
    transpose_in(a, c.registers + r[0], c.registers + r[1], c.registers + r[2], c.registers + r[3]);
    return;
  }
  if constexpr (Full && V == 1 && sizeof(T) == sizeof(C) && sizeof(T) >= 4) {
    if (a.linear) {
      __builtin_memcpy(c.registers + r[0], a.at(0), 32 * sizeof(T));
      return;
    }
    if (a.spread == 0) {
      T v;
      __builtin_memcpy(&v, a.at(0), sizeof(T));
      T* d = reinterpret_cast<T*>(c.registers + r[0]);
      for (int i = 0; i < 32; ++i) d[i] = v;
      return;
    }
  }
  for (int i = 0; i < 32; ++i) {
    if (!Full && !c.lane_mask[i]) continue;
    for (int k = 0; k < V; ++k) {
      T v;
      __builtin_memcpy(&v, a.at(i) + static_cast<size_t>(k) * sizeof(T), sizeof(T));
      put<C>(c.registers + r[k], i, static_cast<C>(v));
    }
  }
}

constexpr RowKind kind_of(Space s) {
  return s == Space::global    ? RowKind::load_global
         : s == Space::shared  ? RowKind::load_shared
         : s == Space::generic ? RowKind::load_generic
                               : RowKind::plain;
}

template <Space S, class T, class C, int V>
constexpr Row load_row(const char* pattern, const char* operands) {
  return Row{pattern,
             operands,
             &load<S, T, C, V, true>,
             &load<S, T, C, V, false>,
             kind_of(S),
             static_cast<u8>(sizeof(T) * V)};
}

#define LOADS(S, text)                                                                 \
  load_row<S, u32, u32, 1>("ld $order " text " $cache b32|u32|s32|f32", "XA"),         \
      load_row<S, u32, u32, 4>("ld $order " text " $cache v4 b32|u32|s32|f32", "X4A"), \
      load_row<S, u32, u32, 2>("ld $order " text " $cache v2 b32|u32|s32|f32", "X2A"), \
      load_row<S, u64, u64, 1>("ld $order " text " $cache b64|u64|s64|f64", "YA"),     \
      load_row<S, u64, u64, 2>("ld $order " text " $cache v2 b64|u64|s64|f64", "Y2A"), \
      load_row<S, u16, u32, 1>("ld $order " text " $cache b16|u16|f16", "ZA"),         \
      load_row<S, u16, u32, 2>("ld $order " text " $cache v2 b16|u16|s16|f16", "Z2A"), \
      load_row<S, u16, u32, 4>("ld $order " text " $cache v4 b16|u16|s16|f16", "Z4A"), \
      load_row<S, s16, u16, 1>("ld $order " text " $cache s16", "HA"),                 \
      load_row<S, s16, s32, 1>("ld $order " text " $cache s16", "RA"),                 \
      load_row<S, u8, u32, 1>("ld $order " text " $cache b8|u8", "ZA"),                \
      load_row<S, u8, u32, 2>("ld $order " text " $cache v2 b8|u8", "Z2A"),            \
      load_row<S, u8, u32, 4>("ld $order " text " $cache v4 b8|u8", "Z4A"),            \
      load_row<S, s8, u16, 1>("ld $order " text " $cache s8", "HA"),                   \
      load_row<S, s8, s32, 1>("ld $order " text " $cache s8", "RA"),                   \
      load_row<S, s8, u16, 2>("ld $order " text " $cache v2 s8", "H2A"),               \
      load_row<S, s8, u16, 4>("ld $order " text " $cache v4 s8", "H4A"),               \
      load_row<S, u32, u64, 1>("ld $order " text " $cache b32|u32", "LA"),             \
      load_row<S, s32, s64, 1>("ld $order " text " $cache s32", "LA"),                 \
      load_row<S, u16, u64, 1>("ld $order " text " $cache b16|u16", "LA"),             \
      load_row<S, s16, s64, 1>("ld $order " text " $cache s16", "LA"),                 \
      load_row<S, u8, u64, 1>("ld $order " text " $cache b8|u8", "LA"),                \
      load_row<S, s8, s64, 1>("ld $order " text " $cache s8", "LA")

const Row kRows[] = {
    LOADS(Space::global, "global"), LOADS(Space::shared, "shared|shared::cta"),
    LOADS(Space::local, "local"),   LOADS(Space::constant, "const|param|param::entry|param::func"),
    LOADS(Space::generic, ""),
};

}  // namespace

RowSpan load_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
