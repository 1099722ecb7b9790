#include "app/state/history.h"

#include <algorithm>

#include "app/state/edit.h"

namespace tilescope {

const char* name_of(Standing standing) {
  switch (standing) {
    case Standing::measured:
      return "measured";
    case Standing::recorded:
      return "recorded";
    case Standing::modelled:
      return "modelled";
    case Standing::emulated:
      return "emulated";
    case Standing::none:
      break;
  }
  return "none";
}

HistoryPoint point_of(const AppState& state) {
  HistoryPoint p;
  p.edit = state.edit;
  p.edit.tiles.clear();
  p.label = tile_label(state.edit);
  const Results& r = state.results;
  if (r.edit_serial == state.edit_serial) {
    if (r.emulated && r.emulated->verified) p.verified = r.emulated->verified->ok;
    if (r.measured && r.measured->tflops) {
      p.standing = r.measured->standing == "recorded" ? Standing::recorded : Standing::measured;
      p.tflops = r.measured->tflops;
      p.time_us = r.measured->time_us;
      if (r.measured->library_tflops) p.of_library = *p.tflops / *r.measured->library_tflops;
      p.device = r.measured->device_name;
      p.date = r.measured->date;
      if (r.measured->verified) p.verified = r.measured->verified->ok;
      return p;
    }
  }
  if (state.derived.legal() && state.derived.prediction.us > 0) {
    p.standing = Standing::modelled;
    p.time_us = state.derived.prediction.us;
    p.tflops = state.derived.prediction.tflops;
    p.device = state.view.gpu;
  }
  return p;
}

void remember_result(AppState& state) {
  const HistoryPoint point = point_of(state);
  std::erase_if(state.history, [&](const HistoryPoint& old) {
    return same_request(old.edit, point.edit) && old.device == point.device;
  });
  state.history.push_back(point);
  constexpr size_t kMax = 200;
  if (state.history.size() > kMax) state.history.erase(state.history.begin());
}

void pin(AppState& state, const HistoryPoint& point, std::string name) {
  state.pinned.push_back({std::move(name), point});
}

void unpin(AppState& state, size_t index) {
  if (index < state.pinned.size()) {
    state.pinned.erase(state.pinned.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

}  // namespace tilescope
