// Bulk copies of boxes: the trace keeps where a box's first piece came from or went, the plan how
// large it is.
#include <algorithm>

#include "core/layout/tensor_box.h"
#include "worker/engine/trace/trace_data.h"

namespace tilescope::worker {

bool DataFollower::moves_box(const emulator::Event& event) const {
  if (event.kind == emulator::EventKind::copy) return by_boxes(gemm_.plan.copy_a.kind);
  // Of stores to global memory a bulk one alone has a place in shared memory beside it.
  return event.kind == emulator::EventKind::store_global && event.address_slot2 >= 0;
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
