// Puts an origin, which the emulator tells in bytes of buffers, into rows and columns of A, B and
// C.
#pragma once
#include <functional>
#include <string>
#include <vector>

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

/// What buffers' bytes are elements of.
struct Matrices {
  const emulator::Program& program;
  std::vector<std::string> names;  // by Element::matrix
  std::function<Element(emulator::Origin)> element;
  int a = -1, b = -1;  // those whose product is looked for; −1: nobody knows what is multiplied
  int k = 0;           // rows of b

  /// "A[473, 66]"
  std::string text(const Element& element) const;
};
/// A, B and C.
Matrices matrices_of(const EmulatedGemm& gemm);

/// Fills all of the result but `of`. Lines are those of `file`, or of any if it is empty.
void put_into_words(const emulator::Value& value, const Matrices& matrices,
                    const InstructionLines& lines, const std::string& file,
                    const Expected& expected, OriginResult& result);
/// The same, without the zeros around packed operands.
void put_into_words(const emulator::Value& value, const EmulatedGemm& gemm,
                    const InstructionLines& lines, const std::string& file,
                    const Expected& expected, OriginResult& result);

}  // namespace tilescope::worker
