#include "app/state/pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/state/expectation.h"
#include "app/state/history.h"
#include "app/state/layer_pictures.h"
#include "app/state/residency.h"
#include "app/state/tune_pictures.h"
#include "core/layout/atom_plan.h"
#include "core/model/device_table.h"
#include "core/model/format.h"
#include "core/model/roofs.h"

namespace tilescope {
namespace {

/// Which mma tiles of the chosen warp are done in the present k step, by the trace's own order.
std::vector<viz::MmaProgress> progress_of(const AppState& state, const Moment& moment) {
  const KernelPlan& plan = state.derived.plan;
  std::vector<viz::MmaProgress> out;
  if (plan.math() != Math::mma || !moment.raw || moment.mma_m < 0) return out;
  out.assign(static_cast<size_t>(mmas_m(plan) * mmas_n(plan)), viz::MmaProgress::to_do);
  const worker::TraceResult& trace = *state.results.trace;
  const auto mark = [&](const worker::RawAccess& r, viz::MmaProgress p) {
    // An mma whose result lies outside of C alone is in no tile (−1); a tile of another plan's
    // trace may not be in this one.
    if (r.mma_m < 0 || r.mma_n < 0 || r.mma_m >= mmas_m(plan) || r.mma_n >= mmas_n(plan)) return;
    out[static_cast<size_t>(r.mma_m * mmas_n(plan) + r.mma_n)] = p;
  };
  const int first = moment.present->first_raw;
  for (int i = 0; i < moment.event_offset; ++i) {
    const worker::RawAccess& r = trace.raw[static_cast<size_t>(first + i)];
    if (r.mma_k == moment.raw->mma_k) mark(r, viz::MmaProgress::done);
  }
  mark(*moment.raw, viz::MmaProgress::now);
  return out;
}

std::vector<viz::ElementBox> elements_in(const std::vector<worker::TouchedBox>& boxes) {
  std::vector<viz::ElementBox> out;
  for (const worker::TouchedBox& b : boxes) {
    out.push_back({static_cast<Operand>(b.matrix), b.row, b.col, b.rows, b.cols});
  }
  return out;
}

std::string event_name(const AppState& state, const Moment& m) {
  if (!m.present) return {};
  const viz::TimelineEvent& event =
      state.results.timeline->index().events()[static_cast<size_t>(m.event)];
  std::string name = viz::event_kind_name(event.kind);
  if (m.mma_m >= 0) name = fmt::format("mma {},{}", m.mma_m, m.mma_n);
  if (m.present->count > 1)
    name += fmt::format(": {} of {}", model::grouped(m.event_offset + 1),
                        model::grouped(m.present->count));
  return name;
}

}  // namespace

viz::Selection scene_selection(const AppState& state) {
  const Selection& s = state.selection;
  viz::Selection out;
  out.cta = s.cta;
  out.warp = s.warp;
  out.mma_m = s.mma_m, out.mma_n = s.mma_n;
  out.lane = s.lane;
  out.output = s.operand == Operand::c ? s.value : 0;
  return viz::clamped(out, state.derived.plan);
}

viz::Moment scene_moment(const AppState& state, const Moment& moment) {
  viz::Moment out;
  out.k_slice = moment.k_slice >= 0 ? moment.k_slice : state.playhead.k_step;
  out.k_step = moment.k_step_in_slice >= 0 ? moment.k_step_in_slice : 0;
  return viz::clamped(out, state.derived.plan);
}

bool trace_is_of_choice(const AppState& state) {
  return state.results.trace && state.results.edit_serial == state.edit_serial &&
         state.results.trace->tile == state.selection.cta;
}

viz::TilingState tiling_picture(const AppState& state, float level) {
  viz::TilingState t;
  const Moment moment = moment_of(state);
  t.plan = state.derived.plan;
  t.problem = state.edit.problem;
  t.selection = scene_selection(state);
  t.moment = scene_moment(state, moment);
  t.hover = state.hover_before.pick;
  // What another tile's or another CTA's trace says is not so here.
  if (trace_is_of_choice(state)) {
    t.stages = moment.stages;
    t.mma_progress = progress_of(state, moment);
    if (moment.raw) {
      t.lit = elements_in(moment.raw->touched);
      t.lit_by = picture_kind(moment.present->kind);
    }
  }
  if (state.origins.answer) t.origins = elements_in(state.origins.answer->boxes);
  t.shared_limit = state.limits.shared_per_block;
  const Residency held = residency(state);
  t.ctas_per_wave = held.ctas_per_wave;
  t.waves_estimated = held.estimated;
  t.side_by_side = state.view.side_by_side;
  t.level = level;
  return t;
}

const model::Instruction* shown_instruction(const AppState& state) {
  const std::string& name = state.view.atom.name;
  return name.empty() ? nullptr : model::find_instruction(name);
}

namespace {

/// An instruction of the list, in a warp tile of about 64×64.
void show_instruction(viz::FragmentState& f, const model::Instruction& instruction,
                      const AtomView& view) {
  constexpr int kExtent = 64;
  f.instruction = &instruction;
  if (!f.is_move()) {
    const MmaAtom& atom = instruction.mma;
    const int m = std::max(1, kExtent / atom.m), n = std::max(1, kExtent / atom.n);
    f.plan = atom_plan(atom, m, n, view.row_bytes, swizzle_for_rows(view.row_bytes));
    f.problem = atom_problem(f.plan);
  }
  f.selection = view.selection;
  f.selection.lane = std::clamp(f.selection.lane, 0, 31);
  f.moment = {0, f.is_move() ? 0 : view.k_step % viz::k_steps(f.plan)};
}

}  // namespace

viz::FragmentState fragment_picture(const AppState& state) {
  viz::FragmentState f;
  f.tab = static_cast<viz::FragmentTab>(state.view.fragment_tab);
  f.operand = state.view.fragment_operand == 0 ? Operand::a : Operand::b;
  f.phase = state.view.fragment_phase;
  f.pad = state.view.fragment_cure == 1;
  if (const model::Instruction* instruction = shown_instruction(state)) {
    show_instruction(f, *instruction, state.view.atom);
  } else {
    f.plan = state.derived.plan;
    f.problem = state.edit.problem;
    f.selection = scene_selection(state);
    f.moment = scene_moment(state, moment_of(state));
    f.hover = state.hover_before.pick;
  }
  for (int tab = 0; tab < viz::kFragmentTabs && !viz::has_tab(f, f.tab); ++tab) {
    f.tab = static_cast<viz::FragmentTab>(tab);
  }
  return f;
}

viz::TimelineState timeline_picture(const AppState& state, const Moment& moment) {
  viz::TimelineState t;
  t.selected_warp = state.selection.warp;
  t.hover = state.hover_before.pick;
  t.k_slices = state.derived.plan.work.k_slices;
  if (!state.results.trace || !state.results.timeline) {
    t.empty_reason = state.derived.legal() ? "No trace: " + state.results.error
                                           : "No trace: " + state.derived.sentence;
    return t;
  }
  t.index = {state.results.timeline, &state.results.timeline->index()};
  t.event = std::max(0, moment.event);
  t.within = moment.event_offset;
  t.event_name = event_name(state, moment);
  t.recorded_k_slices = state.results.trace->recorded_k_steps;
  t.k_begin = state.results.trace->k_begin, t.k_end = state.results.trace->k_end;
  if (!trace_is_of_choice(state)) {
    const Coord cta = state.results.trace->tile;
    t.stale = state.results.edit_serial != state.edit_serial
                  ? std::string("of the tile before")
                  : fmt::format("of CTA {},{}, chosen before", cta.row, cta.col);
  }
  return t;
}

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
    const model::Level& level = traffic.*roof.level;
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
    r.achieved = *point.tflops * 1e12, r.achieved_name = "recorded " + point.date;
  }
  if (d.prediction.tflops > 0) r.modelled = d.prediction.tflops * 1e12;
  if (count == model::Count::bytes) r.way = roofline_way(state);
  return r;
}

