// ld: a row a space, width and vector length; cache hints are read over.
#include "emulator/isa/lanes.h"
#include "emulator/isa/shape.h"
#include "emulator/isa/tables.h"
#include "emulator/isa/wider.h"

namespace tilescope::emulator::TILESCOPE_ISA {
namespace {

#if defined(__AVX2__)
// 16 bytes of each of eight lanes, word by word.
inline void transpose8x4(const Recalled& from, int lane, __m256* word) {
  const auto two = [&](int i) {
    return _mm256_insertf128_ps(
        _mm256_castps128_ps256(_mm_loadu_ps(reinterpret_cast<const float*>(from.at(lane + i)))),
        _mm_loadu_ps(reinterpret_cast<const float*>(from.at(lane + i + 4))), 1);
  };
  const __m256 v0 = two(0), v1 = two(1), v2 = two(2), v3 = two(3);
  const __m256 s0 = _mm256_unpacklo_ps(v0, v1), s1 = _mm256_unpackhi_ps(v0, v1);
  const __m256 s2 = _mm256_unpacklo_ps(v2, v3), s3 = _mm256_unpackhi_ps(v2, v3);
  word[0] = _mm256_shuffle_ps(s0, s2, 0x44);
  word[1] = _mm256_shuffle_ps(s0, s2, 0xee);
  word[2] = _mm256_shuffle_ps(s1, s3, 0x44);
  word[3] = _mm256_shuffle_ps(s1, s3, 0xee);
}
// 16 bytes per lane into four registers. Where lanes share addresses, as those do that compute a
// row or a column of a tile, each is read once.
inline void four_words(Context& c, const u32* r, const Recalled& from) {
  float* to[4];
  for (int k = 0; k < 4; ++k) to[k] = reinterpret_cast<float*>(c.registers + r[k]);
  if (from.shape->equal >= 8) {
    for (int i = 0; i < 32; i += 8) {
      const float* word = reinterpret_cast<const float*>(from.at(i));
      for (int k = 0; k < 4; ++k) _mm256_store_ps(to[k] + i, _mm256_broadcast_ss(word + k));
    }
    return;
  }
  const int period = from.shape->period < 8 ? 8 : from.shape->period;
  for (int i = 0; i < period; i += 8) {
    __m256 word[4];
    transpose8x4(from, i, word);
    for (int j = i; j < 32; j += period) {
      for (int k = 0; k < 4; ++k) _mm256_store_ps(to[k] + j, word[k]);
    }
  }
}
inline void one_word(Context& c, u32 r, const Recalled& from) {
  int* to = reinterpret_cast<int*>(c.registers + r);
  const int* first = reinterpret_cast<const int*>(from.first);
  for (int i = 0; i < 32; i += 8) {
    const __m256i at =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(from.shape->difference + i));
    _mm256_store_si256(reinterpret_cast<__m256i*>(to + i), _mm256_i32gather_epi32(first, at, 1));
  }
}
#endif

/// Into registers of a whole warp.
template <class T, class C, int V>
inline void bring(Context& c, const u32* r, const Recalled& from) {
  if constexpr (V == 1 && sizeof(T) == sizeof(C) && sizeof(T) >= 4) {
    if (from.shape->linear) {
      __builtin_memcpy(c.registers + r[0], from.first, 32 * sizeof(T));
      return;
    }
    if (from.shape->equal == 32) {
      T v;
      __builtin_memcpy(&v, from.first, sizeof(T));
      T* d = reinterpret_cast<T*>(c.registers + r[0]);
      for (int i = 0; i < 32; ++i) d[i] = v;
      return;
    }
  }
#if defined(__AVX2__)
  if constexpr (V == 4 && sizeof(T) == 4 && sizeof(C) == 4) return four_words(c, r, from);
  if constexpr (V == 1 && sizeof(T) == 4 && sizeof(C) == 4) return one_word(c, r[0], from);
#endif
  for (int i = 0; i < 32; ++i) {
    for (int k = 0; k < V; ++k) {
      T v;
      __builtin_memcpy(&v, from.at(i) + static_cast<size_t>(k) * sizeof(T), sizeof(T));
      put<C>(c.registers + r[k], i, static_cast<C>(v));
    }
  }
}

/// T: in memory; C: the register's type, which T is converted to (sign- or zero-extended).
template <Space S, class T, class C, int V, bool Full>
void load(Context& c, const Inst& in) {
  constexpr int bytes = static_cast<int>(sizeof(T)) * V;
  const u32* r = V > 3 ? c.lists + in.list : in.r;  // registers, then the address
  if constexpr (Full && has_shapes(S)) {
    if (const Recalled from = enter<S>(c, in, r[V], in.imm, bytes, false)) {
      bring<T, C, V>(c, r, from);
      return;
    }
  }
  Access a;
  resolve<S, Full>(c, in, r[V], in.imm, a, bytes, false);
  if constexpr (Full && has_shapes(S)) learn<S>(c, c.sites[in.site], a);
  for (int i = 0; i < 32; ++i) {
    if (!Full && !c.lane_mask[i]) continue;
    for (int k = 0; k < V; ++k) {
      T v;
      __builtin_memcpy(&v, a.at(i) + static_cast<size_t>(k) * sizeof(T), sizeof(T));
      put<C>(c.registers + r[k], i, static_cast<C>(v));
    }
  }
}

/// The same into registers that may be wider than T.
template <Space S, class T, int V>
void load_extended(Context& c, const Inst& in) {
  const u32* r = V > 3 ? c.lists + in.list : in.r;
  Access a;
  resolve<S, false>(c, in, r[V], in.imm, a, static_cast<int>(sizeof(T)) * V, false);
  for (int i = 0; i < 32; ++i) {
    if (!c.lane_mask[i]) continue;
    for (int k = 0; k < V; ++k) {
      T v;
      __builtin_memcpy(&v, a.at(i) + static_cast<size_t>(k) * sizeof(T), sizeof(T));
      put_extended(c.registers, r[k], i, v);
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

template <Space S, class T, int V>
constexpr Row extended_row(const char* pattern, const char* operands) {
  constexpr Handler handler = &load_extended<S, T, V>;
  return Row{pattern, operands, handler, handler, kind_of(S), static_cast<u8>(sizeof(T) * V)};
}

#define EXTENDED(S, T, text, types, letter)                                  \
  extended_row<S, T, 2>("ld $order " text " $cache v2 " types, letter "2A"), \
      extended_row<S, T, 4>("ld $order " text " $cache v4 " types, letter "4A")
#define LOADS(S, text)                                                                 \
  load_row<S, u32, u32, 1>("ld $order " text " $cache b32|u32|s32|f32", "XA"),         \
      load_row<S, u32, u32, 4>("ld $order " text " $cache v4 b32|u32|s32|f32", "X4A"), \
      load_row<S, u32, u32, 2>("ld $order " text " $cache v2 b32|u32|s32|f32", "X2A"), \
      load_row<S, u64, u64, 1>("ld $order " text " $cache b64|u64|s64|f64", "YA"),     \
      load_row<S, u64, u64, 2>("ld $order " text " $cache v2 b64|u64|s64|f64", "Y2A"), \
      load_row<S, u16, u32, 1>("ld $order " text " $cache b16|u16|f16", "ZA"),         \
      load_row<S, u16, u32, 2>("ld $order " text " $cache v2 b16|u16|f16", "Z2A"),     \
      load_row<S, u16, u32, 4>("ld $order " text " $cache v4 b16|u16|f16", "Z4A"),     \
      load_row<S, s16, u16, 1>("ld $order " text " $cache s16", "HA"),                 \
      load_row<S, s16, s32, 1>("ld $order " text " $cache s16", "RA"),                 \
      load_row<S, u8, u32, 1>("ld $order " text " $cache b8|u8", "ZA"),                \
      load_row<S, u8, u32, 2>("ld $order " text " $cache v2 b8|u8", "Z2A"),            \
      load_row<S, u8, u32, 4>("ld $order " text " $cache v4 b8|u8", "Z4A"),            \
      load_row<S, s8, u16, 1>("ld $order " text " $cache s8", "HA"),                   \
      load_row<S, s8, s32, 1>("ld $order " text " $cache s8", "RA"),                   \
      load_row<S, u32, u64, 1>("ld $order " text " $cache b32|u32|f32", "LA"),         \
      load_row<S, s32, s64, 1>("ld $order " text " $cache s32", "LA"),                 \
      load_row<S, u16, u64, 1>("ld $order " text " $cache b16|u16", "LA"),             \
      load_row<S, s16, s64, 1>("ld $order " text " $cache s16", "LA"),                 \
      load_row<S, u8, u64, 1>("ld $order " text " $cache b8|u8", "LA"),                \
      load_row<S, s8, s64, 1>("ld $order " text " $cache s8", "LA"),                   \
      load_row<S, u64, u64, 2>("ld $order " text " $cache b128", "WA"),                \
      EXTENDED(S, u32, text, "b32|u32|f32", "V"), EXTENDED(S, s32, text, "s32", "V"),  \
      EXTENDED(S, u16, text, "b16|u16", "U"), EXTENDED(S, s16, text, "s16", "U"),      \
      EXTENDED(S, u8, text, "b8|u8", "U"), EXTENDED(S, s8, text, "s8", "U")

// 32 bytes a lane, of global memory alone.
#define WIDEST(S, text)                                                            \
  load_row<S, u32, u32, 8>("ld $order " text " $cache v8 b32|u32|s32|f32", "X8A"), \
      load_row<S, u64, u64, 4>("ld $order " text " $cache v4 b64|u64|s64|f64", "Y4A")

const Row kRows[] = {
    LOADS(Space::global, "global"), LOADS(Space::shared, "shared|shared::cta|shared::cluster"),
    LOADS(Space::local, "local"),   LOADS(Space::constant, "const|param|param::entry|param::func"),
    LOADS(Space::generic, ""),      WIDEST(Space::global, "global"),
    WIDEST(Space::generic, ""),
};

}  // namespace

RowSpan load_rows() { return span_of(kRows); }

}  // namespace tilescope::emulator::TILESCOPE_ISA
