// A and B of a wgmma as f32, from registers or from where descriptors point to.
#pragma once
#include "emulator/isa/access.h"
#include "emulator/isa/half_tile.h"
#include "emulator/isa/matrix_descriptor.h"

namespace tilescope::emulator::TILESCOPE_ISA {

constexpr int kMostColumns = 256;

/// Chunks of 16 bytes of one operand, checked, counted by nobody yet, shown to the observer as
/// loads of a whole warp.
template <int Count>
struct Chunks {
  const std::byte* at[Count];

  template <class Address>
  void find(Context& c, const Inst& in, int count, bool once, Address address) {
    for (int first = 0; first < count; first += 32) {
      u64 lanes[32];
      u64 most = 0;
      const int n = count - first < 32 ? count - first : 32;
      for (int i = 0; i < 32; ++i) {
        lanes[i] = address(static_cast<u32>(first + (i < n ? i : 0)));
        most = most < lanes[i] ? lanes[i] : most;
      }
      if (__builtin_expect(c.observer != nullptr || most + 16 > c.shared_bytes, 0)) {
        watched(c, in, first, n, once, lanes);
        continue;
      }
      for (int i = 0; i < n; ++i) at[first + i] = c.shared + lanes[i];
    }
  }
  __attribute__((noinline)) void watched(Context& c, const Inst& in, int first, int n, bool once,
                                         u64* lanes) {
    const u32 whole = c.mask;
    set_mask(c, n == 32 ? ~0u : (1u << n) - 1);
    std::byte* host[32];
    check_shared(c, in, lanes, 16, false, host);
    if (c.observer) c.observer->product_read(c, in, lanes, once);
    for (int i = 0; i < n; ++i) at[first + i] = host[i];
    set_mask(c, whole);
  }
};

inline Descriptor descriptor(const Context& c, const Inst& in, u32 slot) {
  const int lane = __builtin_ctz(c.mask);
  const Descriptor d = Descriptor::of(get<u64>(c.registers + slot, lane));
  if (d.base_offset != 0 && d.span != 0) {  // without a swizzle it says nothing
    raise(in, Fault::Kind::unsupported, static_cast<u32>(lane), d.base_offset,
          "a matrix descriptor's base offset must be 0: let its pattern of 1024 bytes begin at a "
          "multiple of 1024");
  }
  return d;
}

/// Sixteen rows of A. `K` elements are 32 bytes.
template <class T, int K>
struct RowsA {
  alignas(32) float of[16][K];

  void fill(const std::byte* file, const u32* r) {
    if constexpr (T::bits == 8) {
      gather_bytes(file, r);
    } else {
      WideA<T, K> a;
      a.fill(file, r);
      __builtin_memcpy(of, a.of, sizeof of);
    }
  }
  void gather_bytes(const std::byte* file, const u32* r) {
    using A = MmaA<T, 16, K>;
    for (int q = 0; q < A::registers; ++q) {
      for (int lane = 0; lane < 32; ++lane) {
        const u32 word = get<u32>(file + r[q], lane);
        for (int p = 0; p < A::packed; ++p) {
          const int i = A::index.of[q][lane][p];
          of[i / K][i % K] = T::widen(word >> (8 * p) & 0xffu);
        }
      }
    }
  }
  /// Rows from `first` on; `across`: its rows lie one behind the other.
  void fill(Context& c, const Inst& in, const Descriptor& d, u32 first, bool across) {
    Chunks<32> chunks;
    if (!across) {
      chunks.find(c, in, 32, true, [&](u32 i) { return d.along_k(first + i / 2, i % 2); });
      for (int i = 0; i < 32; ++i) {
        float* line = of[i / 2] + i % 2 * (K / 2);
        if constexpr (T::bits == 16) {
          const V8 v = widen8<T>(reinterpret_cast<const u16*>(chunks.at[i]));
          __builtin_memcpy(line, &v, 32);
        } else {
          for (int j = 0; j < K / 2; ++j) line[j] = element(chunks.at[i], j);
        }
      }
      return;
    }
    if constexpr (T::bits == 16) {
      chunks.find(c, in, 32, true,
                  [&](u32 i) { return d.along_lines(first / 8 + i / 16, i % 16); });
      for (int i = 0; i < 32; ++i) {
        const V8 v = widen8<T>(reinterpret_cast<const u16*>(chunks.at[i]));
        for (int j = 0; j < 8; ++j) of[8 * (i / 16) + j][i % 16] = v[j];
      }
    }
  }
  static float element(const std::byte* chunk, int j) {
    if constexpr (T::bits == 32) {
      u32 word;
      __builtin_memcpy(&word, chunk + 4 * j, 4);
      return T::widen(word);
    } else {
      return T::widen(static_cast<u8>(chunk[j]));
    }
  }
  void negate() {
    for (auto& row : of) {
      for (float& x : row) x = -x;
    }
  }
};

/// B, eight columns at a time, in the order that sums have in registers (column_at).
template <class T, int K>
struct LinesB {
  Chunks<kMostColumns * 2> chunks;
  bool across = false;

  void find(Context& c, const Inst& in, const Descriptor& d, int n) {
    if (across) {  // by eight columns, then k
      chunks.find(c, in, 2 * n, c.warp % 4 == 0,
                  [&](u32 i) { return d.along_lines(i / 16, i % 16); });
    } else {
      chunks.find(c, in, 2 * n, c.warp % 4 == 0, [&](u32 i) { return d.along_k(i / 2, i % 2); });
    }
  }
  void fill(int block, V8* lines) const {
    const std::byte* const* at = chunks.at + 16 * block;
    if constexpr (T::bits == 16) {
      if (across) {
        for (int k = 0; k < K; ++k) {
          const V8 v = widen8<T>(reinterpret_cast<const u16*>(at[k]));
          lines[k] = __builtin_shufflevector(v, v, 0, 2, 4, 6, 1, 3, 5, 7);
        }
        return;
      }
      for (int half = 0; half < 2; ++half) {
        for (int j = 0; j < 8; ++j) {
          lines[8 * half + j] =
              widen8<T>(reinterpret_cast<const u16*>(at[2 * column_at(j) + half]));
        }
        transpose8(lines + 8 * half);
      }
    } else {
      for (int j = 0; j < 8; ++j) {
        for (int k = 0; k < K; ++k) {
          lines[k][j] = RowsA<T, K>::element(at[2 * column_at(j) + k / (K / 2)], k % (K / 2));
        }
      }
    }
  }
};

}  // namespace tilescope::emulator::TILESCOPE_ISA
