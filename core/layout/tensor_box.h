// What a tensor map says of an operand: the matrix, and the boxes that are copied of it. The driver
// makes the map of it for a card, the emulator for itself.
// Source: CUDA Driver API, cuTensorMapEncodeTiled.
#pragma once
#include "core/layout/box_store.h"
#include "core/layout/packing.h"

namespace tilescope {

inline constexpr int kTensorMapBytes = 128;
/// Of lines in memory: a matrix whose lines begin elsewhere has no tensor map.
inline constexpr int kTensorAlignBytes = 16;

/// Two dimensions: along the lines, and from line to line.
struct TensorBox {
  ElementType type = ElementType::f16;
  int extents[2] = {0, 0};    // of the matrix, elements
  long long pitch_bytes = 0;  // from line to line
  int box[2] = {0, 0};        // elements
  Swizzle swizzle = Swizzle::none;
  constexpr bool operator==(const TensorBox&) const = default;
};

/// What goes as one box of an operand, and how it lies in shared memory.
constexpr const CopyMap& boxes_of(const KernelPlan& plan, Operand o) {
  return o == Operand::c ? plan.epilogue.map : copy_of(plan, o);
}
constexpr SharedTile box_tile(const KernelPlan& plan, Operand o) {
  return o == Operand::c ? store_buffers(plan).tile : shared_of(plan, o);
}

/// The operands that a kernel has tensor maps of, in their order.
constexpr bool has_tensor_map(const KernelPlan& plan, Operand o) {
  return o == Operand::c ? plan.epilogue.kind == EpilogueKind::boxes
                         : by_boxes(copy_of(plan, o).kind);
}
constexpr bool has_tensor_maps(const KernelPlan& plan) {
  return has_tensor_map(plan, Operand::a) || has_tensor_map(plan, Operand::b);
}

/// `given`: the problem as it was stated; a packed operand is read from where the pass puts it.
/// `k`: of the matrices only so much is there for a kernel that is told no more; 0: all.
constexpr TensorBox tensor_box(const KernelPlan& plan, const Problem& given, Operand o, int k = 0) {
  const Problem p = problem_read(plan, given);
  Coord extents = extents_read(plan, given, o);
  if (k > 0 && o == Operand::a) extents.col = min_of(extents.col, k);
  if (k > 0 && o == Operand::b) extents.row = min_of(extents.row, k);
  const CopyMap& map = boxes_of(plan, o);
  const bool rows = operand_order(p, o) == Order::row_major;
  return {.type = operand_type(p, o),
          .extents = {rows ? extents.col : extents.row, rows ? extents.row : extents.col},
          .pitch_bytes = leading_dimension(p, o) * element_bytes(operand_type(p, o)),
          .box = {map.width, map.box_lines},
          .swizzle = box_tile(plan, o).swizzle};
}
}  // namespace tilescope
