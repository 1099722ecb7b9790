// A pass before a kernel: an operand whose lines no 16-byte access fits is copied to lines that one
// fits, zeros behind each. The kernel then copies as if the matrix had been aligned.
#pragma once
#include "core/layout/kernel_plan.h"

namespace tilescope {

inline constexpr int kPackBytes = 16;  // a piece: what a thread writes at once
inline constexpr int kPackThreads = 256;
inline constexpr int kPackLines = 8;                  // of a CTA: a line a warp
inline constexpr int kPackRounds = 4;                 // pieces of a thread, a warp's lanes apart
inline constexpr int kPackPieces = 32 * kPackRounds;  // of a line, in a CTA

/// One operand of elements of 2 bytes on its way.
struct Packing {
  int lines = 0, elements = 0;  // of a line
  long long leading = 0;        // elements from line to line where it comes from

  static constexpr int kElementBytes = 2;
  static constexpr int kPiece = kPackBytes / kElementBytes;  // elements

  constexpr int pieces() const { return ceil_div(elements, kPiece); }
  /// Elements from line to line where it goes to.
  constexpr long long pitch() const { return 1LL * pieces() * kPiece; }
  constexpr long long bytes() const { return lines * pitch() * kElementBytes; }
  constexpr int ctas_a_line() const { return ceil_div(pieces(), kPackPieces); }
  constexpr int ctas() const { return ceil_div(lines, kPackLines) * ctas_a_line(); }
};

/// The line and the first element of a thread's piece; perhaps beyond the matrix.
constexpr Coord packed_piece(const Packing& p, int cta, int thread, int round) {
  const int along = p.ctas_a_line();
  return {cta / along * kPackLines + thread / 32,
          (cta % along * kPackPieces + round * 32 + thread % 32) * Packing::kPiece};
}
/// The CTA that writes an element.
constexpr int packing_cta(const Packing& p, Coord at) {
  return at.row / kPackLines * p.ctas_a_line() + at.col / (kPackPieces * Packing::kPiece);
}
/// Byte offset of an element from the first, where it comes from.
constexpr long long packed_from(const Packing& p, Coord at) {
  return (at.row * p.leading + at.col) * Packing::kElementBytes;
}
/// The same where it goes to.
constexpr long long packed_to(const Packing& p, Coord at) {
  return (at.row * p.pitch() + at.col) * Packing::kElementBytes;
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
constexpr Packing packing_of(const Problem& p, Operand o) {
  return {line_count(p, o), line_elements(p, o), leading_dimension(p, o)};
}

/// The problem as the kernel itself reads it: packed operands have other lines.
constexpr Problem problem_read(const Specialization& s, const Problem& given) {
  Problem p = given;
  if (s.pack_a) p.lda = packing_of(given, Operand::a).pitch(), p.offset_a = 0;
  if (s.pack_b) p.ldb = packing_of(given, Operand::b).pitch(), p.offset_b = 0;
  return p;
}

/// Rows and columns that lie in memory as the kernel reads it, with the zeros behind each line.
constexpr Coord extents_read(const Specialization& s, const Problem& p, Operand o) {
  Coord extents{operand_rows(p, o), operand_cols(p, o)};
  if (!packs(s, o)) return extents;
  const bool rows = operand_order(p, o) == Order::row_major;
  (rows ? extents.col : extents.row) = static_cast<int>(packing_of(p, o).pitch());
  return extents;
}

/// blockIdx.y is the operand; CTAs beyond it have nothing to do.
constexpr Launch pack_launch(const Specialization& s, const Problem& p) {
  const int a = s.pack_a ? packing_of(p, Operand::a).ctas() : 0;
  const int b = s.pack_b ? packing_of(p, Operand::b).ctas() : 0;
  Launch launch;
  launch.grid_x = a > b ? a : b, launch.grid_y = 2;
  launch.threads = kPackThreads;
  return launch;
}

/// For a kernel that copies 16 bytes at a time where it can: packs an operand that so many block
/// tiles read that the pass costs less than their narrow copies do.
constexpr void pack_operands(Specialization& s, const Problem& p, int block_m, int block_n) {
  // Elements of two bytes cannot be copied by cp.async at all.
  const auto worth = [](int width, int reads) {
    return width == 1 ? reads >= 2 : width < Packing::kPiece && reads >= 8;
  };
  s.pack_a = worth(s.width_a, ceil_div(p.n, block_n));
  s.pack_b = worth(s.width_b, ceil_div(p.m, block_m));
  if (s.pack_a) s.width_a = Packing::kPiece;
  if (s.pack_b) s.width_b = Packing::kPiece;
}

}  // namespace tilescope
