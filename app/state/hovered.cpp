#include "app/state/hovered.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "app/state/present.h"
#include "app/state/scene_words.h"

namespace tilescope {
namespace {

using worker::RawAccess;
using worker::TraceEvent;
using worker::TraceResult;

/// The trace of the present edit's choice, that Timeline shows; null: it shows none, or another's.
const TraceResult* shown_trace(const AppState& state) {
  return trace_is_of_choice(state) && state.results.timeline ? state.results.trace.get() : nullptr;
}

/// The records of an event's warp instructions. Of fma there is one for the whole event.
std::span<const RawAccess> records_of_event(const TraceResult& trace, const TraceEvent& e) {
  if (e.first_raw < 0 || static_cast<size_t>(e.first_raw) >= trace.raw.size()) return {};
  const auto first = static_cast<size_t>(e.first_raw);
  const size_t count = e.kind == TraceEvent::Kind::fma ? 1 : e.count;
  return std::span(trace.raw).subspan(first, std::min(count, trace.raw.size() - first));
}

const TraceEvent* hovered_event(const AppState& state) {
  const TraceResult* trace = shown_trace(state);
  const auto& pick = state.hover_before.pick;
  if (!trace || !pick || pick->kind != viz::Pick::Kind::event || pick->event < 0 ||
      static_cast<size_t>(pick->event) >= trace->events.size()) {
    return nullptr;
  }
  return &trace->events[static_cast<size_t>(pick->event)];
}

/// Where the event's instructions stand: those of a fold lie on one line of the source, and may lie
/// on several of the PTX.
std::set<std::pair<int, int>> places_of(const TraceResult& trace, const TraceEvent& e) {
  std::set<std::pair<int, int>> places{{e.line, e.ptx_line}};
  for (const RawAccess& raw : records_of_event(trace, e)) places.emplace(e.line, raw.ptx_line);
  return places;
}

bool is_on(const TraceResult& trace, const TraceEvent& e, const CodeLink& code) {
  if (code.ptx_line <= 0) return e.line == code.line;
  if (e.ptx_line == code.ptx_line) return true;
  return std::ranges::any_of(records_of_event(trace, e),
                             [&](const RawAccess& raw) { return raw.ptx_line == code.ptx_line; });
}

bool is_one_of(const TraceResult& trace, const TraceEvent& e, const Touchers& touchers) {
  return std::ranges::any_of(records_of_event(trace, e), [&](const RawAccess& raw) {
    return std::ranges::binary_search(touchers.steps, std::pair(e.warp, raw.step));
  });
}

}  // namespace

std::vector<int> hovered_lines(const AppState& state, CodeText text) {
  std::set<int> lines;
  const auto add = [&](const CodeLink& place) {
    for (const int line : linked_lines(state, text, place)) lines.insert(line);
  };
  if (const auto& touchers = state.hover_before.touchers) {
    for (const CodeLink& place : touchers->places) add(place);
  } else if (const TraceEvent* e = hovered_event(state)) {
    for (const auto& [line, ptx_line] : places_of(*state.results.trace, *e)) add({line, ptx_line});
  }
  return {lines.begin(), lines.end()};
}

std::vector<int> hovered_events(const AppState& state) {
  std::vector<int> events;
  const Hover& hover = state.hover_before;
  const TraceResult* trace = shown_trace(state);
  if (!trace || (!hover.code.any() && !hover.touchers)) return events;
  for (size_t i = 0; i < trace->events.size(); ++i) {
    const TraceEvent& e = trace->events[i];
    const bool lit =
        hover.touchers ? is_one_of(*trace, e, *hover.touchers) : is_on(*trace, e, hover.code);
    if (lit) events.push_back(static_cast<int>(i));
  }
  return events;
}

std::optional<HoveredSteps> hovered_steps(const AppState& state) {
  const TraceEvent* e = hovered_event(state);
  if (!e) return std::nullopt;
  const auto records = records_of_event(*state.results.trace, *e);
  if (records.empty()) return std::nullopt;
  return HoveredSteps{state.results.trace->cta, e->warp, records.front().step, records.back().step};
}

CodeLink hovered_place(const AppState& state, CodeText text, int line) {
  if (text == CodeText::ptx) return {0, line};
  return link_at(state, text, line);
}

}  // namespace tilescope
