#include "app/cli/atoms.h"

namespace tilescope::cli {
namespace {

constexpr int kMatrix = 8;  // rows of an ldmatrix matrix, and halves in one

/// Matrix and place in it of an element of the 16×16 tile that ldmatrix_for_a() loads.
MatrixPlace place_of(const LdmatrixMap& map, Coord at) {
  for (int matrix = 0; matrix < map.matrices; ++matrix) {
    const Coord first = ldmatrix_row(map, matrix * kMatrix);  // its first row's lane
    const int row = at.row - first.row, col = at.col - first.col;
    if (row >= 0 && row < kMatrix && col >= 0 && col < kMatrix) return {matrix, row, col};
  }
  return {};
}

}  // namespace

std::vector<AtomInfo> all_atoms() {
  return {
      {AtomInfo::Kind::mma,
       "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
       mma_m16n8k16_f16_f32(),
       {}},
      {AtomInfo::Kind::ldmatrix, "ldmatrix.sync.aligned.m8n8.x4.shared.b16", mma_m16n8k16_f16_f32(),
       ldmatrix_for_a()},
  };
}

const AtomInfo* find_atom(const std::vector<AtomInfo>& atoms, const std::string& name) {
  for (const AtomInfo& atom : atoms) {
    if (atom.name == name) return &atom;
  }
  return nullptr;
}

MatrixPlace ldmatrix_address(const AtomInfo& atom, int lane) {
  return place_of(atom.ldmatrix, ldmatrix_row(atom.ldmatrix, lane));
}

MatrixPlace ldmatrix_value(const AtomInfo& atom, int lane, int value) {
  return place_of(atom.ldmatrix, fragment_coord(atom.mma.a, lane, value));
}

}  // namespace tilescope::cli
