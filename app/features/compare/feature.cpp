#include "app/state/feature.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/features/compare/measured_turns.h"
#include "app/features/compare/second_choices.h"
#include "app/features/compare/why_second.h"
#include "app/state/json_take.h"
#include "app/state/second.h"
#include "app/state/session_edit.h"
#include "viz/scene/builder.h"

namespace tilescope {
namespace compare_row {
namespace {

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) { return list_of<TurnsAsker>(link); }

/// The same element is marked in both; what else is under the pointer is of one of the two alone.
void begin_frame(AppState& state) {
  AppState* b = second_of(state);
  if (!b) return;
  b->hover_before = std::exchange(b->hover, {});
  const auto& pick = state.hover_before.pick;
  if (!b->hover_before.pick && pick && pick->matrix >= 0 && pick->row >= 0) {
    b->hover_before.pick = viz::Pick{.kind = viz::Pick::Kind::element,
                                     .matrix = pick->matrix,
                                     .row = pick->row,
                                     .col = pick->col};
  }
}

/// A kernel of one's own is no part of it: its file may be another one by then, and what was known
/// of it is not kept.
void save(const AppState& state, nlohmann::json& session) {
  const Second& second = state.of<Second>();
  if (!second.state || second.state->edit.own()) return;
  session["compare"] = {{"name", second.name},
                        {"edit", edit_json(second.state->edit)},
                        {"lock_step", second.lock_step}};
  if (second.state->device != state.device) session["compare"]["device"] = second.state->device;
}

void load(AppState& state, const nlohmann::json& session) {
  const auto at = session.find("compare");
  if (at == session.end() || !at->is_object()) return compare_with_nothing(state);
  Edit edit;
  std::string error, name, device;
  if (!edit_from_json(at->value("edit", nlohmann::json()), edit, &error)) return;
  take(*at, "name", name), take(*at, "device", device);
  take(*at, "lock_step", state.of<Second>().lock_step);
  compare_with(state, edit, name, device);
}

constexpr Picture kPictures[] = {
    {.name = "compare_why",
     .needs = {.measured = true},
     .build =
         [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
           if (!second_of(s))
             return viz::build_sentence("There is no B: nothing is compared.", p, m, size);
           const WhySecond why = why_second(s);
           if (!why.known()) return viz::build_sentence(why.sentence, p, m, size);
           return viz::build_waterfall(why.bars, p, m, size);
         },
     .without_plan = true}};

}  // namespace
}  // namespace compare_row

extern const Feature compare_feature{
    .askers = compare_row::askers,
    .begin_frame = compare_row::begin_frame,
    .session = {.save = compare_row::save, .load = compare_row::load},
    .pictures = compare_row::kPictures,
    .answers = compare_answers};

}  // namespace tilescope
