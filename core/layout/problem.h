// What is computed: C = alpha · A·B + beta · C, with A [m, k], B [k, n], C [m, n]; and, if asked
// for, a bias [n] that is added to each row of C.
#pragma once
#include "core/layout/element_type.h"
#include "core/layout/layout.h"

namespace tilescope {

enum class Operand : int { a, b, c };

/// How a matrix lies in memory. cuBLAS's letters: column-major is N, row-major is T.
enum class Order : int { row_major, column_major };

struct Problem {
  int m = 1024, n = 1024, k = 1024;
  ElementType type_a = ElementType::f32, type_b = ElementType::f32, type_c = ElementType::f32;
  Order order_a = Order::row_major, order_b = Order::row_major, order_c = Order::row_major;
  float alpha = 1.0f, beta = 0.0f;
  // Leading dimensions in elements; 0 = the least there can be.
  long long lda = 0, ldb = 0, ldc = 0;
  long long offset_a = 0, offset_b = 0, offset_c = 0;  // elements before the first, in its buffer
  bool bias = false;  // n values of C's type, in a buffer of their own

  constexpr bool operator==(const Problem&) const = default;
};

inline constexpr int kMaxExtent =
    1 << 20;  // of m, n and k: larger ones fit no card and overflow the grid
/// Limit of a leading dimension, in elements: byte offsets of all elements stay below 2^63.
inline constexpr long long kMaxLeadingDimension = 1LL << 40;

/// Rows and columns of an operand as a matrix: A [m, k], B [k, n], C [m, n].
constexpr int operand_rows(const Problem& p, Operand o) { return o == Operand::b ? p.k : p.m; }
constexpr int operand_cols(const Problem& p, Operand o) { return o == Operand::a ? p.k : p.n; }
constexpr Order operand_order(const Problem& p, Operand o) {
  return o == Operand::a ? p.order_a : o == Operand::b ? p.order_b : p.order_c;
}
constexpr ElementType operand_type(const Problem& p, Operand o) {
  return o == Operand::a ? p.type_a : o == Operand::b ? p.type_b : p.type_c;
}
/// Elements of one line (a row of a row-major matrix), and how many lines there are.
constexpr int line_elements(const Problem& p, Operand o) {
  return operand_order(p, o) == Order::row_major ? operand_cols(p, o) : operand_rows(p, o);
}
constexpr int line_count(const Problem& p, Operand o) {
  return operand_order(p, o) == Order::row_major ? operand_rows(p, o) : operand_cols(p, o);
}
constexpr int least_leading_dimension(const Problem& p, Operand o) { return line_elements(p, o); }
/// Elements from the start of a line to that of the next.
constexpr long long leading_dimension(const Problem& p, Operand o) {
  const long long given = o == Operand::a ? p.lda : o == Operand::b ? p.ldb : p.ldc;
  return given != 0 ? given : least_leading_dimension(p, o);
}
constexpr long long operand_offset(const Problem& p, Operand o) {
  return o == Operand::a ? p.offset_a : o == Operand::b ? p.offset_b : p.offset_c;
}
constexpr long long operand_elements(const Problem& p, Operand o) {
  return 1LL * operand_rows(p, o) * operand_cols(p, o);
}
/// Bytes of the matrix's elements alone.
constexpr long long operand_size_bytes(const Problem& p, Operand o) {
  return operand_elements(p, o) * element_bytes(operand_type(p, o));
}
/// Bytes of its buffer, with what lies before the matrix and between its lines.
constexpr long long operand_buffer_bytes(const Problem& p, Operand o) {
  const long long last = (line_count(p, o) - 1) * leading_dimension(p, o);
  return (operand_offset(p, o) + last + line_elements(p, o)) * element_bytes(operand_type(p, o));
}
/// Element index of (row, col) in a matrix with this order and leading dimension.
constexpr long long element_index(Order order, long long leading, int row, int col) {
  return order == Order::row_major ? row * leading + col : col * leading + row;
}
/// Byte offset of an element in its operand's buffer.
constexpr long long global_offset(const Problem& p, Operand o, Coord at) {
  const long long index =
      element_index(operand_order(p, o), leading_dimension(p, o), at.row, at.col);
  return (operand_offset(p, o) + index) * element_bytes(operand_type(p, o));
}
/// How an operand's elements lie in its buffer, looked up once for many of them.
struct OperandLines {
  int element_bytes = 1;
  long long offset = 0;   // elements before the first
  long long leading = 1;  // elements from the start of a line to that of the next
  int elements = 0;       // of a line
  int count = 0;          // of lines
  Order order = Order::row_major;
};
constexpr OperandLines operand_lines(const Problem& p, Operand o) {
  return {element_bytes(operand_type(p, o)),
          operand_offset(p, o),
          leading_dimension(p, o),
          line_elements(p, o),
          line_count(p, o),
          operand_order(p, o)};
}
/// Row and column of the element that a byte of its operand's buffer belongs to; −1, −1 before the
/// matrix and between its lines.
constexpr Coord global_coord(const OperandLines& lines, long long offset) {
  const long long index = offset / lines.element_bytes - lines.offset;
  if (index < 0) return {-1, -1};
  // Of 32 bits, as nearly all are, a division takes a fraction of the time.
  const bool narrow = (index | lines.leading) >> 32 == 0;
  const long long at = narrow ? static_cast<unsigned>(index) / static_cast<unsigned>(lines.leading)
                              : index / lines.leading;
  const long long rest = index - at * lines.leading;
  if (rest >= lines.elements || at >= lines.count) return {-1, -1};
  const int line = static_cast<int>(at), along = static_cast<int>(rest);
  return lines.order == Order::row_major ? Coord{line, along} : Coord{along, line};
}
constexpr Coord global_coord(const Problem& p, Operand o, long long offset) {
  return global_coord(operand_lines(p, o), offset);
}
/// Which value of the bias an element of C is given, and what lies before that in its buffer.
constexpr int bias_index(Coord at) { return at.col; }
constexpr long long bias_offset(const Problem& p, Coord at) {
  return 1LL * bias_index(at) * element_bytes(p.type_c);
}
constexpr long long bias_bytes(const Problem& p) {
  return p.bias ? 1LL * p.n * element_bytes(p.type_c) : 0;
}
constexpr double flops(const Problem& p) { return 2.0 * p.m * p.n * p.k; }

/// Widest access in elements, a power of two and at most 16 bytes, that every line of the operand
/// is aligned to and made of. Buffers themselves are aligned to 256 bytes.
constexpr int aligned_width(const Problem& p, Operand o) {
  int width = 16 / element_bytes(operand_type(p, o));
  while (width > 1 && (leading_dimension(p, o) % width != 0 || line_elements(p, o) % width != 0 ||
                       operand_offset(p, o) % width != 0)) {
    width /= 2;
  }
  return width;
}

}  // namespace tilescope
