#include "app/state/wrong_answer.h"

#include <algorithm>
#include <utility>

#include "app/common/difference_rows.h"

namespace tilescope {
namespace {

/// A place that is chosen by what it names of the selection.
bool is_place_selected(const Selection& s, const viz::Pick& place) {
  const auto same = [](int wanted, int chosen) { return wanted < 0 || wanted == chosen; };
  return same(place.cta_row, s.cta.row) && same(place.cta_col, s.cta.col) &&
         same(place.warp, s.warp) && same(place.mma_m, s.mma_m) && same(place.mma_n, s.mma_n) &&
         same(place.lane, s.lane);
}

/// What stands on lines: events of Timeline, instructions in Access.
void add_places_of_lines(std::vector<viz::Pick>& places, const std::vector<int>& lines) {
  for (const int line : lines) {
    viz::Pick& place = places.emplace_back();
    place.kind = viz::Pick::Kind::event, place.line = line;
  }
}

bool are_places_chosen(const AppState& state, const AnswerPlaces& places) {
  return std::ranges::all_of(
             places.picks,
             [&](const viz::Pick& place) { return is_place_selected(state.selection, place); }) &&
         std::ranges::all_of(places.lines,
                             [&](int line) { return linked_code(state).line == line; });
}

}  // namespace

void mark_wrong_answer(AppState& state, AnswerPlaces answered, AnswerPlaces right) {
  state.wrong_answer = {.answered = std::move(answered),
                        .right = std::move(right),
                        .serial = state.edit_serial,
                        .device = state.device_serial};
}

void mark_wrong_fact(AppState& state, AnsweredFact fact) {
  mark_wrong_answer(state, {}, {});
  state.wrong_answer.fact = std::move(fact);
}

void unmark_answer(AppState& state) { state.wrong_answer = {}; }

const WrongAnswer* wrong_answer(const AppState& state) {
  const WrongAnswer& wrong = state.wrong_answer;
  const bool stands = wrong.serial == state.edit_serial && wrong.device == state.device_serial &&
                      are_places_chosen(state, wrong.answered);
  return stands ? &wrong : nullptr;
}

viz::AnswerMarks answer_marks(const AppState& state) {
  const WrongAnswer* wrong = wrong_answer(state);
  if (!wrong) return {};
  viz::AnswerMarks marks{wrong->answered.picks, wrong->right.picks};
  add_places_of_lines(marks.answered, wrong->answered.lines);
  add_places_of_lines(marks.right, wrong->right.lines);
  return marks;
}

const AnsweredFact* answered_fact(const AppState& state, std::string_view row) {
  const WrongAnswer* wrong = wrong_answer(state);
  return wrong && wrong->fact && wrong->fact->row == row ? &*wrong->fact : nullptr;
}

const AnsweredFact* answered_fact_of(const AppState& state, std::span<const char* const> sections) {
  const WrongAnswer* wrong = wrong_answer(state);
  if (!wrong || !wrong->fact) return nullptr;
  const std::string_view section = difference_section(wrong->fact->row);
  const bool of_them = std::ranges::any_of(
      sections, [&](std::string_view one) { return !one.empty() && one == section; });
  return of_them ? &*wrong->fact : nullptr;
}

AnswerLines answer_lines(const AppState& state, CodeText text) {
  const WrongAnswer* wrong = wrong_answer(state);
  if (!wrong) return {};
  return {lines_linked_with(state, text, wrong->answered.lines),
          lines_linked_with(state, text, wrong->right.lines)};
}

}  // namespace tilescope
