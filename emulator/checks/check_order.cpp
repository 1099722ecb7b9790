#include "emulator/checks/check_order.h"

#include <algorithm>
#include <unordered_set>

#include "emulator/checks/check_plan.h"

namespace tilescope::emulator {
namespace {

constexpr size_t kMostKept = 1u << 22;  // CTAs that know, over all moments

bool releases(const Touch& t, uint32_t fences) {
  return (t.order & CheckPlan::kReleases) || t.at.fences > fences;
}

}  // namespace

void CtaOrder::add(uint32_t cta, const std::vector<Touch>& touches) {
  for (const Touch& t : touches) {
    if (t.time != 0) events_.push_back({t, cta});
  }
  ctas_ = std::max(ctas_, cta + 1);
  sorted_ = false;
}

bool CtaOrder::hands_on(uint32_t a, CtaMoment from, uint32_t b, CtaMoment to, bool looks) {
  const Known& k = spread(a, from)[b];
  return k.acquired.syncs <= to.syncs ||
         (k.seen.syncs <= to.syncs && (looks || to.fences > k.seen.fences));
}

const std::vector<CtaOrder::Known>& CtaOrder::spread(uint32_t cta, CtaMoment from) {
  if (!sorted_) {
    std::stable_sort(events_.begin(), events_.end(),
                     [](const Event& x, const Event& y) { return x.touch.time < y.touch.time; });
    sorted_ = true;
    known_.clear();
  }
  const auto key = std::make_tuple(cta, from.syncs, from.fences);
  if (const auto it = known_.find(key); it != known_.end()) return it->second;
  if ((known_.size() + 1) * ctas_ > kMostKept) known_.clear();
  std::vector<Known>& known = known_[key];
  known.resize(ctas_);
  std::unordered_set<uint64_t> released;  // addresses
  for (const Event& e : events_) {
    const Touch& t = e.touch;
    ++work_;
    if (e.cta == cta) {
      if (t.at.syncs > from.syncs && (t.order & CheckPlan::kWrites) && releases(t, from.fences)) {
        released.insert(t.address);
      }
      continue;
    }
    if (released.empty()) continue;
    Known& k = known[e.cta];
    if ((t.order & CheckPlan::kReads) && released.contains(t.address)) {
      if (k.seen.syncs == ~0u) k.seen = t.at;
      if ((t.order & CheckPlan::kAcquires) && k.acquired.syncs == ~0u) k.acquired = t.at;
    }
    if (!(t.order & CheckPlan::kWrites)) continue;
    if ((k.acquired.syncs != ~0u && releases(t, k.acquired.fences)) ||
        (k.seen.syncs != ~0u && t.at.fences > k.seen.fences)) {
      released.insert(t.address);
    }
  }
  return known;
}

}  // namespace tilescope::emulator
