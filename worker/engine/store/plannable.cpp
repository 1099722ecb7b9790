#include "worker/engine/store/plannable.h"

#include <algorithm>

#include "core/model/format.h"
#include "core/model/sentences.h"
#include "worker/messages/bounds.h"

namespace tilescope::worker {
namespace {

/// Rules that are asked of a plan, once there is one: what it takes of a card.
bool asks_a_plan(Rule rule) {
  switch (rule) {
    case Rule::none:
    case Rule::threads_too_many:
    case Rule::threads_too_few:
    case Rule::shared_too_large:
    case Rule::registers_too_many:
    case Rule::product_registers:
    case Rule::ctas_by_threads:
    case Rule::ctas_by_shared:
    case Rule::grid_too_large:
    case Rule::cluster_too_large:
    case Rule::part_too_low:
      return true;
    case Rule::extent_range:
    case Rule::types:
    case Rule::order:
    case Rule::leading_dimension:
    case Rule::device_too_old:
    case Rule::device_too_new:
    case Rule::value_not_offered:
    case Rule::not_divisible:
    case Rule::warp_too_small:
    case Rule::cluster_cuts_k:
      return false;
  }
  return false;
}

}  // namespace

std::string why_no_plan(const KernelRequest& request, const KernelEntry& kernel) {
  if (request.sms < 1 || request.sms > kMostSms) {
    return "sms is " + model::grouped(request.sms) + "; choose 1 to " + model::grouped(kMostSms);
  }
  DeviceLimits card;
  card.sm = kernel.info.only_sm != 0 ? kernel.info.only_sm : std::max(card.sm, kernel.info.min_sm);
  card.sm_count = request.sms;
  TileConfig tile = request.tile;
  Violation violation = kernel.validate(tile, request.problem, card);
  if (violation.rule == Rule::cluster_cuts_k) {
    // Results of clusters are older than their way to cut k, and have no number of splits: 0 is
    // Stream-K, of which there is a plan. The rules behind this one are asked without it.
    tile.splits = 1;
    violation = kernel.validate(tile, request.problem, card);
  }
  if (asks_a_plan(violation.rule)) return {};
  const KernelPlan any = kernel.plan(kernel.sliders.defaults(), default_problem(kernel.info));
  return model::sentence(violation, tile, request.problem, any, card);
}

}  // namespace tilescope::worker
