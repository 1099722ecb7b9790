#include "app/state/brush.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/state/json_take.h"
#include "app/state/present.h"
#include "app/state/scene_words.h"

namespace tilescope {
namespace {

using nlohmann::json;
using worker::TraceEvent;
using worker::TraceResult;

constexpr size_t kMostWarps = 64;  // of a CTA, in a file

/// Calls visit(event, first, count) for each event whose steps are known, with the records of its
/// warp instructions: `count` of them from raw[first] on.
template <class Visit>
void each_known(const TraceResult& trace, Visit&& visit) {
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& e = trace.events[i];
    if (e.first_raw < 0 || static_cast<size_t>(e.first_raw) >= trace.raw.size()) continue;
    const auto first = static_cast<size_t>(e.first_raw);
    // Of fma there is one record for the whole event.
    const size_t count = e.kind == TraceEvent::Kind::fma ? 1 : std::max(1u, e.count);
    visit(i, first, std::min(count, trace.raw.size() - first));
  }
}

/// It is of the present run, or it is not known yet whether it is.
bool is_kept(const AppState& state) {
  const Brush& b = state.of<Brush>();
  if (!b.span || b.serial != state.edit_serial) return false;
  const auto& compile = present_results(state).compile;
  return b.revision.empty() || !compile || compile->revision == b.revision;
}

}  // namespace

bool RunSpan::empty() const { return std::ranges::all_of(warps, &Steps::empty); }

void RunSpan::add(size_t warp, uint64_t step) {
  if (warps.size() <= warp) warps.resize(warp + 1);
  Steps& s = warps[warp];
  s = s.empty() ? Steps{step, step + 1} : Steps{std::min(s.from, step), std::max(s.to, step + 1)};
}

RunSpanPointer brushed(const AppState& state) {
  const Brush& b = state.of<Brush>();
  const bool known = b.revision.empty() || present_results(state).compile;
  return known && is_kept(state) ? b.span : nullptr;
}

void brush(AppState& state, RunSpan span) {
  if (span.empty()) return let_go_of_brush(state);
  Brush& b = state.of<Brush>();
  const auto& compile = present_results(state).compile;
  b.revision = compile ? compile->revision : "";
  b.serial = state.edit_serial;
  // What is kept of a brush that did not change, as pictures do, stays good.
  if (!b.span || *b.span != span) b.span = std::make_shared<const RunSpan>(std::move(span));
}

void let_go_of_brush(AppState& state) { state.of<Brush>() = {}; }

RunSpan steps_of_columns(const AppState& state, TimelineColumns columns) {
  RunSpan span;
  if (!trace_is_of_choice(state) || !state.results.timeline) return span;
  const TraceResult& trace = *state.results.trace;
  each_known(trace, [&](size_t i, size_t first, size_t count) {
    const Timeline::Placed at = state.results.timeline->placed(static_cast<int>(i));
    if (at.column >= columns.to || at.column + at.columns <= columns.from) return;
    const TraceEvent& e = trace.events[i];
    if (e.kind == TraceEvent::Kind::fma) {
      span.add(e.warp, trace.raw[first].step);
      span.add(e.warp, trace.raw[first].step + std::max(1u, e.count) - 1);
      return;
    }
    const auto begin = static_cast<size_t>(std::max(0, columns.from - at.column));
    const auto end = std::min(count, static_cast<size_t>(columns.to - at.column));
    for (size_t k = begin; k < end; ++k) span.add(e.warp, trace.raw[first + k].step);
  });
  return span;
}

std::vector<TimelineColumns> columns_of_brush(const AppState& state) {
  std::vector<TimelineColumns> columns;
  const RunSpanPointer span = brushed(state);
  if (!span || !trace_is_of_choice(state) || !state.results.timeline) return columns;
  const TraceResult& trace = *state.results.trace;
  columns.resize(static_cast<size_t>(std::max(0, trace.warps)));
  each_known(trace, [&](size_t i, size_t first, size_t count) {
    const TraceEvent& e = trace.events[i];
    if (e.warp >= columns.size() || e.warp >= span->warps.size()) return;
    const RunSpan::Steps& steps = span->warps[e.warp];
    // Steps of a fold ascend: mostly its ends tell all of it.
    if (trace.raw[first].step >= steps.to || trace.raw[first + count - 1].step < steps.from) return;
    const Timeline::Placed at = state.results.timeline->placed(static_cast<int>(i));
    size_t begin = 0, end = count;
    while (begin < end && !steps.has(trace.raw[first + begin].step)) ++begin;
    while (begin < end && !steps.has(trace.raw[first + end - 1].step)) --end;
    if (begin == end) return;
    TimelineColumns here{at.column + static_cast<int>(begin), at.column + static_cast<int>(end)};
    if (e.kind == TraceEvent::Kind::fma) here.to = at.column + at.columns;
    TimelineColumns& all = columns[e.warp];
    all = all.empty() ? here
                      : TimelineColumns{std::min(all.from, here.from), std::max(all.to, here.to)};
  });
  return columns;
}

json brush_json(const AppState& state) {
  if (!is_kept(state)) return nullptr;
  const Brush& b = state.of<Brush>();
  json steps = json::array();
  for (const RunSpan::Steps& s : b.span->warps) steps.push_back(json::array({s.from, s.to}));
  return {{"revision", b.revision}, {"steps", std::move(steps)}};
}

void brush_from(AppState& state, const json& in) {
  let_go_of_brush(state);
  const auto steps = in.is_object() ? in.find("steps") : in.end();
  if (!in.is_object() || steps == in.end() || !steps->is_array()) return;
  RunSpan span;
  const auto number = [](const json& from) {
    // Beyond the largest signed number it would be negative.
    return from.is_number_integer()
               ? static_cast<uint64_t>(std::max<int64_t>(0, from.get<int64_t>()))
               : 0;
  };
  for (const json& s : *steps) {
    if (span.warps.size() == kMostWarps) break;
    const bool pair = s.is_array() && s.size() == 2;
    span.warps.push_back(pair ? RunSpan::Steps{number(s[0]), number(s[1])} : RunSpan::Steps{});
  }
  if (span.empty()) return;
  Brush& b = state.of<Brush>();
  take(in, "revision", b.revision);
  b.serial = state.edit_serial;
  b.span = std::make_shared<const RunSpan>(std::move(span));
}

}  // namespace tilescope
