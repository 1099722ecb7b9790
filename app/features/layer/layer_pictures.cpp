#include "app/features/layer/layer_pictures.h"

#include <set>

#include "app/features/layer/layer_times.h"
#include "app/features/layer/layer_view.h"
#include "app/state/device.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

viz::LayerAccount account_of(LayerTimes times) {
  return {std::move(times.bars), times.forward_us, times.total_us};
}

/// Why what is shown is of another layer than the chosen one.
std::string before_words(const AppState& state) {
  return why_not(chosen_layer(state)).empty() ? "of the layer before; modelling the chosen one …"
                                              : "of the layer before: the chosen one cannot be";
}

viz::ScalingTimes times_of(double forward_us, double total_us) {
  if (total_us <= 0) return {};
  return {forward_us, total_us - forward_us};
}

std::string split_note(const workload::Layer& l) {
  if (!l.overlap) return "Sums over ranks run by themselves.";
  return l.chunks == 1 ? "Sums over ranks run beside products, each in one piece."
                       : wording("Sums over ranks in {} chunks, beside products.", l.chunks);
}

}  // namespace

viz::LayerState layer_picture(const AppState& state) {
  const workload::Layer& layer = *shown_layer(state);
  viz::LayerState picture;
  picture.layer = layer;
  if (!(layer == chosen_layer(state))) picture.stale = before_words(state);
  picture.chosen = chosen_step(state);
  picture.hovered = state.of<LayerView>().hover_before;
  return picture;
}

std::string why_no_times(const AppState& state) {
  const LayerModel* model = state.of<LayerView>().model.get();
  if (!model) {
    const std::string why = why_not(chosen_layer(state));
    return why.empty() ? "The model is being asked …" : why + ".";
  }
  if (!model->plan.complete() && layer_model(state)) return why_no_run(state);
  return model->plan.complete() ? "" : "The model is being asked …";
}

viz::LayerTimelineState layer_timeline_picture(const AppState& state) {
  viz::LayerTimelineState picture;
  picture.chosen = chosen_step(state);
  picture.hovered = state.of<LayerView>().hover_before;
  if (layer_model(state)) {
    picture.layer = chosen_layer(state);
    picture.modelled = account_of(modelled_times(state));
    picture.measured = account_of(measured_times(state));
    if (const LayerMeasured* run = layer_measured(state)) picture.day = day_words(*run);
    return picture;
  }
  const LayerModel& before = *state.of<LayerView>().model;
  picture.layer = before.of.layer;
  const workload::Schedule& s = before.plan.schedule;
  picture.modelled = {s.bars, s.forward_us, s.total_us};
  picture.stale = before_words(state);
  return picture;
}

viz::ScalingState scaling_picture(const AppState& state) {
  viz::ScalingState picture;
  const LayerModel* model = layer_model(state);
  const LayerModel* shown = model ? model : state.of<LayerView>().model.get();
  if (!shown) return picture;
  picture.ranks = shown->of.layer.ranks;
  if (!model) picture.stale = before_words(state);
  bool measured = false, first = false;
  std::set<std::string> days;
  std::string day;
  for (const ScalingModel& point : shown->scaling) {
    viz::ScalingPoint to{.ranks = point.ranks,
                         .modelled = times_of(point.forward_us, point.total_us),
                         .measured = {},
                         .why_not = point.why_not};
    const LayerMeasured* run = model ? layer_measured(state, point.ranks) : nullptr;
    if (run && run->result.total_us > 0) {
      to.measured = times_of(run->result.forward_us, run->result.total_us);
      measured = true, first = first || point.ranks == 1;
      picture.device = run->result.device;
      days.insert(run->date);
      day = day_words(*run);
    }
    picture.points.push_back(std::move(to));
  }
  picture.device =
      days.size() > 1 ? wording("{}, of several days", picture.device) : picture.device + day;
  if (measured && !first) {
    picture.notes.push_back("Measure 1 rank, too: a measured speed-up is over its time.");
  }
  if (model && !layer_modelled(state)) picture.notes.push_back("modelling further ranks …");
  picture.notes.push_back(split_note(shown->of.layer));
  return picture;
}

}  // namespace tilescope
