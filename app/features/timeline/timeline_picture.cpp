#include "app/features/timeline/timeline_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/state/scene_words.h"
#include "app/state/second.h"
#include "app/state/wrong_answer.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

std::string event_name(const AppState& state, const Moment& m) {
  if (!m.present) return {};
  const viz::TimelineEvent& event =
      state.results.timeline->index().events()[static_cast<size_t>(m.event)];
  std::string name = viz::event_kind_name(event.kind);
  if (m.mma_m >= 0) name = wording("mma {},{}", m.mma_m, m.mma_n);
  if (m.present->count > 1) {
    name +=
        wording(": {} of {}", model::grouped(m.event_offset + 1), model::grouped(m.present->count));
  }
  return name;
}

}  // namespace

viz::TimelineState timeline_picture(const AppState& state, const Moment& moment) {
  viz::TimelineState t;
  t.selected_warp = state.selection.warp;
  t.hover = state.hover_before.pick;
  t.marks = answer_marks(state);
  t.k_slices = slices_in_all(state);
  if (state.edit.own()) t.slice_word = "iteration";
  if (!state.results.trace || !state.results.timeline) {
    t.empty_reason = state.derived.legal() ? wording("No trace: {}", retold(state.results.error))
                     : state.edit.own()    ? "The kernel has not been run yet."
                                           : wording("No trace: {}", state.derived.sentence);
    return t;
  }
  t.index = {state.results.timeline, &state.results.timeline->index()};
  t.event = std::max(0, moment.event);
  t.within = moment.event_offset;
  t.event_name = event_name(state, moment);
  t.recorded_k_slices = state.results.trace->recorded_k_steps;
  t.beside = state.of<AxisBeside>().timeline;
  t.k_begin = state.results.trace->k_begin, t.k_end = state.results.trace->k_end;
  if (!trace_is_of_choice(state)) {
    const worker::TraceResult& trace = *state.results.trace;
    // A rung's CTA is named by its tile, any other by its blockIdx.
    const std::string cta = state.edit.own()
                                ? fmt::format("{},{},{}", trace.cta.x, trace.cta.y, trace.cta.z)
                                : fmt::format("{},{}", trace.tile.row, trace.tile.col);
    t.stale = state.results.edit_serial != state.edit_serial
                  ? std::string("of the tile before")
                  : wording("of CTA {}, chosen before", cta);
  }
  return t;
}

}  // namespace tilescope
