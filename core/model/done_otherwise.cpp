#include "core/model/done_otherwise.h"

namespace tilescope::model {

std::string done_otherwise(const KernelPlan& plan, const TileConfig& tile, const Problem& p,
                           TileFieldId field) {
  const bool asked = field == TileFieldId::epilogue && tile.epilogue != 0;
  if (!asked || plan.epilogue.kind == EpilogueKind::boxes) return {};
  return p.order_c == Order::row_major ? "by threads: C's lines are not of whole 16 B"
                                       : "by threads: C is column-major";
}

}  // namespace tilescope::model
