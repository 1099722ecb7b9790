// A pass before a kernel: an operand whose lines no 16-byte access fits is copied to lines that one
// fits, with zeros around it up to whole block tiles. The kernel copies it as if it had been
// aligned and made of whole tiles.
#pragma once
#include "core/layout/kernel_plan.h"
#include "core/layout/warp_access.h"

namespace tilescope {

inline constexpr int kPackBytes = 16;  // a piece: what a thread writes at once
inline constexpr int kPackThreads = 256;
inline constexpr int kPackLines = 8;   // of a CTA: one line per warp
inline constexpr int kPackRounds = 4;  // pieces of a thread, a warp's lanes apart
inline constexpr int kPackPieces = kWarpLanes * kPackRounds;  // of a line, in a CTA

/// One operand of elements of 2 bytes on its way.
struct Packing {
  int lines = 0, elements = 0;  // of a line
  long long leading = 0;        // elements from line to line where it comes from
  int room_lines = 0;           // where it goes to: whole block tiles
  long long pitch = 0;          // elements from line to line there, whole pieces

  static constexpr int kElementBytes = 2;
  static constexpr int kPiece = kPackBytes / kElementBytes;  // elements

  constexpr int pieces() const { return static_cast<int>(pitch / kPiece); }  // of a line
  constexpr long long bytes() const { return room_lines * pitch * kElementBytes; }
  constexpr int ctas_a_line() const { return ceil_div(pieces(), kPackPieces); }
  constexpr int ctas() const { return ceil_div(room_lines, kPackLines) * ctas_a_line(); }
};

/// The line and the first element of a thread's piece; perhaps beyond the matrix, or its room.
constexpr Coord packed_piece(const Packing& p, int cta, int thread, int round) {
  const int along = p.ctas_a_line();
  return {cta / along * kPackLines + thread / kWarpLanes,
          (cta % along * kPackPieces + round * kWarpLanes + thread % kWarpLanes) * Packing::kPiece};
}
/// The CTA that writes an element.
constexpr int packing_cta(const Packing& p, Coord at) {
  return at.row / kPackLines * p.ctas_a_line() + at.col / (kPackPieces * Packing::kPiece);
}
/// After so many CTAs' lines a line begins at the same place in a cache line again, whatever the
/// leading dimension.
inline constexpr int kPackPeriod = kLineBytes / (kPackLines * Packing::kElementBytes);
/// Byte offset of an element from the first, where it comes from.
constexpr long long packed_from(const Packing& p, Coord at) {
  return (at.row * p.leading + at.col) * Packing::kElementBytes;
}
/// The same where it goes to.
constexpr long long packed_to(const Packing& p, Coord at) {
  return (at.row * p.pitch + at.col) * Packing::kElementBytes;
}
/// A piece that begins at an address lies in two aligned words of 16 bytes. They are read if no
/// byte of them is another line's; else it is read element by element. `line`: the line's address.
constexpr bool reads_words(const Packing& p, unsigned long long line, unsigned long long piece) {
  const unsigned long long first = piece / kPackBytes * kPackBytes;
  return first >= line &&
         first + 2 * kPackBytes <=
             line + static_cast<unsigned long long>(p.elements) * Packing::kElementBytes;
}

constexpr bool packs(const Specialization& s, Operand o) {
  return o == Operand::a ? s.pack_a : o == Operand::b ? s.pack_b : false;
}
constexpr bool packs_any(const Specialization& s) { return s.pack_a || s.pack_b; }
/// Rows and columns that lie in memory as the kernel reads it, with the zeros around a packed
/// operand: it need not look where a matrix ends.
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
  constexpr int kAligned = kLineBytes / Packing::kElementBytes;  // where a cache line begins
  const Coord room = extents_read(plan, p, o);
  const bool by_rows = operand_order(p, o) == Order::row_major;
  return {.lines = line_count(p, o),
          .elements = line_elements(p, o),
          .leading = leading_dimension(p, o),
          .room_lines = by_rows ? room.row : room.col,
          .pitch = ceil_div(by_rows ? room.col : room.row, kAligned) * kAligned};
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

/// For a kernel that copies 16 bytes at a time where it can: packs an operand that more than one
/// block tile reads and whose lines allow narrower copies only (of two bytes cp.async has none), or
/// that many read in sectors of which two accesses have a part each.
constexpr void pack_operands(Specialization& s, const Problem& p, int block_m, int block_n) {
  const auto worth = [&](Operand o, int width, int reads) {
    constexpr int kSector = kSectorBytes / Packing::kElementBytes;
    const bool splits_sectors =
        leading_dimension(p, o) % kSector != 0 || operand_offset(p, o) % kSector != 0;
    return width < Packing::kPiece ? reads >= 2 : splits_sectors && reads >= 16;
  };
  s.pack_a = worth(Operand::a, s.width_a, ceil_div(p.n, block_n));
  s.pack_b = worth(Operand::b, s.width_b, ceil_div(p.m, block_m));
  if (s.pack_a) s.width_a = Packing::kPiece;
  if (s.pack_b) s.width_b = Packing::kPiece;
}

}  // namespace tilescope
