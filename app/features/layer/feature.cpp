#include "app/state/feature.h"
#include <utility>
#include "app/features/layer/layer_answers.h"
#include "app/features/layer/layer_figures.h"
#include "app/features/layer/layer_pictures.h"
#include "app/features/layer/layer_planner.h"
#include "app/features/layer/layer_runner.h"
#include "app/features/layer/layer_session.h"
#include "core/language/language.h"
#include "viz/scene/builder.h"

namespace tilescope {
namespace layer_row {
namespace {

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) {
  auto list = list_of<LayerRunner>(link);
  list.push_back(std::make_unique<LayerPlanner>());
  return list;
}

void begin_frame(AppState& state) {
  LayerView& view = state.of<LayerView>();
  view.hover_before = std::exchange(view.hover, -1);
  view.looked_at = view.wanted;
}

/// Of the split, while a panel of the layer is in view.
std::string impossible(const AppState& state) {
  const std::string why =
      state.of<LayerView>().looked_at ? why_not(chosen_layer(state)) : std::string();
  return why.empty() ? why : wording("impossible layer: {}", why);
}

bool ask(AppState& state) {
  state.of<LayerView>().wanted = true;
  return layer_modelled(state);
}

constexpr Picture kPictures[] = {
    {.name = "layer",
     .needs = {.ask = ask},
     .build =
         [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
           if (!shown_layer(s)) return viz::build_sentence(why_no_times(s), p, m, size);
           viz::LayerState layer = layer_picture(s);
           layer.legend = true;  // a file has no panel header to carry it
           return viz::build_layer(layer, p, m, size);
         },
     .without_plan = true},
    {.name = "layer_timeline",
     .needs = {.ask = ask},
     .build =
         [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
           const std::string why = why_no_times(s);
           if (!why.empty()) return viz::build_sentence(why, p, m, size);
           viz::LayerTimelineState t = layer_timeline_picture(s);
           t.legend = true;
           return viz::build_layer_timeline(t, p, m, size);
         },
     .without_plan = true},
    {.name = "scaling",
     .needs = {.ask = ask},
     .build =
         [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
           const viz::ScalingState scaling = scaling_picture(s);
           if (scaling.points.empty()) return viz::build_sentence(why_no_times(s), p, m, size);
           return viz::build_scaling(scaling, p, m, size);
         },
     .without_plan = true}};

}  // namespace
}  // namespace layer_row

extern const Feature layer_feature{.askers = layer_row::askers,
                                   .begin_frame = layer_row::begin_frame,
                                   .session = kLayerSession,
                                   .impossible = layer_row::impossible,
                                   .pictures = layer_row::kPictures,
                                   .figures = layer_figures(),
                                   .answers = layer_answers};

}  // namespace tilescope
