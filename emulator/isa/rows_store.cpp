// st: as ld. Lanes write in ascending order, so that the highest wins where addresses coincide.
#include "emulator/isa/lanes.h"
#include "emulator/isa/shape.h"
#include "emulator/isa/tables.h"
#include "emulator/isa/wider.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

#if defined(__SSE2__)
// Four registers to 16 bytes per lane.
inline void four_words(const Recalled& to, const std::byte* r0, const std::byte* r1,
                       const std::byte* r2, const std::byte* r3) {
  for (int i = 0; i < 32; i += 4) {
    __m128 v0 = _mm_load_ps(reinterpret_cast<const float*>(r0) + i);
    __m128 v1 = _mm_load_ps(reinterpret_cast<const float*>(r1) + i);
    __m128 v2 = _mm_load_ps(reinterpret_cast<const float*>(r2) + i);
    __m128 v3 = _mm_load_ps(reinterpret_cast<const float*>(r3) + i);
    _MM_TRANSPOSE4_PS(v0, v1, v2, v3);
    _mm_storeu_ps(reinterpret_cast<float*>(to.at(i)), v0);
    _mm_storeu_ps(reinterpret_cast<float*>(to.at(i + 1)), v1);
    _mm_storeu_ps(reinterpret_cast<float*>(to.at(i + 2)), v2);
    _mm_storeu_ps(reinterpret_cast<float*>(to.at(i + 3)), v3);
  }
}
#endif

/// From registers of a whole warp.
template <class T, int V>
inline void send(const Context& c, const u32* r, const Recalled& to) {
  if constexpr (V == 1 && sizeof(T) >= 4) {
    if (to.shape->linear) {
      __builtin_memcpy(to.first, c.registers + r[0], 32 * sizeof(T));
      return;
    }
  }
#if defined(__SSE2__)
  if constexpr (V == 4 && sizeof(T) == 4) {
    four_words(to, c.registers + r[0], c.registers + r[1], c.registers + r[2], c.registers + r[3]);
    return;
  }
#endif
  for (int i = 0; i < 32; ++i) {
    for (int k = 0; k < V; ++k) {
      const T v = get<T>(c.registers + r[k], i);
      __builtin_memcpy(to.at(i) + static_cast<size_t>(k) * sizeof(T), &v, sizeof(T));
    }
  }
}

template <Space S, class T, int V, bool Full>
void store(Context& c, const Inst& in) {
  constexpr int bytes = static_cast<int>(sizeof(T)) * V;
  const u32* r = V > 3 ? c.lists + in.list : in.r;  // the address, then registers
  if constexpr (Full && has_shapes(S)) {
    if (const Recalled to = enter<S>(c, in, r[0], in.imm, bytes, true)) {
      send<T, V>(c, r + 1, to);
      return;
    }
  }
  Access a;
  resolve<S, Full>(c, in, r[0], in.imm, a, bytes, true);
  if constexpr (Full && has_shapes(S)) learn<S>(c, c.sites[in.site], a);
  for (int i = 0; i < 32; ++i) {
    if (!Full && !c.lane_mask[i]) continue;
    for (int k = 0; k < V; ++k) {
      const T v = get<T>(c.registers + r[1 + k], i);
      __builtin_memcpy(a.at(i) + static_cast<size_t>(k) * sizeof(T), &v, sizeof(T));
    }
  }
}
/// From registers that may be wider than T.
template <Space S, class T, int V>
void store_low(Context& c, const Inst& in) {
  const u32* r = V > 3 ? c.lists + in.list : in.r;
  Access a;
  resolve<S, false>(c, in, r[0], in.imm, a, static_cast<int>(sizeof(T)) * V, true);
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    for (int k = 0; k < V; ++k) {
      const T v = get_low<T>(c.registers, r[1 + k], i);
      __builtin_memcpy(a.at(i) + static_cast<size_t>(k) * sizeof(T), &v, sizeof(T));
    }
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
template <Space S, class T, int V>
constexpr Row low_row(const char* pattern, const char* operands) {
  constexpr Handler handler = &store_low<S, T, V>;
  return Row{pattern, operands, handler, handler, kind_of(S), static_cast<u8>(sizeof(T) * V)};
}

#define LOW(S, T, text, types, letter)                                         \
  low_row<S, T, 1>("st $order " text " $cache " types, "A" letter),            \
      low_row<S, T, 2>("st $order " text " $cache v2 " types, "A" letter "2"), \
      low_row<S, T, 4>("st $order " text " $cache v4 " types, "A" letter "4")
#define STORES(S, text)                                                                 \
  store_row<S, u32, 1>("st $order " text " $cache b32|u32|s32|f32", "Ax"),              \
      store_row<S, u32, 4>("st $order " text " $cache v4 b32|u32|s32|f32", "Ax4"),      \
      store_row<S, u32, 2>("st $order " text " $cache v2 b32|u32|s32|f32", "Ax2"),      \
      store_row<S, u64, 1>("st $order " text " $cache b64|u64|s64|f64", "Ay"),          \
      store_row<S, u64, 2>("st $order " text " $cache v2 b64|u64|s64|f64", "Ay2"),      \
      store_row<S, u16, 1>("st $order " text " $cache b16|u16|s16|f16", "Az"),          \
      store_row<S, u16, 2>("st $order " text " $cache v2 b16|u16|s16|f16", "Az2"),      \
      store_row<S, u16, 4>("st $order " text " $cache v4 b16|u16|s16|f16", "Az4"),      \
      store_row<S, u8, 1>("st $order " text " $cache b8|u8|s8", "Az"),                  \
      store_row<S, u8, 2>("st $order " text " $cache v2 b8|u8|s8", "Az2"),              \
      store_row<S, u8, 4>("st $order " text " $cache v4 b8|u8|s8", "Az4"),              \
      store_row<S, u64, 2>("st $order " text " $cache b128", "Aw"),                     \
      LOW(S, u32, text, "b32|u32|s32|f32", "v"), LOW(S, u16, text, "b16|u16|s16", "u"), \
      LOW(S, u8, text, "b8|u8|s8", "u")

#define WIDEST(S, text)                                                        \
  store_row<S, u32, 8>("st $order " text " $cache v8 b32|u32|s32|f32", "Ax8"), \
      store_row<S, u64, 4>("st $order " text " $cache v4 b64|u64|s64|f64", "Ay4")

const Row kRows[] = {
    STORES(Space::global, "global"),
    STORES(Space::shared, "shared|shared::cta|shared::cluster"),
    STORES(Space::local, "local"),
    STORES(Space::local, "param|param::func"),  // of a call: parameters lie in the caller's frame
    STORES(Space::generic, ""),
    WIDEST(Space::global, "global"),
    WIDEST(Space::generic, ""),
};

}  // namespace

RowSpan store_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
