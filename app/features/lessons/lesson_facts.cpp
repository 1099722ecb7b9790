#include "app/features/lessons/lesson_facts.h"

#include <algorithm>

#include "app/common/difference_rows.h"
#include "app/state/feature.h"
#include "app/state/launch_facts.h"
#include "app/state/second.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

struct LessonUnit {
  const char* name;
  double factor;
};
constexpr LessonUnit kLessonUnits[] = {{"", 1},     {"B", 1},    {"kB", 1e3},   {"MB", 1e6},
                                       {"GB", 1e9}, {"%", 0.01}, {"µs", 1},     {"ms", 1e3},
                                       {"k", 1e3},  {"M", 1e6},  {"FLOP/B", 1}, {"TFLOPS", 1}};

std::vector<std::string> limiter_options() {
  using model::Limiter;
  return {model::name_of(Limiter::threads), model::name_of(Limiter::shared_memory),
          model::name_of(Limiter::registers), model::name_of(Limiter::cta_slots)};
}

std::optional<size_t> right_limiter(const AppState& state) {
  const LaunchFacts facts = launch_facts(state);
  if (!facts.analysis || !facts.registers) return {};  // registers are known once it is compiled
  const std::vector<std::string> options = limiter_options();
  const std::string limiter = model::name_of(facts.analysis->occupancy.limiter);
  return static_cast<size_t>(std::ranges::find(options, limiter) - options.begin());
}

std::vector<std::string> bound_options() {
  return {"arithmetic", "instruction issue", "shared memory", "L1 requests", "L2",
          "DRAM",       "latency",           "idle SMs",      "the launch"};
}

std::optional<size_t> right_bound(const AppState& state) {
  if (!state.derived.legal() || state.derived.prediction.us <= 0) return {};
  const std::string bound = state.derived.prediction.bound;
  const std::vector<std::string> options = bound_options();
  const auto at = std::ranges::find(options, bound);
  if (at != options.end()) return static_cast<size_t>(at - options.begin());
  if (bound == "tensor cores" || bound == "fp32 units") return 0;
  return {};
}

std::vector<std::string> conflict_options() {
  return {"none", "some, less than half of the wavefronts", "half of the wavefronts or more"};
}

std::optional<size_t> right_conflicts(const AppState& state) {
  const auto figure = [rows = difference_rows(launch_facts(state), {})](std::string_view id) {
    const auto at = std::ranges::find(rows, id, &DifferenceRow::id);
    return at == rows.end() ? std::nullopt : at->a;
  };
  const auto conflicts = figure("conflicts"), read = figure("wavefronts.read");
  const auto written = figure("wavefronts.written");
  if (!conflicts || !read || !written) return {};
  return *conflicts == 0 ? size_t{0} : 2 * *conflicts < *read + *written ? size_t{1} : size_t{2};
}

std::vector<std::string> faster_options() {
  return {"A", "B", "as fast as each other, within 2 %"};
}

/// By the model, both without what only one of them may have been asked for.
std::optional<size_t> right_faster(const AppState& state) {
  const AppState* b = second_of(state);
  if (!b || !state.derived.legal() || !b->derived.legal()) return {};
  const double ours = comparable_prediction(state, false).us;
  const double theirs = comparable_prediction(*b, false).us;
  if (ours <= 0 || theirs <= 0) return {};
  if (std::max(ours, theirs) < 1.02 * std::min(ours, theirs)) return size_t{2};
  return ours < theirs ? size_t{0} : size_t{1};
}

constexpr ChoiceFact kChoiceFacts[] = {
    {"limiter", "what limits how many CTAs an SM holds", "with the registers as compiled",
     "ctas_per_sm", limiter_options, right_limiter},
    {"bound", "what a launch waits for most", "by the model", "model.time", bound_options,
     right_bound},
    {"conflicts", "how many wavefronts of shared memory are bank conflicts", "as counted",
     "conflicts", conflict_options, right_conflicts},
    {"faster", "which of A and B takes less time", "by the model", "model.time", faster_options,
     right_faster},
};

}  // namespace

std::optional<double> lesson_unit(const std::string& unit) {
  for (const LessonUnit& one : kLessonUnits) {
    if (unit == one.name) return one.factor;
  }
  return {};
}

std::string lesson_units() {
  std::string all;
  for (const LessonUnit& one : kLessonUnits) {
    if (*one.name) all += (all.empty() ? "" : ", ") + std::string(one.name);
  }
  return all;
}

std::optional<NumberFact> number_fact(const AppState& state, const LessonStep& step) {
  if (const NamedFigure* figure = find_figure(step.fact)) {
    const auto known = figure->value(state);
    if (!known) return {};
    return NumberFact{known->value, figure->title, known->text, known->modelled};
  }
  const AppState* b = second_of(state);
  if (step.against && !b) return {};
  const LaunchFacts ours = launch_facts(state);
  const LaunchFacts theirs = step.against ? launch_facts(*b) : LaunchFacts{};
  for (const DifferenceRow& row : difference_rows(ours, theirs)) {
    if (row.id != step.fact) continue;
    if (!row.a || (step.against && (!row.b || *row.b == 0))) return {};
    NumberFact fact{*row.a, row.title, figure_text(row, row.a), row.modelled};
    if (step.against) {
      fact.value = *row.a / *row.b;
      fact.text = wording("{} of B's: {} and {}", model::four_digits(fact.value),
                          figure_text(row, row.a), figure_text(row, row.b));
    }
    return fact;
  }
  return {};
}

std::span<const ChoiceFact> choice_facts() { return kChoiceFacts; }

const ChoiceFact* find_choice_fact(const std::string& id) {
  const auto at = std::ranges::find(kChoiceFacts, std::string_view(id), &ChoiceFact::id);
  return at == std::end(kChoiceFacts) ? nullptr : at;
}

}  // namespace tilescope
