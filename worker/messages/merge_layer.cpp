// What several ranks tell of a layer's run, as one.
#include <algorithm>
#include <cmath>
#include <map>

#include "worker/messages/messages_layer.h"

namespace tilescope::worker {
namespace {

using workload::Step;
using workload::Workload;

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// A sample as all ranks saw it. A transfer is one bar: from when the last rank was there until the
/// last one had it.
std::vector<LayerBar> together(const Workload& w, const std::vector<RankRun>& ranks,
                               std::vector<std::vector<LayerBar>> RankRun::*kind, size_t sample) {
  std::vector<LayerBar> bars;
  std::map<std::pair<int, int>, LayerBar> transfers;
  for (const RankRun& rank : ranks) {
    for (const LayerBar& bar : (rank.*kind)[sample]) {
      if (!is_collective(w.steps[static_cast<size_t>(bar.step)])) {
        bars.push_back(bar);
        continue;
      }
      LayerBar& all = transfers.try_emplace({bar.step, bar.chunk}, bar).first->second;
      all.rank = -1;
      all.begin_us = std::max(all.begin_us, bar.begin_us);
      all.end_us = std::max(all.end_us, bar.end_us);
    }
  }
  for (const auto& [place, bar] : transfers) bars.push_back(bar);
  return bars;
}

size_t samples_of(const std::vector<RankRun>& ranks,
                  std::vector<std::vector<LayerBar>> RankRun::*kind) {
  size_t fewest = (ranks[0].*kind).size();
  for (const RankRun& rank : ranks) fewest = std::min(fewest, (rank.*kind).size());
  return fewest;
}

/// Of one sample: what the slowest rank took for each step.
std::vector<double> step_times(const Workload& w, const std::vector<LayerBar>& bars) {
  std::vector<std::map<int, double>> by_rank(w.steps.size());
  for (const LayerBar& bar : bars) {
    by_rank[static_cast<size_t>(bar.step)][bar.rank] += bar.end_us - bar.begin_us;
  }
  std::vector<double> slowest(w.steps.size());
  for (size_t i = 0; i < slowest.size(); ++i) {
    for (const auto& [rank, us] : by_rank[i]) slowest[i] = std::max(slowest[i], us);
  }
  return slowest;
}

void merge_checks(const std::vector<RankRun>& ranks, LayerResult& result) {
  result.checks = ranks[0].checks;
  for (size_t i = 0; i < result.checks.size(); ++i) {
    Verification& all = result.checks[i].verified;
    for (size_t r = 1; r < ranks.size() && i < ranks[r].checks.size(); ++r) {
      const Verification& one = ranks[r].checks[i].verified;
      const uint64_t elements = all.elements + one.elements;
      // The worst rank stands for all. What is no number is worse than anything.
      const bool worse = one.ok ? one.norm > all.norm : all.none.count() == 0;
      if (worse && (all.ok || !one.ok)) all = one;
      all.elements = elements;
    }
  }
}

/// Of the run with events that is in the middle of those.
void set_bars(const Workload& w, const std::vector<RankRun>& ranks, LayerResult& result) {
  std::vector<std::pair<double, size_t>> ends;
  for (size_t sample = 0; sample < samples_of(ranks, &RankRun::samples); ++sample) {
    double end = 0;
    for (const LayerBar& bar : together(w, ranks, &RankRun::samples, sample)) {
      end = std::max(end, bar.end_us);
    }
    ends.emplace_back(end, sample);
  }
  if (ends.empty()) return;
  std::ranges::sort(ends);
  result.bars = together(w, ranks, &RankRun::samples, ends[ends.size() / 2].second);
}

}  // namespace

LayerResult merge(const Workload& w, const std::vector<RankRun>& ranks) {
  LayerResult result;
  if (ranks.empty()) return result;
  for (const RankRun& rank : ranks) {
    const size_t same =
        static_cast<size_t>(std::ranges::count(ranks, rank.device, &RankRun::device));
    const std::string name = same > 1 ? std::to_string(same) + " × " + rank.device : rank.device;
    if (result.device.find(rank.device) == std::string::npos) {
      result.device += (result.device.empty() ? "" : ", ") + name;
    }
  }
  result.collective = ranks[0].collective;
  merge_checks(ranks, result);
  std::vector<std::vector<double>> by_step(w.steps.size());
  for (size_t sample = 0; sample < samples_of(ranks, &RankRun::serial); ++sample) {
    const auto times = step_times(w, together(w, ranks, &RankRun::serial, sample));
    for (size_t i = 0; i < times.size(); ++i) by_step[i].push_back(times[i]);
  }
  for (size_t i = 0; i < by_step.size() && !by_step[i].empty(); ++i) {
    // A card that stands for all ranks has no link between them.
    if (is_collective(w.steps[i]) && !ranks[0].together) {
      result.steps.push_back({});
      continue;
    }
    double alone = 0;
    for (const RankRun& rank : ranks) {
      if (i < rank.alone_us.size()) alone = std::max(alone, rank.alone_us[i]);
    }
    result.steps.push_back({median_of(by_step[i]), alone});
  }
  if (!ranks[0].together) return result;
  std::vector<double> totals, forwards;
  size_t fewest = ranks[0].totals_us.size();
  for (const RankRun& rank : ranks) fewest = std::min(fewest, rank.totals_us.size());
  for (size_t sample = 0; sample < fewest; ++sample) {
    double forward = 0, total = 0;
    for (const RankRun& rank : ranks) {
      forward = std::max(forward, rank.totals_us[sample].first);
      total = std::max(total, rank.totals_us[sample].second);
    }
    totals.push_back(total), forwards.push_back(forward);
  }
  if (totals.empty()) return result;
  result.samples = static_cast<int>(totals.size());
  result.total_us = median_of(totals), result.forward_us = median_of(forwards);
  set_bars(w, ranks, result);
  std::vector<double> sorted = totals;
  std::ranges::sort(sorted);
  result.spread = (sorted[sorted.size() * 3 / 4] - sorted[sorted.size() / 4]) / result.total_us;
  return result;
}

}  // namespace tilescope::worker
