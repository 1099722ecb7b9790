#include "app/features/occupancy/occupancy_curves.h"

#include <fmt/format.h>

#include "app/state/edit.h"
#include "app/state/residency.h"
#include "app/state/rule_kind.h"
#include "core/language/language.h"
#include "core/layout/rules.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "core/model/occupancy.h"
#include "core/model/sentences.h"

namespace tilescope {
namespace {

/// Of a tile that can be launched.
struct Filled {
  model::Occupancy occupancy;
  int registers = 0, warps = 0;
  bool estimated = true;
};

Filled filled(const AppState& state, const TileConfig& tile) {
  const KernelPlan plan =
      state.derived.kernel->plan(tile, state.edit.problem, state.limits.sm_count);
  const Launch launch = launch_of(plan);
  Filled f;
  f.warps = plan.cta_warps();
  const worker::CompileResult* told = tile == state.edit.rung().tile ? compiled(state) : nullptr;
  f.estimated = !told;
  f.registers = told ? told->registers : launched_registers(plan);
  f.occupancy = model::occupancy(launch, state.limits, f.registers);
  return f;
}

std::string words_of(const AppState& state, const Filled& f) {
  const model::Occupancy& o = f.occupancy;
  std::string text = wording(
      "{} {} per SM, {} {} each: {} % of its {} warps\nlimited by {}: {} by threads, {} by "
      "shared "
      "memory, {} by CTA slots",
      o.ctas_per_sm, o.ctas_per_sm == 1 ? "CTA" : "CTAs", f.warps, f.warps == 1 ? "warp" : "warps",
      model::four_digits(100 * o.warps_share), state.limits.threads_per_sm / 32, name_of(o.limiter),
      o.by_threads, o.by_shared, o.by_slots);
  if (o.by_registers) {
    text += wording(", {} by registers ({}{} per thread)", *o.by_registers, f.estimated ? "~" : "",
                    f.registers);
  }
  return text;
}

}  // namespace

std::vector<OccupancyCurve> occupancy_curves(const AppState& state) {
  std::vector<OccupancyCurve> curves;
  const Derived& d = state.derived;
  if (!d.kernel) return curves;
  for (int i = 0; i < d.kernel->sliders.count; ++i) {
    const Slider& slider = d.kernel->sliders.slider[i];
    OccupancyCurve curve;
    curve.field = slider.field;
    curve.picture.title = model::label_of(slider.field);
    curve.picture.unit = "% of warps";
    curve.picture.from_zero = true;
    for (int v = 0; v < slider.count; ++v) {
      TileConfig tile = state.edit.rung().tile;
      set(tile, slider.field, slider.values[v]);
      viz::CurvePoint point;
      point.label = model::value_name(slider.field, slider.values[v]);
      point.present = tile == state.edit.rung().tile;
      const Violation violation = d.kernel->validate(tile, state.edit.problem, state.limits);
      std::string words;
      if (violation.legal()) {
        const Filled f = filled(state, tile);
        point.value = 100 * f.occupancy.warps_share;
        point.standing = f.estimated ? viz::Standing::modelled : viz::Standing::measured;
        words = words_of(state, f);
      } else {
        point.letter = rule_kind(violation.rule).letter;
        const bool own = violation.rule != Rule::extent_range && has_plan(*d.kernel, tile);
        const KernelPlan plan =
            own ? d.kernel->plan(tile, state.edit.problem, state.limits.sm_count) : d.plan;
        words = model::sentence(violation, tile, state.edit.problem, plan, state.limits);
      }
      curve.values.push_back(slider.values[v]);
      curve.picture.points.push_back(point);
      curve.words.push_back(
          wording("{} {}: {}", model::label_of(slider.field), point.label, words));
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace tilescope
