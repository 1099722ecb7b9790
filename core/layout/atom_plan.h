// The plan of a kernel that does not exist: one warp (or warpgroup) whose tile is made of atoms of
// one instruction, with both operands in shared memory. With it the code that draws a kernel's
// fragments draws any instruction's.
#pragma once
#include "core/layout/kernel_plan.h"

namespace tilescope {

/// True if ldmatrix can load this operand, whose rows of 16 bytes must lie in 32-bit registers of
/// four lanes. So not f64, not the eight-lane groups of m8n8k4, and not what is no fragment.
constexpr bool ldmatrix_loads(const MmaAtom& atom, Operand o) {
  if (o == Operand::c || atom.group.size() > 1) return false;
  const FragmentLayout& f = o == Operand::a ? atom.a : atom.b;
  switch (atom.kind) {
    case MmaKind::mma_sync:
    case MmaKind::wgmma:
      return f.bits <= 32 && !atom.in_shared(o);
    case MmaKind::wmma:
    case MmaKind::threads:
      return false;
  }
  return false;
}
/// The widest ldmatrix that loads whole fragments of an operand: for A those of one atom, for B
/// those of one or several atoms that are neighbours along n.
constexpr LdmatrixMap ldmatrix_of(const MmaAtom& atom, Operand o) {
  const FragmentLayout& f = o == Operand::a ? atom.a : atom.b;
  const int along = f.registers();
  if (o == Operand::b) {
    return along >= 4 ? ldmatrix_map(1, 4, false, false)
                      : ldmatrix_map(4 / along, along, false, false);
  }
  const int down = f.rows / ceil_div(f.threads(), 32) / kMatrixRows;
  return ldmatrix_map(down, along / down, true, false);
}

/// By ldmatrix where that is possible, else one register per load.
constexpr FragmentLoad load_of(const MmaAtom& atom, Operand o) {
  switch (atom.kind) {
    case MmaKind::wmma:
      return {.kind = LoadKind::wmma};
    case MmaKind::wgmma:
    case MmaKind::mma_sync:
    case MmaKind::threads:
      break;
  }
  if (atom.in_shared(o)) return {.kind = LoadKind::none};
  if (!ldmatrix_loads(atom, o)) {
    return {.kind = LoadKind::lds, .width = fragment_of(atom, o).values_per_register};
  }
  return {.kind = LoadKind::ldmatrix, .map = ldmatrix_of(atom, o)};
}

/// A plan of `mmas_m` × `mmas_n` atoms. A slice has as many k steps as fill a row of `row_bytes`
/// bytes of shared memory, followed by `padding` bytes. Of types under 8 bits several elements
/// share a byte there.
constexpr KernelPlan atom_plan(const MmaAtom& atom, int mmas_m, int mmas_n, int row_bytes,
                               Swizzle swizzle, int padding = 0) {
  KernelPlan plan;
  plan.atom = atom;
  plan.threads = ceil_div(atom.threads(), 32) * 32;
  plan.warp_m = plan.block_m = mmas_m * atom.m;
  plan.warp_n = plan.block_n = mmas_n * atom.n;
  const int bits = element_bits(atom.type_a);
  const int row = row_bytes * 8 >= atom.k * bits ? row_bytes : atom.k * bits / 8;
  plan.block_k = row * 8 / bits;
  const auto tile = [&](int outer) {
    SharedTile t;
    t.present = true;
    t.outer = outer, t.depth = bits < 8 ? row : plan.block_k;
    t.bytes_per_element = bits < 8 ? 1 : bits / 8;
    t.panel = t.depth, t.pitch = row + padding;
    t.swizzle = swizzle;
    return t;
  };
  set_ring(plan, tile(plan.block_m), tile(plan.block_n), 1);
  plan.load_a = load_of(atom, Operand::a), plan.load_b = load_of(atom, Operand::b);
  return plan;
}
/// The problem that such a plan covers exactly.
constexpr Problem atom_problem(const KernelPlan& plan) {
  Problem p;
  p.m = plan.block_m, p.n = plan.block_n, p.k = plan.block_k;
  p.type_a = plan.atom.type_a, p.type_b = plan.atom.type_b, p.type_c = plan.atom.type_c;
  p.order_b = Order::column_major;
  return p;
}

}  // namespace tilescope
