// The lessons that the program has, and what is wrong with any.

#include <algorithm>

#include "app/common/difference_rows.h"
#include "app/features/lessons/lesson.h"
#include "app/features/lessons/lesson_facts.h"
#include "app/features/lessons/lesson_run.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "app/state/second.h"
#include "core/language/language.h"
#include "lessons_text.h"

namespace tilescope {
namespace {

std::string fault_of_step(const LessonStep& step, const AppState& state) {
  using Kind = LessonStep::Kind;
  if (!step.picture.empty() && !find_picture(step.picture)) {
    std::string names;
    for (const Picture* one : all_pictures())
      names += (names.empty() ? "" : ", ") + std::string(one->name);
    return wording("there is no picture \"{}\": it is one of {}", step.picture, names);
  }
  const auto none_of = [&](const char* kind, const auto& facts) {
    std::string names;
    for (const auto& fact : facts) names += (names.empty() ? "" : ", ") + std::string(fact.id);
    return wording("there is no {} \"{}\": it is one of {}", kind, step.fact, names);
  };
  switch (step.kind) {
    case Kind::read:
    case Kind::act:
      return {};
    case Kind::number:
      if (!lesson_unit(step.unit)) {
        return wording("\"{}\" is none of the units {}", step.unit, lesson_units());
      }
      if (step.against && !second_of(state)) {
        return "it is against B, and the lesson has no beside:";
      }
      if (find_figure(step.fact)) {
        return step.against ? wording("\"{}\" is known of A alone: without against:", step.fact)
                            : std::string();
      }
      return is_difference_row(step.fact)
                 ? std::string()
                 : wording("\"{}\" is the id of no figure of Difference, and of no feature",
                           step.fact);
    case Kind::choice:
      return find_choice_fact(step.fact) ? std::string() : none_of("choice", choice_facts());
    case Kind::pick:
      if (const PickFact* fact = find_pick_fact(step.fact)) return fact->fault(step.of);
      return none_of("pick", pick_facts());
  }
  return {};
}

struct LessonBook {
  std::vector<Lesson> lessons;
  std::vector<LessonFault> faults;
};

/// What a translated lesson says is said in place of the English; what it checks is the English
/// one's.
void teach(const LessonTranslation& translation, LessonBook& book) {
  const std::string file = fmt::format("{}/{}.md", translation.language, translation.id);
  const auto fault = [&](int line, std::string sentence) {
    book.faults.push_back({file, line, std::move(sentence)});
  };
  const auto of = std::ranges::find(book.lessons, translation.id, &Lesson::id);
  if (of == book.lessons.end()) return fault(1, "there is no English lesson of that name");
  std::vector<LessonFault> own;
  const Lesson in = parse_lesson(translation.id, translation.text, &own);
  for (const LessonFault& one : own) fault(one.line, one.sentence);
  if (in.steps.size() != of->steps.size()) {
    return fault(1, wording("it has {} steps, and the English lesson {}", in.steps.size(),
                            of->steps.size()));
  }
  std::map<std::string, std::string> messages = {{of->title, in.title}, {of->text, in.text}};
  for (size_t i = 0; i < in.steps.size(); ++i) {
    const LessonStep &to = in.steps[i], &from = of->steps[i];
    if (to.kind != from.kind || to.fact != from.fact || to.of != from.of ||
        to.changes != from.changes) {
      fault(to.line, "this step asks for something else than the English one");
    }
    messages.insert({{from.title, to.title}, {from.text, to.text}, {from.prompt, to.prompt}});
  }
  messages.erase("");
  teach_language(translation.language, messages);
}

const LessonBook& lesson_book() {
  static const LessonBook all = [] {
    LessonBook b;
    for (const auto& [id, text] : kLessonTexts)
      b.lessons.push_back(parse_lesson(id, text, &b.faults));
    for (const LessonTranslation& t : kLessonTranslations) teach(t, b);
    return b;
  }();
  return all;
}

}  // namespace

const std::vector<Lesson>& lessons() { return lesson_book().lessons; }

const Lesson* find_lesson(const std::string& id) {
  const auto at = std::ranges::find(lessons(), id, &Lesson::id);
  return at == lessons().end() ? nullptr : &*at;
}

std::vector<LessonFault> find_faults(const std::vector<Lesson>& all) {
  std::vector<LessonFault> faults;
  if (&all == &lessons()) faults = lesson_book().faults;
  for (const Lesson& lesson : all) {
    AppState state = initial_state();
    const auto check = [&](AppState& s, const std::vector<std::string>& changes, int line) {
      const std::string fault = do_as_typed(s, changes);
      if (fault.empty()) return;
      faults.push_back({lesson.id + ".md", line,
                        wording("\"{}\" is nothing that the palette can do there", fault)});
    };
    check(state, lesson.start, 1);
    if (!lesson.beside.empty()) {
      AppState b = initial_state();
      set_edit(b, state.edit);
      check(b, lesson.beside, 1);
      compare_with(state, b.edit, "B");
    }
    for (const LessonStep& step : lesson.steps) {
      if (step.kind == LessonStep::Kind::act) check(state, step.changes, step.line);
      if (std::string fault = fault_of_step(step, state); !fault.empty()) {
        faults.push_back({lesson.id + ".md", step.line, std::move(fault)});
      }
    }
  }
  return faults;
}

}  // namespace tilescope
