// What a kernel tells people of itself; host only.
#pragma once
#include "core/layout/types.h"

namespace tilescope {

/// Operand layouts as cuBLAS names them, A then B; N = column-major, T = row-major.
enum LayoutBits : int { kNN = 1, kNT = 2, kTN = 4, kTT = 8 };
constexpr int layout_bit(Order a, Order b) {
  return a == Order::column_major ? (b == Order::column_major ? kNN : kNT)
                                  : (b == Order::column_major ? kTN : kTT);
}

struct KernelInfo {
  int number;      // its rung on the ladder
  const char* id;  // as on the command line
  const char* title;
  const char* idea;    // the one thing that this rung adds
  int types;           // TypeBits it computes
  int default_types;   // one of them
  int layouts;         // LayoutBits it computes
  int default_layout;  // one of them
  int min_sm;          // compute capability × 10
  int only_sm = 0;     // the only one that has its instructions; 0: all from min_sm on
};

/// What the rungs in single precision have in common, and what each tells of itself.
constexpr KernelInfo float_info(int number, const char* id, const char* title, const char* idea) {
  return {.number = number,
          .id = id,
          .title = title,
          .idea = idea,
          .types = kFloat,
          .default_types = kFloat,
          .layouts = kNN | kNT | kTN | kTT,
          .default_layout = kTT,
          .min_sm = 50};
}

}  // namespace tilescope
