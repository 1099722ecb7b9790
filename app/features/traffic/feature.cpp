#include "app/state/feature.h"
#include "app/features/traffic/launch_counter.h"
#include "app/features/traffic/roofline_picture.h"

namespace tilescope {
namespace traffic_row {
namespace {

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) {
  return list_of<LaunchCounter>(link);
}

constexpr Picture kPictures[] = {
    {.name = "roofline",
     .is_panel = false,
     .needs = {.measured = true},
     .build = [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m,
                 viz::Size size) { return viz::build_roofline(roofline_picture(s), p, m, size); }}};

}  // namespace
}  // namespace traffic_row

extern const Feature traffic_feature{.askers = traffic_row::askers,
                                     .pictures = traffic_row::kPictures};

}  // namespace tilescope
