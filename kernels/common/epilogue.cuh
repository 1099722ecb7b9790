// C = alpha · accumulator + beta · C, and the bias, a few neighbours along C's lines at a time.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/args.h"
#include "kernels/common/elements.cuh"

namespace tilescope {

/// S.width_c neighbours from (row, col) on, all inside C or all outside. Where beta is 0, C is
/// never read: it may hold anything, NaN too.
template <Specialization S>
__device__ __forceinline__ void store_c(const GemmArgs& args, int row, int col,
                                        const float (&sums)[S.width_c]) {
  const unsigned long long at =
      args.c + element_bytes(S.type_c) * element_index(S.order_c, args.ldc, row, col);
  float out[S.width_c];
#pragma unroll
  for (int i = 0; i < S.width_c; ++i) out[i] = args.alpha * sums[i];
  if constexpr (S.reads_c) {
    float old[S.width_c];
    load_elements<S.type_c>(old, at);
#pragma unroll
    for (int i = 0; i < S.width_c; ++i) out[i] += args.beta * old[i];
  }
  if constexpr (S.adds_bias) {
    constexpr int kWidth = bias_width(S.order_c, S.width_c);
    float bias[kWidth];
    const unsigned long long first = static_cast<const BiasedArgs&>(args).bias;
    load_elements<S.type_c>(bias, first + element_bytes(S.type_c) * bias_index({row, col}));
#pragma unroll
    for (int i = 0; i < S.width_c; ++i) out[i] += bias[i % kWidth];
  }
  store_elements<S.type_c>(at, out);
}

/// C from what this thread stores of some atoms, in the order of store_layout's values. `at`: row
/// and column of the first one.
template <KernelPlan P>
__device__ __forceinline__ void store_atom(const GemmArgs& args, Coord at,
                                           const float (&sums)[store_layout(P).values()]) {
  constexpr Specialization S = P.spec;
  constexpr int kStep = store_value_step(P);
#pragma unroll
  for (int v = 0; v < store_layout(P).values(); ++v) {
    if (!begins_store(P, v)) continue;
    const Coord to = at + value_coord(store_layout(P), v);
    if ((S.edge_m && to.row >= args.m) || (S.edge_n && to.col >= args.n)) continue;
    float run[S.width_c];
#pragma unroll
    for (int i = 0; i < S.width_c; ++i) run[i] = sums[v + i * kStep];
    store_c<S>(args, to.row, to.col, run);
  }
}

}  // namespace tilescope
