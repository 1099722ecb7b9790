#include "worker/engine/emulate/reference.h"

#include <algorithm>
#include <cstring>

namespace tilescope::worker {
namespace {

// A block of A [kRows, kDepth] and one of B [kDepth, kCols] are turned to double and multiplied
// with 4 × 8 sums in registers; a block of B is half the size of a usual L2.
constexpr int kRows = 4, kCols = 8, kDepth = 256, kBlockCols = 128;

/// sums[4][8] += a[depth][4] · b[depth][8]. Plain loops over fixed extents: the compiler keeps the
/// sums in vector registers, in both builds below.
__attribute__((always_inline)) inline void multiply(const double* a, const double* b, int depth,
                                                    double* sums) {
  typedef double Vector __attribute__((vector_size(32)));
  Vector acc[kRows][2] = {};
  for (int k = 0; k < depth; ++k) {
    Vector b0, b1;
    __builtin_memcpy(&b0, b + k * kCols, sizeof b0);
    __builtin_memcpy(&b1, b + k * kCols + 4, sizeof b1);
    for (int i = 0; i < kRows; ++i) {
      const double v = a[k * kRows + i];
      acc[i][0] += b0 * v;
      acc[i][1] += b1 * v;
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kCols; ++j) sums[i * kCols + j] += acc[i][j / 4][j % 4];
  }
}

using Multiply = void (*)(const double*, const double*, int, double*);
void multiply_portable(const double* a, const double* b, int depth, double* sums) {
  multiply(a, b, depth, sums);
}
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void multiply_avx2(const double* a, const double* b, int depth,
                                                       double* sums) {
  multiply(a, b, depth, sums);
}
#endif
Multiply best_multiply() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return multiply_avx2;
#endif
  return multiply_portable;
}

struct Source {
  ElementType type;
  Order order;
  long long leading;
  const std::byte* data;  // of element 0, 0
  double at(int row, int col) const {
    const auto index = static_cast<uint64_t>(element_index(order, leading, row, col));
    if (type != ElementType::f64) return load_element(type, data, index);
    double value;
    std::memcpy(&value, data + index * sizeof value, sizeof value);
    return value;
  }
};
Source source_of(const Problem& p, Operand o, const std::byte* data) {
  return {operand_type(p, o), operand_order(p, o), leading_dimension(p, o),
          data + global_offset(p, o, {0, 0})};
}

}  // namespace

void reference(const ReferenceInput& input, const Rect& rect, std::span<double> out) {
  static const Multiply multiply_block = best_multiply();
  const Problem& p = *input.problem;
  const Source a = source_of(p, Operand::a, input.a), b = source_of(p, Operand::b, input.b);
  std::fill(out.begin(), out.end(), 0.0);
  const int row_groups = ceil_div(rect.rows, kRows);
  std::vector<double> a_block(static_cast<size_t>(row_groups * kRows) * kDepth);
  std::vector<double> b_block(static_cast<size_t>(kBlockCols) * kDepth);

  for (int k0 = 0; k0 < p.k; k0 += kDepth) {
    const int depth = std::min(kDepth, p.k - k0);
    for (int g = 0; g < row_groups; ++g) {  // [group][k][4]
      for (int i = 0; i < kRows; ++i) {
        const int row = g * kRows + i;
        double* to = a_block.data() + static_cast<size_t>(g) * kRows * kDepth + i;
        for (int k = 0; k < depth; ++k) {
          to[k * kRows] = row < rect.rows ? a.at(rect.row + row, k0 + k) : 0.0;
        }
      }
    }
    for (int col0 = 0; col0 < rect.cols; col0 += kBlockCols) {
      const int cols = std::min(kBlockCols, rect.cols - col0);
      const int col_groups = ceil_div(cols, kCols);
      for (int g = 0; g < col_groups; ++g) {  // [group][k][8]
        for (int j = 0; j < kCols; ++j) {
          const int col = col0 + g * kCols + j;
          double* to = b_block.data() + static_cast<size_t>(g) * kCols * kDepth + j;
          for (int k = 0; k < depth; ++k) {
            to[k * kCols] = col < rect.cols ? b.at(k0 + k, rect.col + col) : 0.0;
          }
        }
      }
      for (int g = 0; g < row_groups; ++g) {
        for (int h = 0; h < col_groups; ++h) {
          double sums[kRows * kCols] = {};
          multiply_block(a_block.data() + static_cast<size_t>(g) * kRows * kDepth,
                         b_block.data() + static_cast<size_t>(h) * kCols * kDepth, depth, sums);
          for (int i = 0; i < std::min(kRows, rect.rows - g * kRows); ++i) {
            for (int j = 0; j < std::min(kCols, cols - h * kCols); ++j) {
              out[static_cast<size_t>(g * kRows + i) * static_cast<size_t>(rect.cols) +
                  static_cast<size_t>(col0 + h * kCols + j)] += sums[i * kCols + j];
            }
          }
        }
      }
    }
  }

  for (int i = 0; i < rect.rows; ++i) {
    for (int j = 0; j < rect.cols; ++j) {
      double& value =
          out[static_cast<size_t>(i) * static_cast<size_t>(rect.cols) + static_cast<size_t>(j)];
      value *= static_cast<double>(p.alpha);
      if (p.bias) {
        const int at = bias_index({rect.row + i, rect.col + j});
        value += load_element(p.type_c, input.bias, static_cast<uint64_t>(at));
      }
      if (p.beta == 0.0f) continue;
      const auto at = static_cast<uint64_t>(
          global_offset(p, Operand::c, {rect.row + i, rect.col + j}) / element_bytes(p.type_c));
      value += static_cast<double>(p.beta) * load_element(p.type_c, input.c, at);
    }
  }
}

}  // namespace tilescope::worker
