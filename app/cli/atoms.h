// The instructions whose lane maps can be shown, made from core/layout.
#pragma once
#include <string>
#include <vector>

#include "core/layout/matrix_move.h"
#include "core/layout/mma.h"

namespace tilescope::cli {

struct AtomInfo {
  enum class Kind { mma, ldmatrix } kind;
  std::string name;  // the PTX instruction
  MmaAtom mma;       // Kind::ldmatrix: the atom whose A fragment the instruction fills
  LdmatrixMap ldmatrix;
};

std::vector<AtomInfo> all_atoms();
/// nullptr if there is none of that name.
const AtomInfo* find_atom(const std::vector<AtomInfo>& atoms, const std::string& name);

/// Place of an element in ldmatrix's matrices: 8 rows of 16 bytes each.
struct MatrixPlace {
  int matrix = -1, row = 0, col = 0;
};
/// Which row a lane gives the address of (col 0).
MatrixPlace ldmatrix_address(const AtomInfo& atom, int lane);
/// Which element a lane receives as `value` (two a register).
MatrixPlace ldmatrix_value(const AtomInfo& atom, int lane, int value);

}  // namespace tilescope::cli
