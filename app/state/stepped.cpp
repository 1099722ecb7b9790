#include "app/state/stepped.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/state/edit.h"
#include "app/state/playback.h"
#include "app/state/present.h"
#include "app/state/scene_words.h"

namespace tilescope {
namespace {

using worker::TraceEvent;
using worker::TraceResult;

/// Which of an event's warp instructions has this step, or is the last before it; −1: it begins
/// later.
int offset_at(const TraceResult& trace, const TraceEvent& e, uint64_t step) {
  if (e.first_raw < 0) return -1;
  // Of fma there is one record for the whole event.
  const uint32_t records = e.kind == TraceEvent::Kind::fma ? 1 : e.count;
  int found = -1;
  for (uint32_t i = 0; i < records; ++i) {
    const size_t raw = static_cast<size_t>(e.first_raw) + i;
    if (raw >= trace.raw.size() || trace.raw[raw].step > step) break;
    found = static_cast<int>(i);
  }
  return found;
}

}  // namespace

const Stepped* stepped(const AppState& state) {
  const Stepped& at = state.of<Stepped>();
  const Results& r = present_results(state);
  if (!at.on || at.serial != state.edit_serial || !r.compile) return nullptr;
  return r.compile->revision == at.revision ? &at : nullptr;
}

int stepped_line(const AppState& state, const Stepped& at) {
  const OwnKernel* own = state.edit.own();
  if (own && std::filesystem::path(own->file).extension() == ".ptx") return at.ptx_line;
  const std::string file = own                    ? name_of(*own)
                           : state.derived.kernel ? state.derived.kernel->file
                                                  : "";
  return at.file == file ? at.line : 0;
}

bool show_stepped(AppState& state, const Stepped& at) {
  const Results& r = present_results(state);
  if (!r.trace || !r.timeline || !trace_is_of_choice(state) || !(r.trace->cta == at.cta)) {
    return false;
  }
  const TraceResult& trace = *r.trace;
  int event = -1, offset = 0;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& e = trace.events[i];
    // Of an epoch that is not recorded nothing is near enough.
    if (e.warp != at.warp || e.epoch != at.epoch) continue;
    const int here = offset_at(trace, e, at.step);
    if (here < 0 && event >= 0) break;
    event = static_cast<int>(i), offset = std::max(0, here);
    if (here < 0) break;  // before the first of them
  }
  if (event < 0) return false;
  state.playhead.playing = false;
  if (state.selection.warp != at.warp) {
    const int level = state.selection.level;
    select_warp(state, at.warp);
    select_level(state, level);
  }
  scrub(state, r.timeline->placed(event).column + offset);
  return true;
}

std::string playhead_motion(const AppState& state) {
  if (!present_results(state).trace || !trace_is_of_choice(state)) return {};
  const Moment moment = moment_of(state);
  if (!moment.raw) return {};
  return fmt::format("at:{}.{}", state.selection.warp, moment.raw->step);
}

}  // namespace tilescope
