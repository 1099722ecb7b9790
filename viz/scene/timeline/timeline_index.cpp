#include <algorithm>

#include "viz/scene/timeline/timeline_scene.h"

namespace tilescope::viz {
namespace {

constexpr double kUnrecorded = 14;  // units of the axis where epochs were not recorded

bool multiplies(EventKind kind) { return kind == EventKind::mma || kind == EventKind::fma; }

}  // namespace

TimelineIndex::TimelineIndex(const std::vector<TimelineEvent>& events, int warps)
    : events_(&events), warps_(std::max(0, warps)) {
  const auto count = static_cast<uint32_t>(events.size());
  uint32_t i = 0;
  double at = 0;
  int k_slice = -1;
  while (i < count) {
    Epoch epoch;
    epoch.id = events[i].epoch;
    epoch.after_gap = !epochs_.empty() && epoch.id > epochs_.back().id + 1;
    if (epoch.after_gap) at += kUnrecorded;
    epoch.start = at;
    const uint32_t begin = i;
    while (i < count && events[i].epoch == epoch.id) {
      epoch.width = std::max(epoch.width, static_cast<double>(events[i].index + events[i].count));
      ++i;
    }
    for (int warp = 0; warp <= warps_; ++warp) {
      const auto it = std::lower_bound(events.begin() + begin, events.begin() + i, warp,
                                       [](const TimelineEvent& e, int w) { return e.warp < w; });
      epoch.first.push_back(static_cast<uint32_t>(it - events.begin()));
    }
    // The first warp with events tells where a k slice's work begins.
    const int lead = begin < count ? events[begin].warp : 0;
    for (uint32_t e = begin; e < i && events[e].warp == lead; ++e) {
      if (!multiplies(events[e].kind) || events[e].k_slice < 0 || events[e].k_slice == k_slice) {
        continue;
      }
      k_slice = events[e].k_slice;
      marks_.push_back({at + events[e].index, k_slice});
    }
    at += epoch.width;
    epochs_.push_back(std::move(epoch));
  }
  length_ = at;
}

double TimelineIndex::position(size_t event) const {
  if (empty()) return 0;
  const TimelineEvent& e = (*events_)[std::min(event, events_->size() - 1)];
  const auto it = std::lower_bound(epochs_.begin(), epochs_.end(), e.epoch,
                                   [](const Epoch& epoch, int id) { return epoch.id < id; });
  return (it == epochs_.end() ? 0 : it->start) + e.index;
}

size_t TimelineIndex::epoch_at(double position) const {
  const auto it = std::upper_bound(epochs_.begin(), epochs_.end(), position,
                                   [](double p, const Epoch& epoch) { return p < epoch.start; });
  return it == epochs_.begin() ? 0 : static_cast<size_t>(it - epochs_.begin()) - 1;
}

int TimelineIndex::event_at(int warp, double position) const {
  if (empty() || warp < 0 || warp >= warps_) return -1;
  for (size_t i = epoch_at(position) + 1; i-- > 0;) {
    const Epoch& epoch = epochs_[i];
    const auto begin = events_->begin() + epoch.first[static_cast<size_t>(warp)];
    const auto end = events_->begin() + epoch.first[static_cast<size_t>(warp) + 1];
    const auto it = std::upper_bound(begin, end, position - epoch.start,
                                     [](double p, const TimelineEvent& e) { return p < e.index; });
    if (it != begin) return static_cast<int>(it - events_->begin()) - 1;
  }
  return -1;
}

int TimelineIndex::k_slice_at(double position) const {
  const auto it = std::upper_bound(marks_.begin(), marks_.end(), position,
                                   [](double p, const Mark& mark) { return p < mark.at; });
  return it == marks_.begin() ? -1 : (it - 1)->k_slice;
}

int slices_left_out(const TimelineIndex& index, double at) {
  int before = -1;
  for (const TimelineIndex::Mark& mark : index.marks()) {
    if (mark.at >= at) return mark.k_slice - before - 1;
    before = mark.k_slice;
  }
  return 0;
}

}  // namespace tilescope::viz
