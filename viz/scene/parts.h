// Pieces that the Fragment and the Tiling scene both draw.
#pragma once
#include "viz/scene/answer_sign.h"
#include "viz/scene/builder.h"
#include "viz/scene/cells.h"
#include "viz/scene/selection.h"

namespace tilescope::viz {

constexpr const char* kOperandNames[] = {"A", "B", "C"};

inline Color operand_color(const Palette& p, Operand o) {
  return o == Operand::a ? p.a : o == Operand::b ? p.b : p.c;
}
inline Color operand_text(const Palette& p, Operand o) {
  return o == Operand::a ? p.a_text : o == Operand::b ? p.b_text : p.c_text;
}

/// The cells of one operand (or D) of an atom whose first element is at `origin` of the matrix.
/// Those of `lane`, one of the atom's threads 0…31 or 0…127, are strong. Where groups of lanes
/// compute products of their own (m8n8k4), the cells are those of the group that has the lane.
CellGrid fragment_grid(const MmaAtom& atom, const FragmentLayout& fragment, Operand operand,
                       Coord origin, Box box, int lane);
/// The cells that `count` threads of a SIMT kernel hold, from `first` on, on the rows and columns
/// of C that the axes list. Cells of the chosen thread are strong.
CellGrid thread_grid(const KernelPlan& plan, const Selection& selection, const LevelAxes& axes,
                     int first, int count, Box box);
/// The boxes of the runs of one lane's cells, without the line between the cells. `threads`: that
/// lanes count up to; 128 where four warps share an atom.
std::vector<Box> lane_boxes(const CellGrid& grid, int lane, int threads = 32);

/// A tile of a matrix with the ground and the edge of its operand.
void operand_box(SceneBuilder& b, Box box, Operand operand, float ground = 0.14f,
                 float edge = 0.7f);

/// "HEADLINE ————— right": a thin section head.
void section_head(SceneBuilder& b, float x, float y, float w, std::string_view label,
                  std::string_view right, Color right_color, Weight right_weight = Weight::mono);

/// Lane numbers 0…31 in their colours, the chosen one ringed, those of an answer marked; every cell
/// can be picked.
void lane_strip(SceneBuilder& b, Box box, int rows, int lane, std::optional<int> hovered,
                int lanes = 32, const AnswerMarks& marks = {});

/// The lane that a hover is about; −1 if none.
inline int hovered_lane(const std::optional<Pick>& hover) { return hover ? hover->lane : -1; }

/// Hatches the rows and columns of a picture that lie beyond the matrix: they count as zero and are
/// never stored.
void hatch_outside(SceneBuilder& b, const Problem& problem, Operand matrix, const Axis& rows,
                   const Axis& cols, Box box);

}  // namespace tilescope::viz
