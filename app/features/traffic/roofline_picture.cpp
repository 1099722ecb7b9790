#include "app/features/traffic/roofline_picture.h"

#include "app/state/expectation.h"
#include "app/state/history.h"
#include "app/state/scene_words.h"
#include "core/language/language.h"
#include "core/model/device_table.h"
#include "core/model/roofs.h"

namespace tilescope {
namespace {

/// The last steps of the history on this problem, but for where the sliders stand.
std::vector<viz::RooflineStep> roofline_way(const AppState& state) {
  constexpr size_t kMost = 6;
  std::vector<viz::RooflineStep> way;
  for (const HistoryPoint* point : shown_history(state)) {
    if (!point->tflops || point->l2_intensity <= 0 || same_request(point->edit, state.edit))
      continue;
    way.push_back({point->l2_intensity, *point->tflops * 1e12, scene_standing(point->standing)});
  }
  if (way.size() > kMost) way.erase(way.begin(), way.end() - kMost);
  return way;
}

}  // namespace

viz::RooflineState roofline_picture(const AppState& state) {
  using Kind = viz::RooflineLevel::Kind;
  viz::RooflineState r;
  const Derived& d = state.derived;
  const model::DeviceRow& gpu = state.gpu;
  const auto count = state.view.count_elements ? model::Count::elements : model::Count::bytes;
  r.unit = state.view.count_elements ? "element" : "B";
  const model::Peak peak = model::arithmetic_peak(d.plan, gpu);
  r.peak_flops = peak.flops, r.peak_name = peak.name;
  r.measured_peak = peak.measured, r.measured_peak_name = peak.measured_name;
  const model::Traffic traffic = expected_traffic(state);
  static constexpr Kind kKinds[] = {Kind::shared, Kind::l1, Kind::l2, Kind::dram};
  size_t i = 0;
  for (const model::Roof& roof : model::memory_roofs(gpu)) {
    const model::MemoryLevel& level = traffic.*roof.level;
    const double moved = level.all(count), bytes = level.all(model::Count::bytes);
    const Kind kind = kKinds[i++];
    if (bytes <= 0) continue;  // this kernel passes it by
    r.levels.push_back({kind, roof.name, roof.bytes_per_second * (moved / bytes),
                        roof.measured * (moved / bytes), flops(state.edit.problem) / moved});
  }
  const HistoryPoint point = point_of(state);
  if (point.tflops && point.standing == Standing::measured) {
    r.achieved = *point.tflops * 1e12, r.achieved_name = "measured";
  } else if (point.tflops && point.standing == Standing::recorded) {
    r.achieved = *point.tflops * 1e12, r.achieved_name = wording("recorded {}", point.date);
  }
  if (d.prediction.tflops > 0) r.modelled = d.prediction.tflops * 1e12;
  if (count == model::Count::bytes) r.way = roofline_way(state);
  return r;
}

}  // namespace tilescope
