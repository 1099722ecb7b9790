#include "app/state/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/known_results.h"
#include "app/state/present.h"
#include "app/state/private_copy.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "worker/messages/findings.h"
#include "worker/messages/messages_launch.h"

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

bool is_timed(Standing standing) {
  return standing == Standing::measured || standing == Standing::recorded;
}

namespace {

std::string size_of_own(const AppState& state) {
  if (!state.own_launch || !state.own_launch->sheet || !state.own_launch->sheet->gemm) return {};
  const sheet::GemmSheet& g = *state.own_launch->sheet->gemm;
  return fmt::format("{}×{}×{}", g.m, g.n, g.k);
}

/// Of what somebody writes: two texts of one name are two points.
std::string revision_of_text(const AppState& state) {
  const auto& compile = present_results(state).compile;
  const bool written = state.edit.own() || has_private_copy(state);
  return written && compile ? compile->revision : std::string();
}

/// Whether a point stands in one history with what is looked at: the same problem, which that of a
/// kernel of one's own has in its sheet.
bool is_of_present_problem(const AppState& state, const std::string& present_size,
                           const HistoryPoint& p) {
  if ((state.edit.own() != nullptr) != (p.edit.own() != nullptr)) return false;
  if (p.edit.own()) return !p.size.empty() && p.size == present_size;
  Edit other = state.edit;
  other.subject = p.edit.subject;
  return same_request(other, p.edit);
}

}  // namespace

HistoryPoint point_of(const AppState& state) {
  HistoryPoint p;
  p.edit = state.edit;
  p.edit.tiles.clear();
  p.label = tile_label(state.edit);
  if (has_private_copy(state)) p.label = wording("{}, changed source", p.label);
  p.size = size_of_own(state);
  p.revision = revision_of_text(state);
  if (state.derived.legal()) p.l2_intensity = state.derived.traffic.l2.flop_per_byte;
  const Results& r = present_results(state);
  if (r.emulated && r.emulated->verified) {
    p.verified = r.emulated->verified->ok && !r.emulated->verified->partial();
  }
  const bool racy = r.emulated && worker::first_error(r.emulated->checks.findings);
  if (r.measured && (r.measured->tflops || r.measured->time_us)) {
    p.standing = r.measured->standing == "recorded" ? Standing::recorded : Standing::measured;
    p.tflops = r.measured->tflops;
    p.time_us = r.measured->time_us;
    if (p.tflops && r.measured->library_tflops) {
      p.of_library = *p.tflops / *r.measured->library_tflops;
    }
    const auto library = state.edit.own() ? std::nullopt : library_of(state, state.edit.problem);
    if (library && p.tflops) {
      p.of_library = share_of(library, *p.tflops);  // as in the tables beside it
    }
    p.device = r.measured->device_name;
    p.date = r.measured->date;
    p.older_kernel = r.measured->older_kernel;
    if (r.measured->verified) p.verified = r.measured->verified->ok;
    p.verified = p.verified && !racy;
    return p;
  }
  const bool wrong = r.measured && r.measured->verified && !r.measured->verified->ok;
  p.verified = p.verified && !racy && !wrong;
  if (state.derived.legal() && state.derived.prediction.us > 0) {
    p.standing = Standing::modelled;
    p.time_us = state.derived.prediction.us;
    p.tflops = state.derived.prediction.tflops;
    p.device = state.gpu.name;
  }
  if (state.edit.own() && r.emulated) {
    p.standing = Standing::emulated;
    p.device = "Emulator";
  }
  return p;
}

std::optional<HistoryPoint> timed_point(const AppState& state, const Edit& edit) {
  if (same_request(edit, state.edit)) {
    HistoryPoint now = point_of(state);
    if (is_timed(now.standing)) return now;
  }
  for (const worker::KnownResult* r : known_of(state, edit.rung().kernel, edit.problem)) {
    if (r->request.tile == edit.rung().tile) {
      return point_of(*r, state, library_of(state, edit.problem));
    }
  }
  for (const HistoryPoint* p : shown_history(state)) {
    if (is_timed(p->standing) && same_request(p->edit, edit)) return *p;
  }
  return std::nullopt;
}

LaunchTime launch_time(const AppState& state, const HistoryPoint& point) {
  const std::optional<worker::MeasureResult>& m = present_results(state).measured;
  if (!is_timed(point.standing) || !m) return {"a launch", "Time of one launch"};
  if (!m->cold) {
    return {
        "median, hot L2",
        "Time of one launch, with the L2 as the launch before left it (hot): its launches or the "
        "library's are so short that many are timed in a row"};
  }
  LaunchTime cold = {"median, cold L2",
                     tr("Time of one launch, with nothing of its matrices in L2")};
  if (m->hot_tflops) {
    cold.tip += wording("\nHot, with the L2 as the launch before left it: {}",
                        model::rate_text(*m->hot_tflops));
    if (m->hot_library_tflops) {
      cold.tip += fmt::format("; {}: {}", m->library.value_or(tr("the library")),
                              model::rate_text(*m->hot_library_tflops));
    }
  }
  return cold;
}

void remember_result(AppState& state) {
  const HistoryPoint point = point_of(state);
  const auto known =
      std::find_if(state.history.begin(), state.history.end(), [&](const HistoryPoint& old) {
        return same_request(old.edit, point.edit) && old.revision == point.revision &&
               old.device == point.device && old.standing == point.standing;
      });
  if (known != state.history.end()) {
    *known = point;
    return;
  }
  state.history.push_back(point);
  constexpr size_t kMax = 200;
  if (state.history.size() > kMax) state.history.erase(state.history.begin());
}

std::vector<const HistoryPoint*> shown_history(const AppState& state) {
  const Standing timed = is_card(state.device) ? Standing::measured : Standing::recorded;
  std::vector<const HistoryPoint*> shown;
  const std::string size = size_of_own(state);
  for (const HistoryPoint& p : state.history) {
    const bool here =
        p.standing == Standing::modelled || (p.standing == timed && state.device != kEmulator);
    if (p.tflops && here && p.device == state.gpu.name && is_of_present_problem(state, size, p))
      shown.push_back(&p);
  }
  return shown;
}

std::vector<HistoryPoint> known_tiles(const AppState& state) {
  std::vector<HistoryPoint> tiles;
  const std::optional<LibraryFigure> library = library_of(state, state.edit.problem);
  for (const worker::KnownResult* r : known_of(state, state.edit.rung().kernel, state.edit.problem))
    tiles.push_back(point_of(*r, state, library));
  const size_t known = tiles.size();
  for (const HistoryPoint* p : shown_history(state)) {
    if (p->edit.rung().kernel != state.edit.rung().kernel) continue;
    const auto end = tiles.begin() + static_cast<std::ptrdiff_t>(known);
    const auto same = std::find_if(
        tiles.begin(), end, [&](const HistoryPoint& t) { return same_request(t.edit, p->edit); });
    if (same != end) continue;
    tiles.push_back(*p);
    if (library) tiles.back().of_library = share_of(library, *p->tflops);
  }
  return tiles;
}

bool is_of_present(const AppState& state, const HistoryPoint& point) {
  return same_request(point.edit, state.edit) && point.revision == revision_of_text(state);
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
