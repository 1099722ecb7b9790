// Fragments of wmma. The PTX ISA leaves them open; these are what an H200 does: each load of a
// matrix of numbered elements, and each store of numbered registers, was run on it and read back
// (2026-11-20; every shape, type and layout: tests/emulator/kernels/wmma_h200.txt). The machine
// code that ptxas of CUDA 13.0 makes for sm_75 and sm_80 of f16 in all shapes, and of s8 in
// m16n16k16, reads the same addresses into the same registers. A fragment is that of the mma.sync
// instructions that a product is made of, so it depends neither on the layout nor on the space;
// where n is 32, B^T · A^T is computed.
//   .f16 has 8 registers for A and B whatever the shape: those too many repeat the first ones, and
//   a product reads the first ones alone.
#pragma once
#include "emulator/isa/mma_fragment.h"

namespace tilescope::emulator::TILESCOPE_ISA {

constexpr Place moved(Place p, int rows, int cols) { return {p.row + rows, p.col + cols}; }

// 16-bit elements: m16 is A of mma.m16n8k16, m32 two of them, m8 is the transposed B.
template <int M>
constexpr Place half_a(int lane, int i) {
  return M == 8 ? a_of_m8<2>(lane, i % 4)
                : moved(a_of_m16<2>(lane, i % 8), M == 32 ? i / 8 * 16 : 0, 0);
}
template <int N>
constexpr Place half_b(int lane, int i) {
  if (N == 16) return moved(b_of_n8<2>(lane, i % 4), 0, i % 8 / 4 * 8);
  return transposed(half_a<N>(lane, i));
}
// 8-bit elements: eight rows per register.
constexpr Place byte_a(int lane, int i) { return {lane / 4 + i / 4 * 8, 4 * (lane % 4) + i % 4}; }
constexpr Place byte_b(int lane, int i) { return transposed(byte_a(lane, i)); }
constexpr Place tf32_b(int lane, int i) { return moved(b_of_n8<1>(lane, i % 2), 0, i / 2 * 8); }
// Accumulators: C of mma.m16n8, side by side or below each other; transposed where n is 32.
template <int N>
constexpr Place sums_of(int lane, int i) {
  return N == 16 ? a_of_m16<2>(lane, i) : N == 8 ? c_of_n8(lane, i) : transposed(c_of_n8(lane, i));
}

/// K is 16 for 16 and 8 bits.
template <int M>
using WmmaF16A = Fragment<F16, M, 16, 16, &half_a<M>>;
template <int N>
using WmmaF16B = Fragment<F16, 16, N, 16, &half_b<N>>;
template <int M>
using WmmaBf16A = Fragment<Bf16, M, 16, M / 2, &half_a<M>>;
template <int N>
using WmmaBf16B = Fragment<Bf16, 16, N, N / 2, &half_b<N>>;
template <class T, int M>
using WmmaByteA = Fragment<T, M, 16, M / 2, &byte_a>;
template <class T, int N>
using WmmaByteB = Fragment<T, 16, N, N / 2, &byte_b>;
using WmmaTf32A = Fragment<Tf32, 16, 8, 4, &a_of_m16<1>>;
using WmmaTf32B = Fragment<Tf32, 8, 16, 4, &tf32_b>;
template <class T, int M, int N>
using WmmaC = Fragment<T, M, N, M * N / 32, &sums_of<N>>;
// m8n8k4 of f64, m8n8k32 of s4 and u4, m8n8k128 of b1: as mma.sync has them.

}  // namespace tilescope::emulator::TILESCOPE_ISA
