// The tabs of the Fragment scene, one file each.
#pragma once
#include "viz/scene/fragment_scene.h"
#include "viz/scene/parts.h"

namespace tilescope::viz {

/// What every tab needs: the state made safe, and where things are.
struct FragmentContext {
  const FragmentState& state;
  const KernelPlan& plan;
  Selection selection;
  Moment moment;
  LevelAxes axes;  // of the mma tile, or of the thread's tile
};

void draw_mma_tab(SceneBuilder& b, const FragmentContext& f, Size size);
void draw_thread_tile_tab(SceneBuilder& b, const FragmentContext& f, Size size);
void draw_warp_tile_tab(SceneBuilder& b, const FragmentContext& f, Size size);
void draw_ldmatrix_tab(SceneBuilder& b, const FragmentContext& f, Size size);
void draw_shared_tab(SceneBuilder& b, const FragmentContext& f, Size size);

/// Lane strip and registers of the chosen lane of an mma kernel. Returns the lowest y drawn.
float draw_mma_registers(SceneBuilder& b, const FragmentContext& f, Box box, bool small);

/// One row of a register table: where the values of one register come from.
struct RegisterCell {
  int value = 0;
  Operand matrix = Operand::c;
  Coord at;  // in the matrix
  bool inside = true;
};
std::string element_text(Operand matrix, Coord at);
bool inside(const Problem& problem, Operand matrix, Coord at);

}  // namespace tilescope::viz
