// Puts an origin, which the emulator tells in bytes of buffers, into rows and columns of A, B and
// C.
#pragma once
#include "worker/engine/emulate/elements.h"

namespace tilescope::worker {

/// What an accumulator must be for C[row, col]; -1 = any.
struct Expected {
  Coord c{-1, -1};
  bool whole = false;  // each k of the problem, once
  int k = 0;           // all that the kernel was told of it; 0 = the problem's
};

/// False if some part of it was not followed, so that nothing certain can be said.
bool followed(const emulator::Value& value);

/// Fills all of the result but `of`.
void put_into_words(const emulator::Value& value, const EmulatedGemm& gemm,
                    const InstructionLines& lines, const std::string& file,
                    const Expected& expected, OriginResult& result);

/// "A[473, 66]"
std::string element_text(const Element& element);

}  // namespace tilescope::worker
