// How tensor cores sum products, by architecture: the PTX ISA leaves order and rounding open, and
// cards differ. Plain data (see code.h): emulator/isa/card_sum.h computes by it.
#pragma once
#include <cstdint>

#include "emulator/compile/sum_family.h"

namespace tilescope::emulator {

/// A fused sum: the terms are the accumulator and `at_once` products; each is cut toward zero to a
/// multiple of 2^(E - fraction), where E is the largest exponent of all of them (a product's is the
/// sum of its factors', a subnormal number's its type's least); what is left is summed exactly, and
/// then cut to f32 with `kept` bits of fraction, or rounded to the nearest f16. The next `at_once`
/// products are summed with that.
struct SumRule {
  enum class Way : uint8_t {
    ieee,   // one fused multiply-add in f32 after another, in the order of k
    fused,  // as above
    // Two fused sums one after the other, without the accumulator, of operands that have become
    // f16: of products with k mod 4 < 2, then of the others. Then the accumulator is added, and
    // rounded to the nearest.
    fused_f16_halves,
    // What a compiler makes of m8n8k4 where the hardware has none, in IEEE f32. Of f32: fused
    // multiply-adds from zero on, then C is added. Of f16: C, to which the sums of the first two
    // and of the other two products are added.
    without_tensor_core,
  } way = Way::ieee;
  uint8_t fraction = 0;
  uint8_t at_once = 0;  // 0: all of an instruction
  uint8_t kept = 23;
  int16_t least = 0;  // E is no less
};

struct SumRules {
  SumRule of[kSumFamilies];
};

/// Those of an architecture (90 is sm_90); null where none is known.
const SumRules* sum_rules(int architecture);

}  // namespace tilescope::emulator
