// The parameter of the pass that packs operands; same text for g++ (host code), nvcc and NVRTC.
#pragma once
#include "core/layout/packing.h"
#include "kernels/common/args.h"

namespace tilescope {

/// One operand: addresses of its first elements, before and after. Not packed if it has no lines.
struct PackedOperand {
  unsigned long long from = 0, to = 0;
  long long leading = 0;  // elements from line to line where it comes from
  long long pitch = 0;    // and where it goes to
  int lines = 0, elements = 0, room_lines = 0;
  int element_bytes = 2;
};
struct PackArgs {
  PackedOperand a, b;
};
static_assert(sizeof(PackArgs) == 96);

/// `from` and `to`: where the buffers of A and B begin.
constexpr PackArgs make_pack_args(const KernelPlan& plan, const Problem& p,
                                  const BufferAddresses& from, const BufferAddresses& to) {
  const BiasedArgs given = make_args(p, from);
  const auto operand = [&](Operand o, unsigned long long first, unsigned long long room) {
    if (!packs(plan.spec, o)) return PackedOperand{};
    const Packing k = packing_of(plan, p, o);
    return PackedOperand{first,   room,       k.leading,    k.pitch,
                         k.lines, k.elements, k.room_lines, k.element_bytes};
  };
  return {operand(Operand::a, given.a, to.a), operand(Operand::b, given.b, to.b)};
}

}  // namespace tilescope
