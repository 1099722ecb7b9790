// The maps of a choice of instructions and the cost of warp accesses, for one thread, as numbers.
// The same text is compiled by g++ (the test) and by NVRTC; the test appends it to a source that
// includes core/layout/mma_list.h and core/layout/warp_access.h.
#pragma once
#include "core/layout/mma_list.h"
#include "core/layout/warp_access.h"

namespace tilescope {

constexpr int kFragmentNumbers = 2048;  // room for one thread
constexpr int kProbedAtoms = 20;

/// Of every kind, width of types, order and shape some.
constexpr MmaSpec probed_atom(int i) {
  using E = ElementType;
  using K = MmaKind;
  constexpr Order kRow = Order::row_major, kCol = Order::column_major;
  constexpr MmaSpec kAtoms[kProbedAtoms] = {
      {K::mma_sync, 16, 8, 16, E::f32, E::f16, E::f16, E::f32},
      {K::mma_sync, 16, 8, 8, E::f16, E::f16, E::f16, E::f16},
      {K::mma_sync, 16, 8, 8, E::f32, E::tf32, E::tf32, E::f32},
      {K::mma_sync, 16, 8, 4, E::f32, E::tf32, E::tf32, E::f32},
      {K::mma_sync, 16, 8, 32, E::f16, E::e4m3, E::e5m2, E::f16},
      {K::mma_sync, 8, 8, 16, E::s32, E::s8, E::u8, E::s32},
      {K::mma_sync, 16, 8, 64, E::s32, E::s4, E::u4, E::s32},
      {K::mma_sync, 16, 8, 256, E::s32, E::b1, E::b1, E::s32},
      {K::mma_sync, 8, 8, 4, E::f64, E::f64, E::f64, E::f64},
      {K::mma_sync, 16, 8, 16, E::f64, E::f64, E::f64, E::f64},
      {K::mma_sync, 8, 8, 4, E::f32, E::f16, E::f16, E::f16, kRow, kCol},
      {K::mma_sync, 8, 8, 4, E::f16, E::f16, E::f16, E::f16, kCol, kRow},
      {K::wgmma, 64, 64, 16, E::f32, E::f16, E::f16, E::f32},
      {K::wgmma, 64, 8, 8, E::f32, E::tf32, E::tf32, E::f32},
      {K::wgmma, 64, 24, 32, E::s32, E::u8, E::s8, E::s32},
      {K::wgmma, 64, 96, 256, E::s32, E::b1, E::b1, E::s32},
      {K::wmma, 16, 16, 16, E::f32, E::f16, E::f16, E::f32},
      {K::wmma, 32, 8, 16, E::f16, E::f16, E::f16, E::f32},
      {K::wmma, 8, 32, 16, E::f32, E::f16, E::f16, E::f16, kCol, kRow},
      {K::mma_sync, 16, 8, 32, E::s32, E::u4, E::u4, E::s32},
  };
  return kAtoms[i];
}

struct FragmentProbe {
  int* to;
  int count;
  constexpr void put(int value) {
    if (count < kFragmentNumbers) to[count] = value;
    ++count;
  }
  /// Where each value lies, and who holds what lies there.
  constexpr void put(const FragmentLayout& f, int thread) {
    put(f.threads()), put(f.values());
    for (int v = 0; v < f.values(); ++v) {
      const Coord at = fragment_coord(f, thread % f.threads(), v);
      const Holder holder = fragment_holder(f, at);
      put(at.row), put(at.col), put(holder.thread), put(holder.value);
    }
  }
};

/// Returns how many numbers there are.
template <int kAtom>
constexpr int probe_fragments(int thread, int* to) {
  constexpr MmaAtom atom = make_mma(probed_atom(kAtom));
  FragmentProbe probe{to, 0};
  probe.put(atom.a, thread);
  if (!atom.b_in_shared) probe.put(atom.b, thread);
  probe.put(atom.c, thread);
  probe.put(atom.d, thread);
  const int in_group = thread % atom.lanes.size();
  probe.put(atom.lanes(in_group) + atom.group(thread % atom.group.size()));
  return probe.count;
}

/// Registers and addresses of ldmatrix and its like.
constexpr int probe_moves(int thread, int* to) {
  FragmentProbe probe{to, 0};
  for (int matrices = 1; matrices <= 4; matrices *= 2) {
    for (int transposed = 0; transposed < 2; ++transposed) {
      const MatrixMove move = make_matrix_move(MatrixMoveKind::ldmatrix, matrices, transposed == 1);
      probe.put(move.registers, thread);
      probe.put(move.address(thread % move.address.size()));
    }
  }
  const MatrixMove turn = make_matrix_move(MatrixMoveKind::movmatrix, 1, true);
  probe.put(turn.registers, thread), probe.put(turn.result, thread);
  return probe.count;
}

/// What an access costs whose stride, width and swizzle depend on the thread: counted by the kernel
/// at run time; and one that the compiler counted.
constexpr int probe_banks(int thread, int* to) {
  FragmentProbe probe{to, 0};
  const Swizzle modes[4] = {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128};
  const Swizzle mode = modes[thread / 32 % 4];
  const int bytes = 4 << thread % 3, stride = thread % 32 * bytes;
  WarpAccess access = strided_access(bytes, stride, mode, thread * 16);
  access.active ^= 0x11u << thread % 24;
  const BankPhases strided = bank_phases(access);
  for (int p = 0; p < strided.phases; ++p) probe.put(strided.wavefronts[p]);
  probe.put(strided.total()), probe.put(strided.ideal());
  probe.put(sectors_of(access, thread)), probe.put(lines_of(access));
  const BankPhases rows = bank_phases(matrix_access(1 << thread % 3, 16 * (thread % 20), mode));
  probe.put(rows.total()), probe.put(rows.conflicts());
  constexpr BankPhases known = bank_phases(strided_access(16, 128));
  probe.put(known.total());
  return probe.count;
}

}  // namespace tilescope
