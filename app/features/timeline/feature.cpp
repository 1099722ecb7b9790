#include "app/state/feature.h"
#include "app/features/timeline/timeline_picture.h"
#include "app/state/brush.h"

namespace tilescope {
namespace timeline_row {
namespace {

constexpr Picture kPictures[] = {
    {.name = "timeline",
     .build =
         [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
           viz::TimelineState t = timeline_picture(s, moment_of(s));
           t.legend = true;  // a file has no panel header to carry it
           t.brushed = columns_of_brush(s);
           return viz::build_timeline(t, p, m, size);
         },
     .without_plan = true,
     .state =
         [](const AppState& s) {
           return picture_state(timeline_picture(s, moment_of(s)), &viz::build_timeline);
         }}};

}  // namespace
}  // namespace timeline_row

extern const Feature timeline_feature{.pictures = timeline_row::kPictures};

}  // namespace tilescope
