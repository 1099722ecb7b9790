// The PTX of probes: loads the registers of every thread, executes one instruction, stores.
#pragma once
#include <string>

#include "core/layout/matrix_move.h"
#include "core/layout/mma.h"
#include "core/layout/wgmma_shared.h"
#include "worker/engine/probe/probe_machine.h"

namespace tilescope::worker {

/// `.version` and `.target` that an instruction needs.
struct ProbeTarget {
  std::string version = "6.5";
  std::string target = "sm_75";
};
ProbeTarget probe_target(const MmaSpec& spec, int min_sm);
ProbeTarget probe_target(MatrixMoveKind kind);

/// Bytes of a thread's registers of a fragment.
constexpr int thread_bytes(const FragmentLayout& f) {
  return f.registers() * (f.bits > 32 ? 8 : 4);
}

/// An entry alone; a module is probe_header() and any number of entries.
std::string probe_header(const ProbeTarget& target);

/// Where an operand of wgmma lies in shared memory: a layout, and which part along k of its lines.
struct WgmmaPlace {
  WgmmaLayout layout;
  int step = 0;
  SharedTile tile(const MmaAtom& atom, Operand operand) const;
  /// Without the address of the tile.
  unsigned long long descriptor(const MmaAtom& atom, Operand operand) const;
};
/// The input of an operand in shared memory: its descriptor without the tile's address, and from
/// here on the tile, in the room that its largest layout takes.
constexpr int kWgmmaHeadBytes = 16;
int wgmma_room(const MmaAtom& atom, Operand operand);
/// What the instruction itself says of its operands: which lie in shared memory, which are
/// MN-major.
struct WgmmaForm {
  bool a_in_shared = false, a_turned = false, b_turned = false;
};

/// D = A·B + C. Inputs: the registers of A, of B (wgmma: what lies in shared memory as it lies
/// there), of C; output: those of D, thread after thread.
std::string mma_entry(const MmaAtom& atom, const std::string& instruction, const std::string& name,
                      const WgmmaForm& form = {});

/// wmma.load of an operand: input 0 is the matrix in memory, the output the registers. Or, for D,
/// wmma.store: input 0 is the registers, the output the matrix.
enum class WmmaPart : int { a, b, c, d };
const FragmentLayout& wmma_fragment(const MmaAtom& atom, WmmaPart part);
ElementType wmma_type(const MmaAtom& atom, WmmaPart part);
std::string wmma_entry(const MmaAtom& atom, WmmaPart part, Order order, const std::string& name);

/// Shared memory of a move's probe: lines of 16 bytes.
constexpr int kMoveLines = 64;
constexpr int kMoveBytes = kMoveLines * kMatrixRowBytes;
/// ldmatrix: input 0 is shared memory, input 1 each lane's address in it; output: the registers.
/// stmatrix: input 2 the registers as well; output: shared memory after it. movmatrix: input 2 the
/// register; output: the register after it.
std::string move_entry(const MatrixMove& move, const std::string& instruction,
                       const std::string& name);

}  // namespace tilescope::worker
