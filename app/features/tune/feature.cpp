#include "app/state/feature.h"
#include "app/features/tune/sweeper.h"
#include "app/features/tune/tune.h"
#include "app/features/tune/tune_pictures.h"
#include "app/state/view_session.h"

namespace tilescope {
namespace tune_row {
namespace {

struct Options {
  static void each(auto& view, auto visit) {
    visit("landscape_across", view.across);
    visit("landscape_down", view.down);
    visit("landscape_also", view.also);
    visit("slider_curve", view.slider_curve);
  }
};

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) { return list_of<Sweeper>(link); }

constexpr Picture kPictures[] = {
    {.name = "ladder",
     .needs = {.measured = true},
     .build =
         [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
           return viz::build_ladder(ladder_picture(s, ladder_parts(s)), p, m, size);
         }},
    {.name = "landscape",
     .needs = {.measured = true},
     .build = [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m,
                 viz::Size size) {
       return viz::build_landscape(landscape_picture(s, landscape(s)), p, m, size);
     }}};

}  // namespace
}  // namespace tune_row

extern const Feature tune_feature{.askers = tune_row::askers,
                                  .session = session_of_options<TuneView, tune_row::Options>(),
                                  .pictures = tune_row::kPictures};

}  // namespace tilescope