namespace {

/// Of what there is no picture of: why.
viz::Scene sentence_scene(const std::string& words, const viz::Palette& palette,
                          const viz::TextMeasure& measure, viz::Size size) {
  viz::SceneBuilder b(size, palette, measure);
  b.wrap(8, 14, size.w - 16, words, {palette.dim, 12}, 16);
  return b.finish();
}

}  // namespace

std::span<const Picture> pictures() {
  static constexpr Picture kPictures[] = {
      {"tiling", true, PictureNeeds::trace,
       [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
         const int levels = viz::level_count(s.derived.plan);
         const int level = std::clamp(s.selection.level, 0, std::max(0, levels - 1));
         return viz::build_tiling(tiling_picture(s, static_cast<float>(level)), p, m, size);
       }},
      {"fragment", true, PictureNeeds::trace,
       [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
         return viz::build_fragment(fragment_picture(s), p, m, size);
       }},
      {"timeline", true, PictureNeeds::trace,
       [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
         viz::TimelineState t = timeline_picture(s, moment_of(s));
         t.legend = true;  // a file has no panel header to carry it
         return viz::build_timeline(t, p, m, size);
       }},
      {"roofline", false, PictureNeeds::results,
       [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
         return viz::build_roofline(roofline_picture(s), p, m, size);
       }},
      {"ladder", true, PictureNeeds::results,
       [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
         return viz::build_ladder(ladder_picture(s, ladder_parts(s)), p, m, size);
       }},
      {"landscape", true, PictureNeeds::results,
       [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
         return viz::build_landscape(landscape_picture(s, landscape(s)), p, m, size);
       }},
      {"layer", true, PictureNeeds::layer,
       [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
         if (!shown_layer(s)) return sentence_scene(why_no_times(s), p, m, size);
         viz::LayerState layer = layer_picture(s);
         layer.legend = true;  // a file has no panel header to carry it
         return viz::build_layer(layer, p, m, size);
       }},
      {"layer_timeline", true, PictureNeeds::layer,
       [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
         const std::string why = why_no_times(s);
         if (!why.empty()) return sentence_scene(why, p, m, size);
         viz::LayerTimelineState t = layer_timeline_picture(s);
         t.legend = true;
         return viz::build_layer_timeline(t, p, m, size);
       }},
      {"scaling", true, PictureNeeds::layer,
       [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
         const viz::ScalingState scaling = scaling_picture(s);
         if (scaling.points.empty()) return sentence_scene(why_no_times(s), p, m, size);
         return viz::build_scaling(scaling, p, m, size);
       }},
  };
  return kPictures;
}

const Picture* find_picture(std::string_view name) {
  for (const Picture& picture : pictures()) {
    if (name == picture.name) return &picture;
  }
  return nullptr;
}

}  // namespace tilescope
