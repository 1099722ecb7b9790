// C = alpha · accumulator + beta · C, and the bias, a few neighbours along C's lines at a time.
#pragma once
#include "core/layout/kernel_plan.h"
#include "kernels/common/args.h"
#include "kernels/common/elements.cuh"

namespace tilescope {

/// The values of the bias that one store of C adds: bias_width() of them.
template <Specialization S>
struct Bias {
  static constexpr int kWidth = bias_width(S.order_c, S.width_c);
  float value[kWidth];
};
template <Specialization S>
__device__ __forceinline__ void load_bias(const GemmArgs& args, Coord at, Bias<S>& bias) {
  const unsigned long long first = static_cast<const BiasedArgs&>(args).bias;
  load_elements<S.type_c>(bias.value, first + element_bytes(S.type_c) * bias_index(at));
}

template <Specialization S>
__device__ __forceinline__ unsigned long long address_of_c(const GemmArgs& args, int row, int col) {
  return args.c + element_bytes(S.type_c) * element_index(S.order_c, args.ldc, row, col);
}

/// out = alpha · sums + beta · C (+ bias) for S.width_c neighbours along C's lines, from (row, col)
/// on. All of them lie inside C. Where beta is 0, C is never read: it may hold anything, even NaN.
/// `ahead`: the bias, if it was loaded before; else it is loaded here.
template <Specialization S>
__device__ __forceinline__ void finish_c(float (&out)[S.width_c], const GemmArgs& args, int row,
                                         int col, const float (&sums)[S.width_c],
                                         const Bias<S>* ahead = nullptr) {
#pragma unroll
  for (int i = 0; i < S.width_c; ++i) out[i] = args.alpha * sums[i];
  if constexpr (S.reads_c) {
    float old[S.width_c];
    load_elements<S.type_c>(old, address_of_c<S>(args, row, col));
#pragma unroll
    for (int i = 0; i < S.width_c; ++i) out[i] += args.beta * old[i];
  }
  if constexpr (S.adds_bias) {
    Bias<S> bias;
    if (ahead != nullptr) {
      bias = *ahead;
    } else {
      load_bias<S>(args, {row, col}, bias);
    }
#pragma unroll
    for (int i = 0; i < S.width_c; ++i) out[i] += bias.value[i % Bias<S>::kWidth];
  }
}
/// The same, stored.
template <Specialization S>
__device__ __forceinline__ void store_c(const GemmArgs& args, int row, int col,
                                        const float (&sums)[S.width_c],
                                        const Bias<S>* ahead = nullptr) {
  float out[S.width_c];
  finish_c<S>(out, args, row, col, sums, ahead);
  store_elements<S.type_c>(address_of_c<S>(args, row, col), out);
}

/// The bias of all columns that a thread stores, loaded before its first store so that the stores
/// need not wait for it. Indexed by the pair of atoms stored at once and by store_layout()'s value.
template <KernelPlan P>
struct BiasAhead {
  static constexpr int kRuns = mmas_n(P) / P.epilogue.atoms, kValues = store_layout(P).values();
  Bias<P.spec> of[P.epilogue.bias_ahead ? kRuns : 1][P.epilogue.bias_ahead ? kValues : 1];

  /// `mine`: the first element of C that this thread stores.
  __device__ __forceinline__ void load(const GemmArgs& args, Coord mine) {
    if constexpr (P.epilogue.bias_ahead) {
#pragma unroll
      for (int run = 0; run < kRuns; ++run) {
#pragma unroll
        for (int v = 0; v < kValues; ++v) {
          if (!begins_store(P, v) || bias_of_store(P, v) != v) continue;
          const Coord at =
              mine + mma_origin(P, 0, run * P.epilogue.atoms) + value_coord(store_layout(P), v);
          if (P.spec.edge_n && at.col >= args.n) continue;
          load_bias<P.spec>(args, at, of[run][v]);
        }
      }
    }
  }
};

/// Stores what this thread has of P.epilogue.atoms neighbouring atoms. `sums`: in the order of
/// store_layout()'s values; `at`: row and column of the first. A kernel that loads the bias ahead
/// passes it, and the number of these atoms' run in it.
template <KernelPlan P>
__device__ __forceinline__ void store_atom(const GemmArgs& args, Coord at,
                                           const float (&sums)[store_layout(P).values()],
                                           const BiasAhead<P>* ahead = nullptr, int bias_run = 0) {
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
    if constexpr (P.epilogue.bias_ahead) {
      store_c<S>(args, to.row, to.col, run, &ahead->of[bias_run][bias_of_store(P, v)]);
    } else {
      store_c<S>(args, to.row, to.col, run);
    }
  }
}

}  // namespace tilescope
