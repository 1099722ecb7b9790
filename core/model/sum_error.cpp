#include "core/model/sum_error.h"

#include <algorithm>
#include <cmath>

namespace tilescope::model {

double cut_off_error(ElementType operands, int k) {
  if (element_bytes(operands) != 1) return 0;
  // Cut off at random, and each time towards zero.
  return 0x1p-13 * (0.06 * std::sqrt(k) + k / 650.0);
}

double cut_off_error(const KernelPlan& plan, const Problem& problem) {
  const int interval = plan.promote * plan.block_k;
  const int k = interval > 0 ? std::min(interval, problem.k) : problem.k;
  // Three products of parts, each cut off at a float's last bits; and the one that is left out.
  if (plan.split.present()) return 0x1p-24 * (0.7 + 0.121 * k);
  return cut_off_error(problem.type_a, k);
}

}  // namespace tilescope::model
