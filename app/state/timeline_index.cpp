#include "app/state/timeline_index.h"

#include <algorithm>
#include <map>

namespace tilescope {
namespace {

using worker::TraceEvent;

/// Recorded instruction indices of one epoch, as disjoint ranges over all warps.
class Ranges {
 public:
  void add(int begin, int end) { spans_.push_back({begin, end}); }
  void merge() {
    std::sort(spans_.begin(), spans_.end());
    std::vector<std::pair<int, int>> merged;
    for (const auto& span : spans_) {
      if (!merged.empty() && span.first <= merged.back().second) {
        merged.back().second = std::max(merged.back().second, span.second);
      } else {
        merged.push_back(span);
      }
    }
    spans_ = std::move(merged);
  }
  int size() const {
    int n = 0;
    for (const auto& [begin, end] : spans_) n += end - begin;
    return n;
  }
  /// How many recorded indices lie before one.
  int rank(int index) const {
    int n = 0;
    for (const auto& [begin, end] : spans_) {
      if (index < begin) break;
      n += std::min(index, end) - begin;
    }
    return n;
  }

 private:
  std::vector<std::pair<int, int>> spans_;
};

}  // namespace

TimelineIndex make_timeline_index(const worker::TraceResult& trace) {
  TimelineIndex index;
  index.warps.resize(static_cast<size_t>(std::max(0, trace.warps)));
  std::map<uint32_t, Ranges> epochs;
  for (const TraceEvent& e : trace.events) {
    epochs[e.epoch].add(static_cast<int>(e.index), static_cast<int>(e.index + e.count));
  }
  std::map<uint32_t, int> begin;
  for (auto& [epoch, ranges] : epochs) {
    ranges.merge();
    begin[epoch] = index.columns;
    index.epoch_begin.push_back(index.columns);
    index.columns += ranges.size();
  }
  std::map<int, std::pair<int, int>> slices;  // k step → columns of its mma or fma
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& e = trace.events[i];
    if (e.warp >= index.warps.size()) continue;
    const int column = begin[e.epoch] + epochs[e.epoch].rank(static_cast<int>(e.index));
    index.warps[e.warp].push_back({static_cast<int>(i), column, static_cast<int>(e.count)});
    const bool math = e.kind == TraceEvent::Kind::mma || e.kind == TraceEvent::Kind::fma;
    if (math && e.k_step >= 0) {
      auto [at, fresh] = slices.try_emplace(e.k_step, column, column + static_cast<int>(e.count));
      if (!fresh) {
        at->second.first = std::min(at->second.first, column);
        at->second.second = std::max(at->second.second, column + static_cast<int>(e.count));
      }
    }
  }
  for (auto& warp : index.warps) {
    std::stable_sort(warp.begin(), warp.end(), [](const auto& a, const auto& b) {
      return a.column < b.column;
    });
  }
  for (const auto& [k_step, span] : slices) {
    index.slices.push_back({k_step, span.first, span.second});
  }
  return index;
}

const TimelineIndex::Placed* TimelineIndex::placed_at(int warp, int column) const {
  if (warp < 0 || warp >= static_cast<int>(warps.size())) return nullptr;
  const auto& row = warps[static_cast<size_t>(warp)];
  auto after = std::upper_bound(row.begin(), row.end(), column,
                                [](int c, const Placed& p) { return c < p.column; });
  return after == row.begin() ? nullptr : &*std::prev(after);
}

int TimelineIndex::event_at(int warp, int column) const {
  const Placed* placed = placed_at(warp, column);
  return placed ? placed->event : -1;
}

int TimelineIndex::k_step_at(int column) const {
  for (const Slice& slice : slices) {
    if (column >= slice.begin && column < slice.end) return slice.k_step;
  }
  return -1;
}

}  // namespace tilescope
