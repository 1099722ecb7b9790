#include "app/features/fragment/fragment_answers.h"

#include <algorithm>

#include "app/features/fragment/fragment_view.h"
#include "app/state/match.h"
#include "core/instructions/instructions.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

constexpr size_t kMostInstructions = 8;
constexpr size_t kFewestOfName = 3;

std::string shown_name(const AppState& state) {
  const model::Instruction* shown = shown_instruction(state);
  return shown ? shown->short_name : tr("the kernel's own");
}

}  // namespace

std::vector<Answer> fragment_answers(const AppState& state, std::string_view typed) {
  std::vector<Answer> answers;
  if (typed.size() < kFewestOfName) return answers;
  const std::string before = state.of<FragmentView>().atom.name;
  const auto add = [&](std::string title, std::string effect, int score, std::string name) {
    answers.push_back({.title = std::move(title),
                       .effect = std::move(effect),
                       .score = score,
                       .run =
                           [name = std::move(name), before](AppState& s) {
                             show_atom(s, name);
                             can_take_back(s,
                                           [before](AppState& then) { show_atom(then, before); });
                           },
                       .panel = "fragment"});
  };
  if (!before.empty()) {
    const int score = match_score(typed, "the kernel's own instruction fragment");
    if (score > kInside) {
      add("The kernel's own instruction", wording("Fragment: in place of {}", shown_name(state)),
          score, "");
    }
  }
  std::vector<const model::Instruction*> found = model::search_instructions(typed);
  // A whole name is one of them; else what was typed is a part of each, and rungs and settings
  // that are called by it come first.
  int score = kWholeWord - 40;
  if (found.size() > kMostInstructions) found.resize(kMostInstructions);
  for (const model::Instruction* instruction : found) {
    const bool whole = typed == instruction->name || typed == instruction->cute_name;
    add(instruction->name,
        wording("Fragment: {}, in place of {}", instruction->short_name, shown_name(state)),
        whole ? kExact : score--, instruction->name);
  }
  return answers;
}

}  // namespace tilescope
