// Bulk copies of boxes: the trace keeps where a box's first piece came from or went, the plan how
// large it is.
#include <algorithm>

#include "core/layout/tensor_box.h"
#include "worker/engine/trace/trace_data.h"

namespace tilescope::worker {

bool DataFollower::moves_box(const emulator::Event& event) const {
  const KernelPlan& plan = gemm_.plan;
  return (event.kind == emulator::EventKind::copy && by_boxes(plan.copy_a.kind)) ||
         (event.kind == emulator::EventKind::store_global &&
          plan.epilogue.kind == EpilogueKind::boxes);
}

void DataFollower::note_box(DataEvent& data, const Element& first) {
  note(data, first);
  if (!first) return;
  const auto o = static_cast<Operand>(first.matrix);
  const CopyMap& map = boxes_of(gemm_.plan, o);
  const Coord box = map.k_contiguous ? matrix_coord(o, map.box_lines, map.width)
                                     : matrix_coord(o, map.width, map.box_lines);
  const int rows = std::min(box.row, operand_rows(gemm_.problem, o) - first.at.row);
  const int cols = std::min(box.col, operand_cols(gemm_.problem, o) - first.at.col);
  data.elements = static_cast<uint32_t>(rows * cols);
  touched_ = {{first.matrix, first.at.row, first.at.col, rows, cols}};
}

}  // namespace tilescope::worker
