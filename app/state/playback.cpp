#include "app/state/playback.h"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

using worker::TraceEvent;

/// The slice around the playhead, or the one it left last.
const Timeline::Slice* slice_at(const Timeline& timeline, int column) {
  const Timeline::Slice* best = nullptr;
  for (const Timeline::Slice& slice : timeline.slices()) {
    if (column >= slice.begin) best = &slice;
  }
  return best;
}

/// What is multiplied at a column, or was last.
int slice_of(const Timeline& timeline, int column) {
  const int now = timeline.k_step_at(column);
  return now >= 0 ? now : timeline.last_k_step(column);
}

void move_to(AppState& state, int column, int by = 1) {
  state.playhead.column = 0;
  if (const auto& timeline = state.results.timeline) {
    state.playhead.column = timeline->outside_gaps(column, by);
    const int k_step = slice_of(*timeline, state.playhead.column);
    if (k_step >= 0) state.playhead.k_step = k_step;
  }
}

}  // namespace

void play_or_pause(AppState& state) {
  if (!state.results.timeline) return;
  Playhead& p = state.playhead;
  p.playing = !p.playing;
  p.carry = 0;
  const int last = state.results.timeline->columns() - 1;
  if (p.playing && !p.loop_k_step && p.column >= last) p.column = 0;
}

void step_events(AppState& state, int by) {
  state.playhead.playing = false;
  move_to(state, state.playhead.column + by, by);
}

void step_k(AppState& state, int by) {
  if (!state.results.timeline) return;
  const Timeline& timeline = *state.results.timeline;
  state.playhead.playing = false;
  const int column = state.playhead.column;
  int to = by > 0 ? timeline.columns() - 1 : 0;
  if (by > 0) {
    for (const auto& slice : timeline.slices()) {
      if (slice.begin > column) {
        to = slice.begin;
        break;
      }
    }
  } else {
    for (const auto& slice : timeline.slices()) {
      if (slice.begin < column) to = slice.begin;
    }
  }
  move_to(state, to, by);
}

void scrub(AppState& state, int column) { move_to(state, column); }

int slices_in_all(const AppState& state) {
  if (!state.edit.own()) return state.derived.plan.work.k_slices;
  return state.results.trace ? state.results.trace->k_slices : 0;
}

void choose_k_step(AppState& state, int k_step) {
  state.playhead.k_step = std::clamp(k_step, 0, std::max(0, slices_in_all(state) - 1));
  if (state.results.timeline) {
    for (const auto& slice : state.results.timeline->slices()) {
      if (slice.k_step == state.playhead.k_step) state.playhead.column = slice.begin;
    }
  }
}

PlayedColumns played_columns(const AppState& state) {
  if (!state.results.timeline) return {};
  const Timeline& timeline = *state.results.timeline;
  const auto* slice =
      state.playhead.loop_k_step ? slice_at(timeline, state.playhead.column) : nullptr;
  if (slice) return {slice->begin, slice->end};
  return {0, timeline.columns()};
}

void advance(AppState& state, double seconds) {
  Playhead& p = state.playhead;
  if (!p.playing || !state.results.timeline) return;
  p.carry += std::min(seconds, 0.25) * static_cast<double>(p.events_per_second);
  const int steps = static_cast<int>(p.carry);
  if (steps == 0) return;
  p.carry -= steps;
  const auto [begin, end] = played_columns(state);
  int to = p.column + steps;
  if (to >= end) {
    if (p.loop_k_step) {
      to = begin + (to - begin) % std::max(1, end - begin);
    } else {
      to = end - 1;
      p.playing = false;
    }
  }
  move_to(state, to);
}

void settle_playhead(AppState& state) {
  Playhead& p = state.playhead;
  if (!state.results.timeline) return;
  const Timeline::Slice* nearest = nullptr;
  for (const auto& slice : state.results.timeline->slices()) {
    if (!nearest || std::abs(slice.k_step - p.k_step) < std::abs(nearest->k_step - p.k_step)) {
      nearest = &slice;
    }
  }
  const bool inside = nearest && p.column >= nearest->begin && p.column < nearest->end;
  move_to(state, nearest && !inside ? nearest->begin : p.column);
}

Moment moment_of(const AppState& state) {
  Moment m;
  const auto& trace = state.results.trace;
  const auto& timeline = state.results.timeline;
  if (!trace || !timeline || timeline->columns() == 0) return m;
  m.any = true;
  const int column = state.playhead.column;
  m.k_slice = slice_of(*timeline, column);
  if (state.derived.kernel) m.stages = stages_at(*timeline, state.derived.plan, column);
  const auto placed = timeline->placed_at(state.selection.warp, column);
  if (!placed) return m;
  m.event = placed->event;
  m.event_offset = std::clamp(column - placed->column, 0, placed->columns - 1);
  m.present = &trace->events[static_cast<size_t>(placed->event)];
  m.source_line = m.present->line;
  m.ptx_line = m.present->ptx_line;
  if (m.present->first_raw >= 0) {
    const bool one_record = m.present->kind == TraceEvent::Kind::fma;
    const size_t raw =
        static_cast<size_t>(m.present->first_raw + (one_record ? 0 : m.event_offset));
    if (raw < trace->raw.size()) m.raw = &trace->raw[raw];
  }
  if (m.raw && m.present->kind == TraceEvent::Kind::mma) {
    m.k_step_in_slice = m.raw->mma_k;
    // Beside a skinny C an mma multiplies zeros alone: where its tile lies is then known by half.
    if (m.raw->mma_m >= 0 && m.raw->mma_n >= 0) m.mma_m = m.raw->mma_m, m.mma_n = m.raw->mma_n;
  }
  if (m.k_slice < 0 && m.present->k_step >= 0) m.k_slice = m.present->k_step;
  return m;
}

}  // namespace tilescope
