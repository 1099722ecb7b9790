// How the registers that arithmetic reads are filled, for one operand.
#pragma once
#include "core/layout/matrix_move.h"

namespace tilescope {

enum class LoadKind : int {
  none,      // not at all: the instruction reads shared memory itself (B of wgmma)
  global,    // straight from global memory, an element at a time
  lds,       // ld.shared of `width` elements along the outer dimension
  ldmatrix,  // 8×8 matrices, by `map`
  wmma,      // wmma.load: a register at a time
};

struct FragmentLoad {
  LoadKind kind = LoadKind::none;
  LdmatrixMap map = {};     // of ldmatrix
  bool transposed = false;  // ldmatrix with .trans; wmma.load of an operand whose lines run across
  int width = 1;            // of lds and wmma: elements
  int register_stages = 1;  // sets of fragments: with 2 the next k step is loaded ahead

  constexpr bool operator==(const FragmentLoad&) const = default;
};

}  // namespace tilescope
