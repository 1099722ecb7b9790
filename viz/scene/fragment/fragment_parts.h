// The tabs of the Fragment scene, one file each.
#pragma once
#include "viz/scene/fragment/fragment_scene.h"
#include "viz/scene/parts.h"

namespace tilescope::viz {

/// What every tab needs: the state, with all indices put into their ranges, and where things are.
struct FragmentContext {
  const FragmentState& state;
  const KernelPlan& plan;
  Selection selection;
  Moment moment;
  LevelAxes axes;  // of the atom

  /// mma kernels: the chosen lane among the atom's threads (0…31, or 0…127 of a warpgroup), the
  /// thread of its fragments that it is, and how many lanes there are.
  int atom_lane() const { return selection.warp % plan.warps_per_atom() * 32 + selection.lane; }
  int fragment_thread() const { return atom_thread_of(plan, selection.warp, selection.lane); }
  int atom_threads() const { return plan.warps_per_atom() * 32; }
  /// The hovered lane among them; −1 if none.
  int hovered_atom_lane() const;
};

void draw_mma_tab(SceneBuilder& b, const FragmentContext& f, Size size);
void draw_thread_tile_tab(SceneBuilder& b, const FragmentContext& f, Size size);
void draw_warp_tile_tab(SceneBuilder& b, const FragmentContext& f, Size size);
void draw_ldmatrix_tab(SceneBuilder& b, const FragmentContext& f, Size size);
void draw_shared_tab(SceneBuilder& b, const FragmentContext& f, Size size);
/// Of wgmma, which reads shared memory by a descriptor.
void draw_descriptor_tab(SceneBuilder& b, const FragmentContext& f, Size size);
void draw_formulas_tab(SceneBuilder& b, const FragmentContext& f, Size size);
/// ldmatrix, stmatrix and movmatrix by themselves.
void draw_move_tab(SceneBuilder& b, const FragmentState& state, Size size);
void draw_move_formulas(SceneBuilder& b, const FragmentState& state, Size size);

/// Lane strip and registers of the chosen lane of an mma kernel. Returns the lowest y drawn.
float draw_mma_registers(SceneBuilder& b, const FragmentContext& f, Box box, bool small);

/// Lane strip with the chosen lane's name above it, in one line each. Returns the lowest y drawn.
float lane_band(SceneBuilder& b, const FragmentContext& f, Box box);

/// One row of a register table: where the values of one register come from.
struct RegisterCell {
  int value = 0;
  Operand matrix = Operand::c;
  Coord at;  // in the matrix
  bool inside = true;
};
/// C and D are held alike: one picture stands for both. Else the picture shows D.
bool same_results(const MmaAtom& atom);
inline const char* result_name(const MmaAtom& atom) { return same_results(atom) ? "C" : "D"; }
std::string element_text(Operand matrix, Coord at);
/// The values of one register, which lie side by side in the matrix: "A[468, 1122–1123]".
std::string register_text(const std::vector<RegisterCell>& cells, const char* name);
/// The registers of the chosen lane: their values with their places in the matrices.
struct RegisterRow {
  std::string name;                 // a0 …
  std::vector<RegisterCell> cells;  // the register's values, low bits first
  int reg = 0;
  bool chosen = false;  // holds the chosen output
  bool last_of_operand = false;
};
std::vector<RegisterRow> register_rows(const FragmentContext& f);
bool inside(const Problem& problem, Operand matrix, Coord at);

}  // namespace tilescope::viz
