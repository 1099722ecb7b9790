#include "app/features/access/access_brush.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "app/features/access/access_view.h"

namespace tilescope {
namespace {

using AccessSteps = std::vector<AccessStep>;

/// The first at or behind a step; the one behind the last, if need be.
AccessSteps::const_iterator at_step(const AccessSteps& steps, uint64_t step) {
  return std::lower_bound(steps.begin(), steps.end() - 1, step,
                          [](const AccessStep& s, uint64_t wanted) { return s.step < wanted; });
}

/// Steps that several CTAs have come to are put together.
void merge_steps(AccessSteps& steps) {
  const auto earlier = [](const AccessStep& a, const AccessStep& b) { return a.step < b.step; };
  if (!std::ranges::is_sorted(steps, earlier)) std::ranges::stable_sort(steps, earlier);
  size_t kept = 0;
  for (const AccessStep& s : steps) {
    if (kept > 0 && steps[kept - 1].step == s.step) {
      AccessStep& to = steps[kept - 1];
      to.first = std::min(to.first, s.first), to.last = std::max(to.last, s.last);
      to.before += s.before;
    } else {
      steps[kept++] = s;
    }
  }
  steps.resize(kept);
}

}  // namespace

std::vector<AccessSteps> access_steps(const worker::AccessAnswer& answer) {
  std::vector<AccessSteps> all;
  for (const worker::AccessRecord& r : answer.records) {
    if (all.size() <= r.warp) all.resize(r.warp + size_t{1});
    AccessSteps& steps = all[r.warp];
    if (!steps.empty() && steps.back().step == r.step) {
      AccessStep& to = steps.back();
      to.first = std::min(to.first, r.moment), to.last = std::max(to.last, r.moment);
      ++to.before;
    } else {
      steps.push_back({r.step, r.moment, r.moment, 1});
    }
  }
  for (AccessSteps& steps : all) {
    merge_steps(steps);
    uint32_t before = 0;  // until here each has its own number there
    for (AccessStep& s : steps) before += std::exchange(s.before, before);
    steps.push_back({std::numeric_limits<uint32_t>::max(), answer.moments, answer.moments, before});
  }
  return all;
}

AccessFilter access_filter(const AppState& state, const AccessData& data) {
  const AccessView& view = state.of<AccessView>();
  AccessFilter f{.reads = view.reads, .writes = view.writes, .span = brushed(state)};
  if (!f.span) return f;
  uint32_t from = ~0u, to = 0, next = data.answer.moments;
  for (size_t warp = 0; warp < std::min(data.steps.size(), f.span->warps.size()); ++warp) {
    const RunSpan::Steps& span = f.span->warps[warp];
    if (span.empty()) continue;
    const auto begin = at_step(data.steps[warp], span.from),
               end = at_step(data.steps[warp], span.to);
    next = std::min(next, begin->first);
    if (begin == end) continue;
    // Of one CTA moments ascend with the steps of a warp.
    from = std::min(from, begin->first), to = std::max(to, std::prev(end)->last + 1);
    if (!data.answer.whole_grid) continue;
    for (auto s = begin; s != end; ++s)
      from = std::min(from, s->first), to = std::max(to, s->last + 1);
  }
  // Nothing is touched there: no moments, where they would be.
  f.from = from < to ? from : next, f.to = from < to ? to : next;
  return f;
}

RunSpan span_of_moments(const AccessData& data, uint32_t from, uint32_t to) {
  RunSpan span;
  const auto& records = data.answer.records;
  if (records.empty()) return span;
  const auto first = std::ranges::lower_bound(records, from, {}, &worker::AccessRecord::moment);
  const uint32_t nearest = first == records.end() ? records.back().moment : first->moment;
  from = std::min(from, nearest), to = std::max(to, nearest + 1);
  for (size_t warp = 0; warp < data.steps.size(); ++warp) {
    const AccessSteps& steps = data.steps[warp];
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      if (steps[i].last >= from && steps[i].first < to) span.add(warp, steps[i].step);
    }
  }
  return span;
}

uint64_t accesses_of(const AccessData& data, const AccessFilter& filter) {
  if (!filter.span) return data.answer.records.size();
  uint64_t count = 0;
  for (size_t warp = 0; warp < std::min(data.steps.size(), filter.span->warps.size()); ++warp) {
    const RunSpan::Steps& span = filter.span->warps[warp];
    if (span.empty()) continue;
    count +=
        at_step(data.steps[warp], span.to)->before - at_step(data.steps[warp], span.from)->before;
  }
  return count;
}

}  // namespace tilescope
