#include "app/state/second.h"

#include <algorithm>
#include <utility>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/expectation.h"
#include "app/state/found.h"
#include "app/state/history.h"
#include "app/state/playback.h"
#include "app/state/present.h"

namespace tilescope {
namespace {

/// What B has in common with A: what the worker found, where kernels are read, how it is counted.
void take_surroundings(const AppState& a, AppState& b) {
  b.now = a.now, b.frame_seconds = a.frame_seconds;
  b.devices_known = a.devices_known, b.recordings_known = a.recordings_known;
  b.view.count_elements = a.view.count_elements;
  b.store = a.store, b.kernel_dir = a.kernel_dir;
}

std::shared_ptr<AppState> state_beside(const AppState& a, const Edit& edit) {
  const AppState* before = second_of(a);
  auto b = std::make_shared<AppState>();
  b->edit = edit;
  b->edit.beside = {};
  // Another than any before: what is under way for that one is not taken for this one's.
  b->edit_serial = (before ? before->edit_serial : 0) + 1;
  b->view = a.view;
  b->device = a.device, b->device_serial = a.device_serial;
  b->devices = a.devices, b->recordings = a.recordings;
  b->private_copies = a.private_copies;
  b->kernel_files_serial = a.kernel_files_serial;
  b->known = a.known;
  b->models = a.models;
  b->selection = a.selection;
  b->playhead = a.playhead;
  b->playhead.playing = false;
  take_surroundings(a, *b);
  derive(*b);
  return b;
}

/// B's results, where they are known already.
void take_results(const Results& results, AppState& b) {
  b.results = results;
  b.results.edit_serial = b.edit_serial;
  if (results.of) b.found = {b.results};
  expect_again(b);
}

/// Where a playhead is on its way along k.
struct PlaceInK {
  double part = 0;      // of all k, at the beginning of its slice
  double in_slice = 0;  // of the slice
};
PlaceInK place_of(const AppState& state) {
  int slice = state.playhead.k_step;
  PlaceInK place;
  if (state.results.timeline) {
    const int column = state.playhead.column;
    for (const Timeline::Slice& s : state.results.timeline->slices()) {
      if (column < s.begin || column >= s.end) continue;
      slice = s.k_step;
      place.in_slice = static_cast<double>(column - s.begin) / (s.end - s.begin);
    }
  }
  place.part = static_cast<double>(slice) / std::max(1, slices_in_all(state));
  return place;
}

/// Moves a playhead to where another kernel is in the same k.
void go_to(AppState& state, const PlaceInK& place) {
  const int all = std::max(1, slices_in_all(state));
  constexpr double kNearly = 1e-9;  // k / n · n may be a little less than k
  const int slice = std::clamp(static_cast<int>(place.part * all + kNearly), 0, all - 1);
  state.playhead.k_step = slice;
  if (!state.results.timeline) return;
  // Of several stretches of one slice the first: warps of one role come before the others.
  for (const Timeline::Slice& s : state.results.timeline->slices()) {
    if (s.k_step != slice) continue;
    state.playhead.column = s.begin + static_cast<int>(place.in_slice * (s.end - s.begin));
    return;
  }
}

/// The first stretch of the slice that a playhead is in; null: it is before or after all of them.
const Timeline::Slice* slice_at_playhead(const AppState& state) {
  if (!state.results.timeline) return nullptr;
  const auto& slices = state.results.timeline->slices();
  const auto found = std::ranges::find(slices, state.playhead.k_step, &Timeline::Slice::k_step);
  return found == slices.end() ? nullptr : &*found;
}

/// What A multiplies now, and where B multiplies the same k: of another depth its slices are parts
/// of A's, or A's of its.
std::optional<viz::TimelineBeside> axis_beside(const AppState& a, const AppState& b) {
  const Timeline::Slice *here = slice_at_playhead(a), *there = slice_at_playhead(b);
  if (!here || !there) return std::nullopt;
  const double slices_a = std::max(1, slices_in_all(a)), slices_b = std::max(1, slices_in_all(b));
  const auto column_of_b = [&](int slice_of_a) {
    const double k = slice_of_a / slices_a * slices_b - there->k_step;
    return there->begin + k * (there->end - there->begin);
  };
  const Moment moment = moment_of(a);
  viz::TimelineBeside beside;
  beside.begin = column_of_b(here->k_step), beside.end = column_of_b(here->k_step + 1);
  beside.of_begin = here->begin, beside.of_end = here->end;
  beside.of_playhead =
      a.results.timeline->index().position(static_cast<size_t>(std::max(0, moment.event))) +
      moment.event_offset;
  beside.of_length = a.results.timeline->index().length();
  return beside;
}

bool have_plans(const AppState& a, const AppState& b) {
  return !a.edit.own() && !b.edit.own() && a.derived.kernel && b.derived.kernel;
}

/// The CTA that computes the place in C that another one begins at, if the chosen one is not about
/// that place already.
void choose_same_place(const AppState& from, AppState& to) {
  if (!have_plans(from, to)) return;
  const KernelPlan &ours = from.derived.plan, &theirs = to.derived.plan;
  const Coord origin = block_origin(ours, from.selection.cta);
  const Coord tile = block_of(theirs, origin);
  const bool within = block_of(ours, block_origin(theirs, to.selection.cta)) == from.selection.cta;
  if (tile == to.selection.cta || within) return;
  const int level = to.selection.level;
  select_cta(to, tile);
  to.selection.level = level;
}

}  // namespace

AppState* second_of(AppState& state) { return state.of<Second>().state.get(); }
const AppState* second_of(const AppState& state) { return state.of<Second>().state.get(); }

bool second_is_older(const AppState& state) {
  const AppState* b = second_of(state);
  return b && b->kernel_files_serial != state.kernel_files_serial;
}

void pin_as_second(AppState& state) {
  Second& second = state.of<Second>();
  std::shared_ptr<AppState> b = state_beside(state, state.edit);
  b->own_launch = state.own_launch;
  if (trust_of(state) == Trust::whole) take_results(state.results, *b);
  second.name = tile_label(state.edit);
  second.state = std::move(b);
}

void compare_with(AppState& state, const Edit& edit, std::string name, const std::string& device) {
  Second& second = state.of<Second>();
  std::shared_ptr<AppState> b = state_beside(state, edit);
  if (!device.empty()) choose_device(*b, device);
  const Results* known = b->device == state.device ? find_results(state, edit) : nullptr;
  if (known) take_results(*known, *b);
  second.name = std::move(name);
  second.state = std::move(b);
}

void compare_with_nothing(AppState& state) {
  state.of<Second>().state.reset();
  state.of<Second>().name.clear();
}

void swap_with_second(AppState& state) {
  const std::shared_ptr<AppState> b = state.of<Second>().state;
  if (!b) return;
  pin_as_second(state);
  if (b->device != state.device) choose_device(state, b->device);
  // What is known of B is A's at once, as of an edit that was looked at before.
  if (b->results.of) state.found.insert(state.found.begin(), b->results);
  set_edit(state, b->edit);
}

void follow_first(AppState& state) {
  AppState* b = second_of(state);
  if (!b) return;
  take_surroundings(state, *b);
  if (b->known.serial != state.known.serial && b->device == state.device) b->known = state.known;
  b->devices = state.devices, b->recordings = state.recordings;
  if (b->device.empty() && !state.device.empty()) {
    b->device = state.device, ++b->device_serial;
    derive(*b);
  }
  expect_again(*b);
  b->of<AxisBeside>() = {};
  if (!state.of<Second>().lock_step) return;
  choose_same_place(state, *b);
  b->selection.level = state.selection.level;
  go_to(*b, place_of(state));
  b->of<AxisBeside>().timeline = axis_beside(state, *b);
}

void follow_second(AppState& state) {
  const AppState* b = second_of(state);
  if (!b || !state.of<Second>().lock_step) return;
  choose_same_place(*b, state);
}

}  // namespace tilescope
