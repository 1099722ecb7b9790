#include "worker/engine/compile/legal.h"

#include <charconv>

#include "core/model/device_table.h"
#include "core/model/sentences.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

/// True for the rules that are checked before the tile is known to be one the kernel can plan for.
bool precedes_plan(Rule rule) {
  return rule == Rule::extent_range || rule == Rule::types || rule == Rule::order ||
         rule == Rule::device_too_old || rule == Rule::device_too_new ||
         rule == Rule::value_not_offered;
}

}  // namespace

const KernelEntry& require_legal(const KernelRequest& request, const DeviceLimits& device) {
  const KernelEntry& kernel = kernel_of(request);
  DeviceLimits limits = device;
  limits.sm_count = request.sms;
  const Violation violation = kernel.validate(request.tile, request.problem, limits);
  if (violation.legal()) return kernel;
  const KernelPlan plan = precedes_plan(violation.rule)
                              ? kernel.plan(kernel.sliders.defaults(), default_problem(kernel.info))
                              : plan_of(request, kernel);
  fail(kUsage, model::sentence(violation, request.tile, request.problem, plan, limits) + ".",
       {{"rule", static_cast<int>(violation.rule)},
        {"field", violation.field == TileFieldId::none
                      ? ""
                      : kTileFields[static_cast<int>(violation.field)].name}});
}

DeviceLimits limits_for_arch(const std::string& arch) {
  int sm = 0;
  const size_t underscore = arch.find('_');
  if (underscore != arch.npos) {
    std::from_chars(arch.data() + underscore + 1, arch.data() + arch.size(), sm);
  }
  for (const model::DeviceRow& row : model::device_table()) {
    if (row.limits.sm == sm) return row.limits;
  }
  DeviceLimits limits;
  if (sm > 0) limits.sm = sm;
  return limits;
}

}  // namespace tilescope::worker
