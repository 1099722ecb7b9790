#include "app/features/lessons/lesson_player.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "app/features/lessons/lesson_facts.h"
#include "app/features/lessons/lesson_run.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

using Kind = LessonStep::Kind;

class LessonPlaying {
 public:
  LessonPlaying(const Lesson& lesson, AppState& state,
                const std::function<bool(AppState&)>& advance, const LessonWatch& watch)
      : lesson_(lesson), state_(state), advance_(advance), watch_(watch) {}

  LessonPlay play() {
    open_lesson(state_, lesson_.id, -1);
    for (size_t i = 0; i < lesson_.steps.size(); ++i) {
      const LessonStep& step = lesson_.steps[i];
      go_to_step(state_, static_cast<int>(i));
      if (watch_.asked) watch_.asked(i);
      const std::string fault = fault_of(step);
      if (!fault.empty()) told_.faults.push_back({lesson_.id + ".md", step.line, fault});
      if (watch_.answered && fault.empty()) watch_.answered(i);
      ++told_.steps;
    }
    return std::move(told_);
  }

 private:
  LessonView& view() { return state_.of<LessonView>(); }

  /// Frames go by until it is known.
  template <class Fact>
  auto wait_for(const Fact& fact) -> decltype(fact()) {
    auto known = fact();
    while (!known) {
      ask_for_fact(state_);
      if (!advance_(state_)) break;
      known = fact();
    }
    return known;
  }

  /// The answer is given, and the verdict must be this one.
  std::string verdict_of(const std::function<void()>& answer, LessonVerdict wanted) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    answer();
    told_.answered_ms.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    if (view().verdict == wanted) return {};
    return wording("{} answer was not found to be so: {}",
                   wanted == LessonVerdict::right ? "the right" : "a wrong", view().words);
  }

  std::string both(const std::function<void()>& wrong, const std::function<void()>& right) {
    if (wrong) {
      if (std::string fault = verdict_of(wrong, LessonVerdict::wrong); !fault.empty()) return fault;
    }
    return verdict_of(right, LessonVerdict::right);
  }

  std::string number(const LessonStep& step) {
    const auto fact = wait_for([&] { return number_fact(state_, step); });
    if (!fact) return wording("the figure \"{}\" was never known", step.fact);
    const double value = fact->value / lesson_unit(step.unit).value_or(1);
    const double off = value == 0 ? 1 : value * (1 + 2 * step.within);
    return both([&] { answer_number(state_, fmt::format("{}", off)); },
                [&] { answer_number(state_, fmt::format("{}", value)); });
  }

  std::string choice(const LessonStep& step) {
    const ChoiceFact* fact = find_choice_fact(step.fact);
    if (!fact) return "there is no such choice";
    const auto right = wait_for([&] { return fact->right(state_); });
    if (!right) return wording("the choice \"{}\" was never known", step.fact);
    const size_t other = (*right + 1) % fact->options().size();
    return both([&] { answer_choice(state_, static_cast<int>(other)); },
                [&] { answer_choice(state_, static_cast<int>(*right)); });
  }

  std::string pick(const LessonStep& step) {
    const PickFact* fact = find_pick_fact(step.fact);
    if (!fact) return "there is no such pick";
    const auto already = wait_for([&] { return fact->right(state_, step.of); });
    if (!already) return wording("the pick \"{}\" was never known", step.fact);
    if (*already) return "one is in the right place before anything was clicked";
    return both(nullptr, [&] {
      fact->choose(state_, step.of);
      look_at_lesson(state_);
    });
  }

  std::string act(const LessonStep& step) {
    return both(nullptr, [&] {
      const std::string fault = do_as_typed(state_, step.changes);
      if (fault.empty()) look_at_lesson(state_);
    });
  }

  std::string fault_of(const LessonStep& step) {
    switch (step.kind) {
      case Kind::read:
        return {};
      case Kind::act:
        return act(step);
      case Kind::number:
        return number(step);
      case Kind::choice:
        return choice(step);
      case Kind::pick:
        return pick(step);
    }
    return {};
  }

  const Lesson& lesson_;
  AppState& state_;
  const std::function<bool(AppState&)>& advance_;
  const LessonWatch& watch_;
  LessonPlay told_;
};

}  // namespace

LessonPlay play_lesson(const Lesson& lesson, AppState& state,
                       const std::function<bool(AppState&)>& advance, const LessonWatch& watch) {
  return LessonPlaying(lesson, state, advance, watch).play();
}

}  // namespace tilescope
