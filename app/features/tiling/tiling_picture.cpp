#include "app/features/tiling/tiling_picture.h"

#include "app/features/tiling/tiling_view.h"
#include "app/state/residency.h"
#include "app/state/scene_words.h"
#include "app/state/wrong_answer.h"

namespace tilescope {
namespace {

/// Which mma tiles of the chosen warp are done in the present k step, by the trace's own order.
std::vector<viz::MmaProgress> progress_of(const AppState& state, const Moment& moment) {
  const KernelPlan& plan = state.derived.plan;
  std::vector<viz::MmaProgress> out;
  const Hierarchy table = hierarchy_of(plan);
  const LevelRow& atoms = table[Level::atom];
  if (!table.lanes_share_atoms() || !moment.raw || moment.mma_m < 0) return out;
  out.assign(static_cast<size_t>(atoms.count.m * atoms.count.n), viz::MmaProgress::to_do);
  const worker::TraceResult& trace = *state.results.trace;
  const auto mark = [&](const worker::RawAccess& r, viz::MmaProgress p) {
    // An mma whose result lies outside of C alone is in no tile (−1); a tile of another plan's
    // trace may not be in this one.
    if (r.mma_m < 0 || r.mma_n < 0 || r.mma_m >= atoms.count.m || r.mma_n >= atoms.count.n) return;
    out[static_cast<size_t>(part_number(atoms, {r.mma_m, r.mma_n, 0}))] = p;
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

}  // namespace

viz::TilingState tiling_picture(const AppState& state, float level) {
  viz::TilingState t;
  const Moment moment = moment_of(state);
  t.plan = state.derived.plan;
  t.problem = state.edit.problem;
  t.selection = scene_selection(state);
  t.moment = scene_moment(state, moment);
  t.hover = state.hover_before.pick;
  t.marks = answer_marks(state);
  // What another tile's or another CTA's trace says is not so here.
  if (trace_is_of_choice(state)) {
    t.stages = moment.stages;
    t.mma_progress = progress_of(state, moment);
    if (moment.raw) {
      t.lit = elements_in(moment.raw->touched);
      t.lit_by = picture_kind(moment.present->kind);
    }
  }
  if (state.origins.answer && state.origins.serial == state.edit_serial) {
    t.origins = elements_in(state.origins.answer->boxes);
  }
  t.shared_limit = state.limits.shared_per_block;
  const Residency held = residency(state);
  t.ctas_per_wave = held.ctas_per_wave;
  t.waves_estimated = held.estimated;
  t.side_by_side = state.of<TilingView>().side_by_side;
  t.level = level;
  return t;
}

}  // namespace tilescope
