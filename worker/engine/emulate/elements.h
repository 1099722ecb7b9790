// Translates the emulator's account into a GEMM's words: bytes of buffers into elements of A, B and
// C, PTX lines into instructions.
#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "emulator/provenance.h"
#include "worker/engine/emulate/emulated_gemm.h"

namespace tilescope::worker {

/// An element of A, B or C.
struct Element {
  int matrix = -1;  // 0 A, 1 B, 2 C, −1 = none
  Coord at;         // row, column
  explicit operator bool() const { return matrix >= 0; }
  bool operator==(const Element&) const = default;
};
/// Of A, B and C, in this order.
using MatrixLines = std::array<OperandLines, 3>;
MatrixLines matrix_lines(const Problem& problem);
Element element_of(const MatrixLines& lines, emulator::Origin origin);
Element element_of(const EmulatedGemm& gemm, emulator::Origin origin);
/// Of two bytes that are followed together, the one at an address of shared memory; elements of
/// more bytes begin with the first.
emulator::Origin byte_at(emulator::Origin pair, uint64_t address, int element_bytes);
/// True for one of the zeros around a packed operand.
bool is_padding(const EmulatedGemm& gemm, emulator::Origin origin);

/// The instructions of a program's entry by their PTX lines.
class InstructionLines {
 public:
  InstructionLines(const emulator::Program& program, std::string_view entry);
  const emulator::Instruction* at(int ptx_line) const;  // nullptr if there is none
  bool has_register(std::string_view name) const;

 private:
  std::vector<emulator::Instruction> all_;
};

}  // namespace tilescope::worker
