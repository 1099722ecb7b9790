#include "app/state/timeline.h"

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

std::optional<Timeline::StageEvent> stage_event(const TraceEvent& e) {
  using Kind = Timeline::StageEvent::Kind;
  Timeline::StageEvent s;
  const bool fills =
      e.kind == TraceEvent::Kind::copy || (e.kind == TraceEvent::Kind::store && e.shared);
  if (fills) {
    s.kind = Kind::fill;
  } else if (e.kind == TraceEvent::Kind::load && e.shared) {
    s.kind = Kind::read;
  } else if (e.kind == TraceEvent::Kind::wait) {
    s.kind = Kind::wait;
  } else {
    return std::nullopt;
  }
  if (s.kind != Kind::wait && e.stage < 0) return std::nullopt;
  if (s.kind == Kind::read && e.k_step < 0) return std::nullopt;
  s.warp = e.warp, s.k_step = e.k_step, s.stage = e.stage;
  s.count = static_cast<int>(e.count);
  s.group = e.group, s.groups_done = e.groups_done;
  return s;
}

}  // namespace

viz::EventKind picture_kind(TraceEvent::Kind kind) {
  switch (kind) {
    case TraceEvent::Kind::copy:
      return viz::EventKind::copy;
    case TraceEvent::Kind::wait:
      return viz::EventKind::wait;
    case TraceEvent::Kind::barrier:
      return viz::EventKind::barrier;
    case TraceEvent::Kind::load:
      return viz::EventKind::load;
    case TraceEvent::Kind::mma:
      return viz::EventKind::mma;
    case TraceEvent::Kind::fma:
      return viz::EventKind::fma;
    case TraceEvent::Kind::store:
      break;
  }
  return viz::EventKind::store;
}

Timeline::Timeline(const worker::TraceResult& trace) : k_end_(trace.k_end) {
  std::map<uint32_t, Ranges> epochs;
  for (const TraceEvent& e : trace.events) {
    epochs[e.epoch].add(static_cast<int>(e.index), static_cast<int>(e.index + e.count));
  }
  for (auto& [epoch, ranges] : epochs) ranges.merge();
  events_.reserve(trace.events.size());
  for (const TraceEvent& e : trace.events) {
    events_.push_back({.epoch = static_cast<int>(e.epoch),
                       .index = epochs[e.epoch].rank(static_cast<int>(e.index)),
                       .warp = e.warp,
                       .kind = picture_kind(e.kind),
                       .count = static_cast<int>(e.count),
                       .k_slice = e.k_step,
                       .stage = e.stage,
                       .line = e.line,
                       .shared = e.shared});
  }
  index_ = viz::TimelineIndex(events_, trace.warps);
  std::map<int, std::pair<int, int>> slices;  // k step → columns of its mma or fma
  for (size_t i = 0; i < events_.size(); ++i) {
    const viz::TimelineEvent& e = events_[i];
    if ((e.kind != viz::EventKind::mma && e.kind != viz::EventKind::fma) || e.k_slice < 0) continue;
    const int begin = static_cast<int>(index_.position(i)), end = begin + e.count;
    auto [at, fresh] = slices.try_emplace(e.k_slice, begin, end);
    if (!fresh) {
      at->second = {std::min(at->second.first, begin), std::max(at->second.second, end)};
    }
  }
  for (const auto& [k_step, span] : slices) slices_.push_back({k_step, span.first, span.second});
  place_stage_events(trace);
}

void Timeline::place_stage_events(const worker::TraceResult& trace) {
  for (const TraceEvent& e : trace.lead) {
    const auto& epochs = index_.epochs();
    const auto next =
        std::find_if(epochs.begin(), epochs.end(), [&](const viz::TimelineIndex::Epoch& epoch) {
          return epoch.id >= static_cast<int>(e.epoch);
        });
    auto s = stage_event(e);
    if (!s || next == epochs.end()) continue;
    s->recorded = false;
    s->column = static_cast<int>(next->start);
    stage_events_.push_back(*s);
  }
  for (size_t i = 0; i < trace.events.size(); ++i) {
    auto s = stage_event(trace.events[i]);
    if (!s) continue;
    s->column = static_cast<int>(index_.position(i));
    s->columns = events_[i].count;
    stage_events_.push_back(*s);
  }
  std::stable_sort(stage_events_.begin(), stage_events_.end(),
                   [](const StageEvent& a, const StageEvent& b) { return a.column < b.column; });
}

Timeline::Placed Timeline::placed(int event) const {
  const auto at = static_cast<size_t>(event);
  return {event, static_cast<int>(index_.position(at)), events_[at].count};
}

std::optional<Timeline::Placed> Timeline::placed_at(int warp, int column) const {
  const int event = index_.event_at(warp, column);
  if (event < 0) return std::nullopt;
  return placed(event);
}

int Timeline::k_step_at(int column) const {
  for (const Slice& slice : slices_) {
    if (column >= slice.begin && column < slice.end) return slice.k_step;
  }
  return -1;
}

int Timeline::outside_gaps(int column, int by) const {
  if (index_.empty()) return 0;
  column = std::clamp(column, 0, std::max(0, columns() - 1));
  const auto& epochs = index_.epochs();
  const size_t i = index_.epoch_at(column);
  const int end = static_cast<int>(epochs[i].start + epochs[i].width);
  if (column < end) return column;
  return by >= 0 && i + 1 < epochs.size() ? static_cast<int>(epochs[i + 1].start) : end - 1;
}

}  // namespace tilescope
