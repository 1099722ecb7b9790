// The parameter of every GEMM kernel. Same text for g++ (host code), nvcc and NVRTC: addresses
// are 64-bit numbers, never pointers, so that a 32-bit host fills the same bytes.
#pragma once
#include "core/layout/kernel_plan.h"

namespace tilescope {

/// C = alpha · A·B + beta · C. Addresses of the matrices' first elements in the device's memory;
/// leading dimensions in elements. 80 bytes, passed by value.
struct alignas(8) GemmArgs {  // a 32-bit host would align to 4
  unsigned long long a = 0, b = 0, c = 0;
  unsigned long long workspace = 0;  // KernelPlan's workspace, or 0
  long long lda = 0, ldb = 0, ldc = 0;
  int m = 0, n = 0, k = 0;
  float alpha = 1, beta = 0;
};
static_assert(sizeof(GemmArgs) == 80);

/// What a kernel that adds a bias is passed instead, as GemmArgs.
struct BiasedArgs : GemmArgs {
  unsigned long long bias = 0;  // address of its first value
};
static_assert(sizeof(BiasedArgs) == 88);
constexpr int args_bytes(const Specialization& spec) {
  return spec.adds_bias ? sizeof(BiasedArgs) : sizeof(GemmArgs);
}

/// Where the operands' buffers begin.
struct BufferAddresses {
  unsigned long long a = 0, b = 0, c = 0, workspace = 0, bias = 0;
};
/// Kernels without a bias take its first sizeof(GemmArgs) bytes.
constexpr BiasedArgs make_args(const Problem& p, const BufferAddresses& at) {
  const auto first = [&p](unsigned long long buffer, Operand o) {
    return buffer + static_cast<unsigned long long>(global_offset(p, o, {0, 0}));
  };
  BiasedArgs args;
  args.a = first(at.a, Operand::a), args.b = first(at.b, Operand::b);
  args.c = first(at.c, Operand::c), args.workspace = at.workspace;
  args.lda = leading_dimension(p, Operand::a), args.ldb = leading_dimension(p, Operand::b);
  args.ldc = leading_dimension(p, Operand::c);
  args.m = p.m, args.n = p.n, args.k = p.k;
  args.alpha = p.alpha, args.beta = p.beta;
  args.bias = at.bias;
  return args;
}

}  // namespace tilescope
