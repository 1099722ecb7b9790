// Packing: a pass before a kernel. An operand whose lines do not begin at multiples of 16 bytes can
// only be copied in small pieces. The pass copies it to memory of its own in which they do, and
// fills up with zeros to whole block tiles, so that the kernel reads an aligned matrix of whole
// tiles. (Shifting lines in shared memory instead would reach 0.6 to 0.77 of the aligned speed.)
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/layout/warp_access.h"

namespace tilescope {

inline constexpr int kPackBytes = 16;  // a piece: what a thread writes at once
inline constexpr int kPackThreads = 256;
inline constexpr int kPackLines = 8;   // of a CTA: one line per warp
inline constexpr int kPackRounds = 4;  // pieces per thread: its lane's, and every 32nd after it
inline constexpr int kPackPieces = kWarpLanes * kPackRounds;  // of a line, in a CTA

/// The copy of one operand, whose elements have 1, 2 or 4 bytes.
struct Packing {
  int lines = 0;          // of the matrix
  int elements = 0;       // per line
  long long leading = 0;  // elements from line to line in the matrix
  int room_lines = 0;     // lines of the copy: whole block tiles
  long long pitch = 0;    // elements from line to line in the copy: whole pieces
  int element_bytes = 2;

  constexpr int piece() const { return kPackBytes / element_bytes; }          // elements
  constexpr int pieces() const { return static_cast<int>(pitch / piece()); }  // of a line
  constexpr long long bytes() const { return room_lines * pitch * element_bytes; }
  constexpr int ctas_per_line() const { return ceil_div(pieces(), kPackPieces); }
  constexpr int ctas() const { return ceil_div(room_lines, kPackLines) * ctas_per_line(); }
};

/// The line and the first element of a thread's piece of a round. It may lie beyond the matrix
/// (then it is filled with zeros) or beyond the copy (then there is nothing to do).
constexpr Coord packed_piece(const Packing& p, int cta, int thread, int round) {
  const int along = p.ctas_per_line();
  return {cta / along * kPackLines + thread / kWarpLanes,
          (cta % along * kPackPieces + round * kWarpLanes + thread % kWarpLanes) * p.piece()};
}
/// The CTA that writes an element.
constexpr int packing_cta(const Packing& p, Coord at) {
  return at.row / kPackLines * p.ctas_per_line() + at.col / (kPackPieces * p.piece());
}
/// Whatever the leading dimension, lines begin at the same places within cache lines again after
/// the lines of this many CTAs.
constexpr int pack_period(const Packing& p) { return kLineBytes / (kPackLines * p.element_bytes); }
/// Byte offset of an element from the first one, in the matrix.
constexpr long long packed_from(const Packing& p, Coord at) {
  return (at.row * p.leading + at.col) * p.element_bytes;
}
/// The same in the copy.
constexpr long long packed_to(const Packing& p, Coord at) {
  return (at.row * p.pitch + at.col) * p.element_bytes;
}
/// A piece that begins at any address lies in two aligned words of 16 bytes. True if both may
/// be read whole, since no byte of them belongs to another line; else the piece is read element by
/// element. `line`, `piece`: their addresses.
constexpr bool reads_words(const Packing& p, unsigned long long line, unsigned long long piece) {
  const unsigned long long first = piece / kPackBytes * kPackBytes;
  return first >= line && first + 2 * kPackBytes <=
                              line + static_cast<unsigned long long>(p.elements) * p.element_bytes;
}

/// Elements of an access of a packed operand.
constexpr int packed_width(const Problem& p, Operand o) {
  return kPackBytes / element_bytes(operand_type(p, o));
}

constexpr bool packs(const Specialization& s, Operand o) {
  return o == Operand::a ? s.pack_a : o == Operand::b ? s.pack_b : false;
}
constexpr bool packs_any(const Specialization& s) { return s.pack_a || s.pack_b; }
/// Rows and columns of an operand as the kernel finds it in memory. Of a packed one they include
/// the zeros around it, so that the kernel need not look where the matrix ends.
constexpr Coord extents_read(const KernelPlan& plan, const Problem& p, Operand o) {
  const auto whole = [](int extent, int block) { return ceil_div(extent, block) * block; };
  Coord extents{operand_rows(p, o), operand_cols(p, o)};
  if (!packs(plan.spec, o)) return extents;
  const bool is_a = o == Operand::a;
  extents.row = whole(extents.row, is_a ? plan.block_m : plan.block_k);
  extents.col = whole(extents.col, is_a ? plan.block_k : plan.block_n);
  return extents;
}
constexpr Packing packing_of(const KernelPlan& plan, const Problem& p, Operand o) {
  const int bytes = element_bytes(operand_type(p, o));
  const int aligned = kLineBytes / bytes;  // where a cache line begins
  const Coord room = extents_read(plan, p, o);
  const bool by_rows = operand_order(p, o) == Order::row_major;
  return {.lines = line_count(p, o),
          .elements = line_elements(p, o),
          .leading = leading_dimension(p, o),
          .room_lines = by_rows ? room.row : room.col,
          .pitch = ceil_div(by_rows ? room.col : room.row, aligned) * aligned,
          .element_bytes = bytes};
}

/// The problem as the kernel itself reads it: packed operands have other lines.
constexpr Problem problem_read(const KernelPlan& plan, const Problem& given) {
  Problem p = given;
  if (plan.spec.pack_a) p.lda = packing_of(plan, given, Operand::a).pitch, p.offset_a = 0;
  if (plan.spec.pack_b) p.ldb = packing_of(plan, given, Operand::b).pitch, p.offset_b = 0;
  return p;
}

/// blockIdx.y is the operand; CTAs beyond it have nothing to do.
constexpr Launch pack_launch(const KernelPlan& plan, const Problem& p) {
  const int a = plan.spec.pack_a ? packing_of(plan, p, Operand::a).ctas() : 0;
  const int b = plan.spec.pack_b ? packing_of(plan, p, Operand::b).ctas() : 0;
  Launch launch;
  launch.grid_x = a > b ? a : b, launch.grid_y = 2;
  launch.threads = kPackThreads;
  return launch;
}

/// Decides which operands are packed, for a kernel that copies 16 bytes at a time where it can. An
/// operand is packed if its lines allow only narrower copies (cp.async has none of two bytes) and
/// more than one block tile reads it; or if its accesses split sectors and at least 16 block tiles
/// read it.
constexpr void pack_operands(Specialization& s, const Problem& p, int block_m, int block_n) {
  const auto worth = [&](Operand o, int width, int reads) {
    const int sector = kSectorBytes / element_bytes(operand_type(p, o));
    const bool splits_sectors =
        leading_dimension(p, o) % sector != 0 || operand_offset(p, o) % sector != 0;
    return width < packed_width(p, o) ? reads >= 2 : splits_sectors && reads >= 16;
  };
  s.pack_a = worth(Operand::a, s.width_a, ceil_div(p.n, block_n));
  s.pack_b = worth(Operand::b, s.width_b, ceil_div(p.m, block_m));
  if (s.pack_a) s.width_a = packed_width(p, Operand::a);
  if (s.pack_b) s.width_b = packed_width(p, Operand::b);
}

}  // namespace tilescope
