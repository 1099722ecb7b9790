// Matrix instructions: which thread holds which element of A, B, C and D.
// Source: PTX ISA 9.0, "Warp-level matrix instructions" and "Asynchronous warpgroup-level matrix
// instructions"; the ISA leaves wmma's fragments open: theirs were read from an NVIDIA H200 (driver
// 580.159.04, 2026-11-20) by loading matrices of index codes.
#pragma once
#include "core/layout/element_type.h"
#include "core/layout/fragment.h"
#include "core/layout/problem.h"

namespace tilescope {

/// `threads`: no instruction, but the thread tiles of a SIMT kernel (thread_tile.h).
enum class MmaKind : int { mma_sync, wgmma, wmma, threads };
/// An instruction of a warp or warpgroup, whose lanes share its tile; else each thread has its own.
constexpr bool is_instruction(MmaKind kind) {
  switch (kind) {
    case MmaKind::mma_sync:
    case MmaKind::wgmma:
    case MmaKind::wmma:
      return true;
    case MmaKind::threads:
      return false;
  }
  return false;
}
enum class BitOp : int { none, xor_popc, and_popc };

/// What an instruction's name says.
struct MmaSpec {
  MmaKind kind = MmaKind::mma_sync;
  int m = 0, n = 0, k = 0;
  ElementType type_d = ElementType::f32, type_a = ElementType::f16, type_b = ElementType::f16,
              type_c = ElementType::f32;
  Order order_a = Order::row_major, order_b = Order::column_major;
  bool saturate = false;
  BitOp op = BitOp::none;
  bool operator==(const MmaSpec&) const = default;
};

/// A matrix instruction D = A·B + C on tiles [m, k], [k, n], [m, n]. `threads` of the fragments are
/// lanes of a warp, or the 128 threads of a warpgroup; m8n8k4 in half precision is computed by each
/// of four groups of eight lanes for itself: thread t of group g is lane lanes(t) + group(g).
struct MmaAtom : MmaSpec {
  FragmentLayout a, b, c, d;
  Layout lanes = make_layout({32, 1});
  Layout group = make_layout({1, 0});
  // wgmma: b, and a if it is said so, is no fragment; a descriptor names it in shared memory.
  bool a_in_shared = false, b_in_shared = false;
  constexpr bool operator==(const MmaAtom&) const = default;

