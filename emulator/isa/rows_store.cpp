// st: as ld. Lanes write in ascending order, so that the highest wins where addresses coincide.
#include "emulator/isa/access.h"
#include "emulator/isa/lanes.h"
#include "emulator/isa/tables.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

inline void transpose_out(const Access& a, const std::byte* r0, const std::byte* r1,
                          const std::byte* r2, const std::byte* r3) {
#if defined(__SSE2__)
  for (int i = 0; i < 32; i += 4) {
    __m128 v0 = _mm_load_ps(reinterpret_cast<const float*>(r0) + i);
    __m128 v1 = _mm_load_ps(reinterpret_cast<const float*>(r1) + i);
    __m128 v2 = _mm_load_ps(reinterpret_cast<const float*>(r2) + i);
    __m128 v3 = _mm_load_ps(reinterpret_cast<const float*>(r3) + i);
    _MM_TRANSPOSE4_PS(v0, v1, v2, v3);
    _mm_storeu_ps(reinterpret_cast<float*>(a.at(i)), v0);
    _mm_storeu_ps(reinterpret_cast<float*>(a.at(i + 1)), v1);
    _mm_storeu_ps(reinterpret_cast<float*>(a.at(i + 2)), v2);
    _mm_storeu_ps(reinterpret_cast<float*>(a.at(i + 3)), v3);
  }
#else
  for (int i = 0; i < 32; ++i) {
    __builtin_memcpy(a.at(i), r0 + 4 * i, 4);
    __builtin_memcpy(a.at(i) + 4, r1 + 4 * i, 4);
    __builtin_memcpy(a.at(i) + 8, r2 + 4 * i, 4);
    __builtin_memcpy(a.at(i) + 12, r3 + 4 * i, 4);
  }
#endif
}

template <Space S, class T, int V, bool Full>
void store(Context& c, const Inst& in) {
  constexpr int bytes = static_cast<int>(sizeof(T)) * V;
  const u32* r = V > 3 ? c.lists + in.list : in.r;  // the address, then registers
  Access a;
  resolve<S, Full>(c, in, r[0], in.imm, a, bytes, true);
  if constexpr (Full && V == 4 && sizeof(T) == 4) {
    transpose_out(a, c.registers + r[1], c.registers + r[2], c.registers + r[3],
                  c.registers + r[4]);
    return;
  }
  if constexpr (Full && V == 1 && sizeof(T) >= 4) {
    if (a.linear) {
      __builtin_memcpy(a.at(0), c.registers + r[1], 32 * sizeof(T));
      return;
    }
  }
  for (int i = 0; i < 32; ++i) {
    if (!Full && !c.lane_mask[i]) continue;
    for (int k = 0; k < V; ++k) {
      const T v = get<T>(c.registers + r[1 + k], i);
      __builtin_memcpy(a.at(i) + static_cast<size_t>(k) * sizeof(T), &v, sizeof(T));
    }
  }
}
/// A 64-bit register of which the low part is stored.
template <Space S, class T, bool Full>
void store_low(Context& c, const Inst& in) {
  Access a;
  resolve<S, Full>(c, in, in.r[0], in.imm, a, static_cast<int>(sizeof(T)), true);
  for (int i = 0; i < 32; ++i) {
    if (!Full && !c.lane_mask[i]) continue;
    const T v = static_cast<T>(get<u64>(c.registers + in.r[1], i));
    __builtin_memcpy(a.at(i), &v, sizeof(T));
  }
}

constexpr RowKind kind_of(Space s) {
  return s == Space::global    ? RowKind::store_global
         : s == Space::shared  ? RowKind::store_shared
         : s == Space::generic ? RowKind::store_generic
                               : RowKind::plain;
}
template <Space S, class T, int V>
constexpr Row store_row(const char* pattern, const char* operands) {
  return Row{pattern,
             operands,
             &store<S, T, V, true>,
             &store<S, T, V, false>,
             kind_of(S),
             static_cast<u8>(sizeof(T) * V)};
}
template <Space S, class T>
constexpr Row store_low_row(const char* pattern) {
  return Row{pattern,
             "Al",
             &store_low<S, T, true>,
             &store_low<S, T, false>,
             kind_of(S),
             static_cast<u8>(sizeof(T))};
}

#define STORES(S, text)                                                            \
  store_row<S, u32, 1>("st $order " text " $cache b32|u32|s32|f32", "Ax"),         \
      store_row<S, u32, 4>("st $order " text " $cache v4 b32|u32|s32|f32", "Ax4"), \
      store_row<S, u32, 2>("st $order " text " $cache v2 b32|u32|s32|f32", "Ax2"), \
      store_row<S, u64, 1>("st $order " text " $cache b64|u64|s64|f64", "Ay"),     \
      store_row<S, u64, 2>("st $order " text " $cache v2 b64|u64|s64|f64", "Ay2"), \
      store_row<S, u16, 1>("st $order " text " $cache b16|u16|s16|f16", "Az"),     \
      store_row<S, u16, 2>("st $order " text " $cache v2 b16|u16|s16|f16", "Az2"), \
      store_row<S, u16, 4>("st $order " text " $cache v4 b16|u16|s16|f16", "Az4"), \
      store_row<S, u8, 1>("st $order " text " $cache b8|u8|s8", "Az"),             \
      store_row<S, u8, 2>("st $order " text " $cache v2 b8|u8|s8", "Az2"),         \
      store_row<S, u8, 4>("st $order " text " $cache v4 b8|u8|s8", "Az4"),         \
      store_low_row<S, u32>("st $order " text " $cache b32|u32|s32"),              \
      store_low_row<S, u16>("st $order " text " $cache b16|u16|s16"),              \
      store_low_row<S, u8>("st $order " text " $cache b8|u8|s8")

const Row kRows[] = {
    STORES(Space::global, "global"),
    STORES(Space::shared, "shared|shared::cta"),
    STORES(Space::local, "local"),
    STORES(Space::local, "param|param::func"),  // of a call: parameters lie in the caller's frame
    STORES(Space::generic, ""),
};

}  // namespace

RowSpan store_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
