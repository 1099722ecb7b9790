// The pass that copies operands to lines that 16-byte accesses fit (core/layout/packing.h).
#pragma once
#include "kernels/common/pack_args.h"
#include "kernels/common/pointer.cuh"
#include "kernels/common/vector.cuh"

namespace tilescope {

/// Takes 16 bytes out of two neighbouring words of 16 bytes, from byte `from` on, which is a
/// multiple of an element's bytes and the same for all lanes of a line.
template <int ElementBytes>
__device__ __forceinline__ void shift_words(unsigned (&out)[4], const unsigned (&words)[2][4],
                                            unsigned from) {
  unsigned w[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) w[i] = words[i / 4][i % 4];
#pragma unroll
  for (int i = 0; i < 6; ++i) w[i] = (from & 8) != 0 ? w[i + 2] : w[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) w[i] = (from & 4) != 0 ? w[i + 1] : w[i];
    // Of bytes a fifth word is needed behind the four, to which no element of two bytes reaches.
#pragma unroll
  for (int i = 0; i < (ElementBytes == 1 ? 5 : 4); ++i) {
    w[i] = (from & 2) != 0 ? w[i] >> 16 | w[i + 1] << 16 : w[i];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    out[i] = ElementBytes == 1 && (from & 1) != 0 ? w[i] >> 8 | w[i + 1] << 24 : w[i];
  }
}

template <int Bytes>
__device__ __forceinline__ unsigned load_element(unsigned long long from) {
  if constexpr (Bytes == 1) return *global_pointer<const unsigned char>(from);
  if constexpr (Bytes == 4) return *global_pointer<const unsigned>(from);
  return *global_pointer<const unsigned short>(from);
}

/// Elements of one, two or four bytes.
template <int ElementBytes>
__device__ __forceinline__ void pack_lines(const PackArgs& args) {
  const PackedOperand o = blockIdx.y == 0 ? args.a : args.b;
  const Packing p{o.lines, o.elements, o.leading, o.room_lines, o.pitch, ElementBytes};
  const int cta = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  if (cta >= p.ctas()) return;
  const Coord first = packed_piece(p, cta, thread, 0);
  if (first.row >= p.room_lines) return;
  const bool zeros = first.row >= p.lines;  // all of the line
  const unsigned long long line = o.from + packed_from(p, {first.row, 0});

  unsigned words[kPackRounds][2][4];  // all loads are on their way before the first is waited for
#pragma unroll
  for (int round = 0; round < kPackRounds; ++round) {
    const Coord at = packed_piece(p, cta, thread, round);
    const unsigned long long piece = o.from + packed_from(p, at);
    if (zeros || !reads_words(p, line, piece)) continue;
    const unsigned long long aligned = piece / kPackBytes * kPackBytes;
    load_global(words[round][0], aligned);
    load_global(words[round][1], aligned + kPackBytes);
  }
#pragma unroll
  for (int round = 0; round < kPackRounds; ++round) {
    const Coord at = packed_piece(p, cta, thread, round);
    if (at.col >= p.pitch) break;
    const unsigned long long piece = o.from + packed_from(p, at);
    unsigned out[4] = {};
    if (!zeros && reads_words(p, line, piece)) {
      shift_words<ElementBytes>(out, words[round], static_cast<unsigned>(piece % kPackBytes));
    } else if (!zeros) {  // where lines begin and end
#pragma unroll
      for (int i = 0; i < kPackBytes / ElementBytes; ++i) {
        if (at.col + i >= p.elements) break;
        const unsigned element = load_element<ElementBytes>(piece + i * ElementBytes);
        constexpr int kOfWord = 4 / ElementBytes;
        out[i / kOfWord] |= element << i % kOfWord * 8 * ElementBytes;
      }
    }
    store_global(o.to + packed_to(p, at), out);
  }
}

}  // namespace tilescope