  constexpr int threads() const { return c.threads() * group.size(); }
  constexpr bool in_shared(Operand o) const {
    return o == Operand::a ? a_in_shared : o == Operand::b && b_in_shared;
  }
};

/// Thread `thread` of a group as a lane of the warp (or thread of the warpgroup), and back.
constexpr int atom_lane(const MmaAtom& atom, int thread, int group) {
  return atom.lanes(thread) + atom.group(group);
}
struct AtomThread {
  int thread = 0, group = 0;
};
constexpr AtomThread atom_thread(const MmaAtom& atom, int lane) {
  return {index_of(atom.lanes, lane), index_of(atom.group, lane)};
}

/// Values that a lane holds side by side in one 32-bit register; one where an element fills it.
constexpr int values_in_register(int bits) { return bits >= 32 ? 1 : 32 / bits; }

/// A [m, k] or B [k, n]: lines of m or n, four lanes along k with a register each.
constexpr FragmentLayout mma_operand(Operand o, int lines, int k, int bits, int warps = 1) {
  const int per_lane = values_in_register(bits);
  const bool is_a = o == Operand::a;
  return core_matrices(is_a ? lines : k, is_a ? k : lines, bits, is_a, per_lane,
                       {lines / warps / 8, Along::line, 8},
                       {k / (4 * per_lane), Along::run, 4 * per_lane}, {}, warps, 16);
}
/// C or D [m, n]: lines of m, four lanes along n with two neighbours each.
constexpr FragmentLayout mma_accumulators(int m, int n, int bits, int warps = 1) {
  return core_matrices(m, n, bits, true, 2, {m / warps / 8, Along::line, 8}, {n / 8, Along::run, 8},
                       {}, warps, 16);
}

/// What lanes hold of two such accumulators of m16n8, side by side along n, once those next to each
/// other have exchanged halves: four neighbours of a row, so that a store is twice as wide. Even
/// lanes have the left one, odd lanes the right one.
constexpr FragmentLayout exchanged_accumulators(int bits) {
  FragmentLayout f;
  f.rows = 16, f.cols = 16, f.bits = bits, f.values_per_register = values_in_register(bits);
  f.thread = make_layout({2, 8 * f.rows}, {2, 4 * f.rows}, {8, 1});
  f.value = make_layout({4, f.rows}, {2, 8});
  return f;
}

/// What lanes hold of two such accumulators when C's lines are aligned to one or two elements only:
/// after exchanges sixteen lanes (`width` 1) or eight (2) have neighbours of one row, so that a
/// store's lanes cover 64 bytes of few rows, wherever those begin.
constexpr FragmentLayout spread_accumulators(int bits, int width) {
  FragmentLayout f;
  f.rows = 16, f.cols = 16, f.bits = bits, f.values_per_register = values_in_register(bits);
  if (width == 1) {
    f.thread = make_layout({4, 2 * f.rows}, {2, f.rows}, {2, 8 * f.rows}, {2, 4});
    f.value = make_layout({4, 1}, {2, 8});
  } else {
    f.thread = make_layout({4, 2 * f.rows}, {2, 8 * f.rows}, {4, 2});
    f.value = make_layout({2, f.rows}, {2, 1}, {2, 8});
  }
  return f;
}
/// The one of these with which stores of so many neighbours along a row are the widest.
constexpr FragmentLayout row_accumulators(int bits, int width) {
  return width == 4 ? exchanged_accumulators(bits) : spread_accumulators(bits, width);
}

/// m8n8k4 in half precision: eight lanes, 0–3 and 16–19 of the first group. A line is what one lane
/// holds: a row of a row-major A, a column of a column-major one.
constexpr FragmentLayout quad_operand(Operand o, Order order) {
  FragmentLayout f;
  const bool is_a = o == Operand::a;
  f.rows = is_a ? 8 : 4, f.cols = is_a ? 4 : 8;
  f.bits = 16, f.values_per_register = 2;
  const int outer = is_a ? 1 : 4, k = is_a ? 8 : 1;  // strides along m or n, and along k
  const bool lane_is_outer = (order == Order::row_major) == is_a;
  f.thread = make_layout({4, lane_is_outer ? outer : k}, {2, 4 * outer});
  f.value = make_layout({4, lane_is_outer ? k : outer});
  return f;
}
constexpr FragmentLayout quad_accumulators(ElementType type) {
  FragmentLayout f;
  f.rows = 8, f.cols = 8, f.bits = element_bits(type);
  f.values_per_register = values_in_register(f.bits);
  if (f.bits == 16) {
    f.thread = make_layout({4, 1}, {2, 4});
    f.value = make_layout({8, 8});
  } else {
    f.thread = make_layout({2, 1}, {2, 2 * 8}, {2, 4});
    f.value = make_layout({2, 8}, {2, 2}, {2, 4 * 8});
  }
  return f;
}

/// wmma's fragments hold what the mma.sync of the same machine wants, several of them; operands
/// narrower than the registers that PTX names are held in copies.
constexpr FragmentLayout wmma_operand(Operand o, int m, int n, int k) {
  const bool is_a = o == Operand::a;
  const int lines = is_a ? m : n, rows = is_a ? m : k, cols = is_a ? k : n;
  const Steps halves{2, Along::run, 8};
  if (lines == 8) return core_matrices(rows, cols, 16, is_a, 2, halves, {4, Along::copy, 0});
  const Steps eights{2, Along::line, 8};
  const Steps last = lines == 32 ? Steps{2, Along::line, 16} : Steps{2, Along::copy, 0};
  // The wide operand is the first of the hardware's instruction, and steps through lines first; B
  // of m16n16k16 is two second operands, and steps along k first; B of m8n32k16 is the first one of
  // the transposed product.
  const bool lines_first = is_a || lines == 32;
  return lines_first ? core_matrices(rows, cols, 16, is_a, 2, eights, halves, last)
                     : core_matrices(rows, cols, 16, is_a, 2, halves, eights, last);
}
constexpr FragmentLayout wmma_accumulators(int m, int n, int bits) {
  if (m == 8) return core_matrices(m, n, bits, false, 2, {n / 8, Along::line, 8});
  return core_matrices(m, n, bits, true, 2, {m / 8, Along::line, 8}, {n / 8, Along::run, 8});
}

constexpr MmaAtom make_mma(const MmaSpec& spec) {
  MmaAtom atom{spec, {}, {}, {}, {}};
  const int m = spec.m, n = spec.n, k = spec.k;
  const int bits_c = element_bits(spec.type_c), bits_d = element_bits(spec.type_d);
  const auto core_fragments = [&](int warps) {
    atom.a = mma_operand(Operand::a, m, k, element_bits(spec.type_a), warps);
    atom.b = mma_operand(Operand::b, n, k, element_bits(spec.type_b));
    atom.c = mma_accumulators(m, n, bits_c, warps), atom.d = mma_accumulators(m, n, bits_d, warps);
    atom.lanes = make_layout({32 * warps, 1});
  };
  switch (spec.kind) {
    case MmaKind::wmma:
      atom.a = wmma_operand(Operand::a, m, n, k), atom.b = wmma_operand(Operand::b, m, n, k);
      atom.c = wmma_accumulators(m, n, bits_c), atom.d = wmma_accumulators(m, n, bits_d);
      break;
    case MmaKind::wgmma:
      core_fragments(4);
      atom.b_in_shared = true;
      break;
    case MmaKind::mma_sync:
      if (m == 8 && n == 8 && k == 4 && spec.type_a == ElementType::f16) {
        atom.a = quad_operand(Operand::a, spec.order_a);
        atom.b = quad_operand(Operand::b, spec.order_b);
        atom.c = quad_accumulators(spec.type_c), atom.d = quad_accumulators(spec.type_d);
        atom.lanes = make_layout({4, 1}, {2, 16});
        atom.group = make_layout({4, 4});
      } else {
        core_fragments(1);
      }
      break;
    case MmaKind::threads:  // thread_tile_atom()
      break;
  }
  return atom;
}

/// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
constexpr MmaAtom mma_m16n8k16_f16_f32() { return make_mma({MmaKind::mma_sync, 16, 8, 16}); }

}  // namespace tilescope
