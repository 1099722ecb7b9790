#include "app/features/compare/why_second.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/features/compare/measured_turns.h"
#include "app/state/history.h"
#include "app/state/launch_facts.h"
#include "app/state/second.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/time_difference.h"

namespace tilescope {
namespace {

std::string signed_us(double us) {
  return fmt::format("{}{}", us > 0 ? "+" : "−", model::time_text(std::abs(us)));
}

/// What a clock says of what stands there now.
std::optional<double> timed_us(const AppState& state, Standing* standing, bool* older) {
  const HistoryPoint point = point_of(state);
  if (!is_timed(point.standing)) return {};
  *standing = point.standing;
  *older = *older || point.older_kernel;
  return point.time_us;
}

struct CauseStep {
  const model::CauseRow* row;
  double us;
};

/// "mostly tail and L2; occupancy works against it".
std::string mostly(std::vector<CauseStep> steps, double by) {
  if (by == 0) return {};
  std::ranges::sort(steps,
                    [&](const CauseStep& x, const CauseStep& y) { return x.us * by > y.us * by; });
  std::string with, against;
  int named = 0;
  for (const CauseStep& step : steps) {
    if (step.us * by <= 0 || std::abs(step.us) < 0.15 * std::abs(by)) continue;
    if (++named > 2) break;
    with = named == 1 ? tr(step.row->title) : wording("{} and {}", with, step.row->title);
  }
  const CauseStep& last = steps.back();
  if (last.us * by < 0 && std::abs(last.us) > 0.15 * std::abs(by)) {
    against = wording("{}{} works against it", with.empty() ? "" : "; ", last.row->title);
  }
  return (with.empty() ? "" : wording("mostly {}", with)) + against;
}

}  // namespace

WhySecond why_second(const AppState& state) {
  WhySecond why;
  const AppState& b = *second_of(state);
  for (const auto& [side, name] : {std::pair{&state, "A"}, std::pair{&b, "B"}}) {
    if (side->derived.legal()) continue;
    why.sentence = side->edit.own()
                       ? wording(
                             "{} is a kernel of your own: it has no plan, and its time is not "
                             "modelled. What was counted and measured of it stands in Difference.",
                             name)
                       : wording("{} cannot be launched: {}", name, side->derived.sentence);
    return why;
  }
  const bool compiled = state.derived.compiled.registers && b.derived.compiled.registers;
  const model::Prediction ours = comparable_prediction(state, compiled);
  const model::Prediction theirs = comparable_prediction(b, compiled);
  Standing here = Standing::modelled, there = Standing::modelled;
  bool older = false;
  const auto a_us = timed_us(state, &here, &older), b_us = timed_us(b, &there, &older);
  const auto turns = turns_median(state);  // what Difference and In turns show, too
  const bool timed = turns || (a_us && b_us);
  const double end = turns ? turns->a_us : timed ? *a_us : ours.us;
  const double begin = turns ? turns->b_us : timed ? *b_us : theirs.us;
  const char* mark = timed ? "" : "~";
  const auto analysis = [&](const AppState& s) {
    return model::analyse(s.derived.plan, s.edit.problem, s.derived.launch, s.gpu,
                          s.derived.traffic,
                          compiled ? s.derived.compiled : model::CompiledFacts{});
  };
  const model::Analysis facts_a = analysis(state), facts_b = analysis(b);
  const auto parts = model::time_difference(ours, theirs);
  std::vector<CauseStep> steps;
  double left = end - begin;
  why.bars = {.from = "B", .to = "A", .begin = begin, .end = end, .begin_text = {}, .end_text = {}};
  why.bars.begin_text = mark + model::time_text(begin);
  why.bars.end_text = mark + model::time_text(end);
  for (const model::CauseRow& row : model::causes()) {
    const double us = parts[static_cast<size_t>(row.cause)];
    left -= us;
    steps.push_back({&row, us});
    const bool none = std::abs(us) < 5e-4 * begin;
    why.bars.steps.push_back({.name = row.title,
                              .by = us,
                              .figure = none ? "0" : "~" + signed_us(us),
                              .words = model::cause_words(row.cause, facts_a, facts_b)});
    why.tips.push_back(row.what);
  }
  if (timed) {
    why.bars.steps.push_back({.name = "unexplained",
                              .by = left,
                              .figure = signed_us(left),
                              .words = "what the clock says beyond the model",
                              .open = true});
    why.tips.push_back(
        "The totals are a clock's and the causes the model's: what these do not add up to. How far "
        "the model is off stands in docs/performance.md, \"The time model\".");
  }
  const double by = end - begin;
  if (by == 0) {
    why.sentence = "A and B take the same time.";
  } else {
    const std::string most = mostly(steps, by);
    why.sentence = wording("A is {}{} {}, {}{:.1f} %{}{}", mark, model::time_text(std::abs(by)),
                           by < 0 ? "faster" : "slower", by < 0 ? "−" : "+",
                           100 * std::abs(by) / begin, most.empty() ? "" : ": ", most);
  }
  why.standing = turns   ? std::string("totals measured in turns, split modelled ~")
                 : timed ? wording("totals {}{}, split modelled ~",
                                   here == there ? name_of(here) : "measured and recorded",
                                   older ? " with an older kernel" : "")
                         : "modelled ~";
  return why;
}

}  // namespace tilescope
