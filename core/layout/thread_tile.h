// The thread tiles of SIMT kernels, as an atom like the matrix instructions': all threads of a CTA
// (or of a warp) compute one outer product of a column of A and a row of B together.
#pragma once
#include "core/layout/mma.h"

namespace tilescope {

/// threads_m × threads_n threads over a tile of C, `thread_m` × `thread_n` elements each. A
/// thread's rows and columns come in runs of `run_m`, `run_n`, spread over the tile, so that
/// neighbouring threads read neighbouring words. Values are in register order [i][j].
struct ThreadTile {
  int threads_m = 1, threads_n = 1;
  int thread_m = 1, thread_n = 1;
  int run_m = 1, run_n = 1;
  bool along_n = true;  // consecutive threads take consecutive columns; else rows
};

constexpr MmaAtom thread_tile_atom(const ThreadTile& t, ElementType type = ElementType::f32) {
  MmaAtom atom;
  atom.kind = MmaKind::threads;
  atom.m = t.threads_m * t.thread_m, atom.n = t.threads_n * t.thread_n, atom.k = 1;
  atom.type_a = atom.type_b = atom.type_c = atom.type_d = type;
  const auto fragment = [&](int rows, int cols, int down, int right, int values_m, int values_n) {
    FragmentLayout f;
    f.rows = rows, f.cols = cols, f.bits = element_bits(type);
    const Mode n{t.threads_n, t.run_n * right}, m{t.threads_m, t.run_m * down};
    f.thread = t.along_n ? make_layout(n, m) : make_layout(m, n);
    const int run_m = values_m > 1 ? t.run_m : 1, run_n = values_n > 1 ? t.run_n : 1;
    f.value = make_layout({run_n, right}, {values_n / run_n, t.run_n * t.threads_n * right},
                          {run_m, down}, {values_m / run_m, t.run_m * t.threads_m * down});
    return f;
  };
  atom.c = atom.d = fragment(atom.m, atom.n, 1, atom.m, t.thread_m, t.thread_n);
  atom.a = fragment(atom.m, 1, 1, 0, t.thread_m, 1);
  atom.b = fragment(1, atom.n, 0, 1, 1, t.thread_n);
  atom.lanes = make_layout({t.threads_m * t.threads_n, 1});
  return atom;
}

}  // namespace tilescope
