// What a prediction is held against: what was executed, counted or modelled of what stands there.
// A lesson names one of these; it holds no right answer itself.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/features/lessons/lesson.h"
#include "app/state/app_state.h"

namespace tilescope {

/// A figure: the ids are those of the Difference panel's rows (app/common/difference_rows.h), or of
/// features' figures (app/state/feature.h).
struct NumberFact {
  double value = 0;
  std::string title;      // "L2 → SM"
  std::string text;       // "~67.11 MB"
  bool modelled = false;  // else counted, compiled or measured
};
/// Nothing where it is not known yet, or not of what stands there.
std::optional<NumberFact> number_fact(const AppState& state, const LessonStep& step);

/// What an answer's number is multiplied by to be in the fact's own unit; nothing: no such unit.
std::optional<double> lesson_unit(const std::string& unit);
/// "B, kB, MB, …".
std::string lesson_units();

/// One of a few.
struct ChoiceFact {
  const char* id;    // "limiter"
  const char* what;  // "what limits how many CTAs an SM holds"
  const char* how;   // the right one is known: "by the model"
  const char* row;   // of the figure that tells it (app/common/difference_rows.h)
  std::vector<std::string> (*options)();
  /// Index of the right one; nothing where it is not known yet.
  std::optional<size_t> (*right)(const AppState&);
};
std::span<const ChoiceFact> choice_facts();
const ChoiceFact* find_choice_fact(const std::string& id);

/// A place that is clicked.
struct PickFact {
  const char* id;         // "lane"
  const char* arguments;  // "OPERAND ROW COLUMN"
  const char* what;
  /// Why these arguments are none; empty: they are.
  std::string (*fault)(const std::vector<std::string>& of);
  /// Where a person is now, as a place to be right or wrong about; empty: nowhere yet.
  std::string (*chosen)(const AppState&);
  /// The same as pictures mark it; no place: nowhere yet.
  AnswerPlaces (*answered)(const AppState&, const std::vector<std::string>& of);
  /// All places that are right, alike; nothing where they are not known yet.
  std::optional<AnswerPlaces> (*wanted)(const AppState&, const std::vector<std::string>& of);
  /// Goes to a place that is not the present one, where there is another.
  void (*leave)(AppState&);
  /// Goes to a right place; false: there is none.
  bool (*choose)(AppState&, const std::vector<std::string>& of);

  /// Whether where a person is is among them; nothing where that is not known yet.
  std::optional<bool> right(const AppState& state, const std::vector<std::string>& of) const;
};
std::span<const PickFact> pick_facts();
const PickFact* find_pick_fact(const std::string& id);

}  // namespace tilescope
