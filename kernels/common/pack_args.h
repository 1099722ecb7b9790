// The parameter of the pass that packs operands; same text for the launcher, nvcc and NVRTC.
#pragma once
#include "core/layout/packing.h"
#include "kernels/common/args.h"

namespace tilescope {

/// Addresses of first elements; nothing to do if there are no lines.
struct PackedOperand {
  unsigned long long from = 0, to = 0;
  long long leading = 0;  // elements from line to line where it comes from
  int lines = 0, elements = 0;
};
struct PackArgs {
  PackedOperand a, b;
};
static_assert(sizeof(PackArgs) == 64);

/// `from` and `to`: where the buffers of A and B begin.
constexpr PackArgs make_pack_args(const Specialization& s, const Problem& p,
                                  const BufferAddresses& from, const BufferAddresses& to) {
  const GemmArgs given = make_args(p, from);
  PackArgs args;
  const Packing a = packing_of(p, Operand::a), b = packing_of(p, Operand::b);
  if (s.pack_a) args.a = {given.a, to.a, a.leading, a.lines, a.elements};
  if (s.pack_b) args.b = {given.b, to.b, b.leading, b.lines, b.elements};
  return args;
}

}  // namespace tilescope
