#include "core/model/done_otherwise.h"

namespace tilescope::model {

std::string done_otherwise(const KernelPlan& plan, const TileConfig& tile, const Problem& p,
                           TileFieldId field) {
  switch (field) {
    case TileFieldId::epilogue:
      if (tile.epilogue == 0 || plan.epilogue.kind == EpilogueKind::boxes) return {};
      return p.order_c == Order::row_major ? "by threads: lines of C are not at every 16 B"
                                           : "by threads: C is column-major";
    case TileFieldId::prefetch:
      if (tile.prefetch == 0) return {};
      if (plan.copy_a.kind == CopyKind::staged || plan.copy_b.kind == CopyKind::staged) {
        return "registers, where lines allow less than 4 B at a time";
      }
      return {};
    default:
      return {};
  }
}

}  // namespace tilescope::model
