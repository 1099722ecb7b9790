#include "app/features/own/bug_progress.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/features/own/own_view.h"
#include "app/state/code_link.h"
#include "app/state/present.h"
#include "app/state/text_beside.h"
#include "core/language/language.h"
#include "core/sheet/launch_sheet.h"
#include "core/sheet/sheet_error.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

constexpr int kLinesNear = 2;  // of a line of the cure: who points there has found it

/// A session's two lists of ids.
constexpr std::pair<BugState, const char*> kBugLists[] = {{BugState::found, "bugs_found"},
                                                          {BugState::proven, "bugs_proven"}};

bool has_kind(const AppState& state, const PlantedBug& bug, int line) {
  return std::ranges::any_of(present_results(state).findings, [&](const worker::CodeFinding& f) {
    return f.kind == bug.kind && (line == 0 || f.line == line);
  });
}

/// A line of it is marked, by whatever panel: one that is found fault with, or that the cure
/// changes.
bool is_pointed_at(const AppState& state, const PlantedBug& bug) {
  const int line = linked_code(state).line;
  if (line <= 0) return false;
  if (has_kind(state, bug, line)) return true;
  return std::ranges::any_of(
      bug.lines, [line](int changed) { return std::abs(changed - line) <= kLinesNear; });
}

/// Launched as it came: with another sheet it may be right without being mended.
bool is_on_its_sheet(const OwnKernel& own, const PlantedBug& bug) {
  try {
    return sheet::sheet_of_text(own.sheet) == sheet::sheet_of_text(bug.example->sheet);
  } catch (const sheet::SheetError&) {
    return false;
  }
}

/// What stands there has been run, no check finds an error, nor what was wrong with it, and what
/// comes out is right.
bool is_proven(const AppState& state, const PlantedBug& bug) {
  const OwnView& view = state.of<OwnView>();
  const Results& r = state.results;
  const bool ran =
      r.emulated && r.edit_serial == state.edit_serial && view.serial == state.edit_serial;
  if (!ran || worker::first_error(r.findings) || has_kind(state, bug, 0)) return false;
  const bool all = std::ranges::all_of(view.expected, &worker::BufferVerdict::ok);
  const bool compared = view.verdict || !view.expected.empty();
  if (!compared || !all || (view.verdict && !view.verdict->verified.ok)) return false;
  return is_on_its_sheet(*state.edit.own(), bug);
}

}  // namespace

BugState bug_state(const AppState& state, const PlantedBug& bug) {
  const auto& known = state.of<BugView>().known;
  const auto at = known.find(bug.example->id);
  return at == known.end() ? BugState::untried : at->second;
}

void look_at_bugs(AppState& state) {
  const PlantedBug* bug = bug_of(state);
  if (!bug || bug_state(state, *bug) == BugState::proven) return;
  if (is_proven(state, *bug)) {
    state.of<BugView>().known[bug->example->id] = BugState::proven;
  } else if (is_pointed_at(state, *bug)) {
    state.of<BugView>().known[bug->example->id] = BugState::found;
  }
}

std::string open_bug(AppState& state, const PlantedBug& bug) {
  std::string why = open_example(state, *bug.example);
  if (!why.empty()) return why;
  state.of<BugView>().closed.clear();
  state.of<TextBeside>() = {};
  return {};
}

std::vector<std::string> hints_of(const PlantedBug& bug) {
  std::vector<std::string> all;
  for (const std::string& hint : bug.hints) all.emplace_back(translated(hint));
  if (!bug.lines.empty()) {
    all.push_back(wording("The place is line {} of the text as it came.", bug.lines.front()));
  }
  return all;
}

void show_cure(AppState& state, const PlantedBug& bug, bool on) {
  state.of<TextBeside>() =
      on ? TextBeside{.of = file_identity(state), .text = bug.cure, .asked = true} : TextBeside{};
}

bool is_cure_shown(const AppState& state) { return text_beside(state) != nullptr; }

/// Also of none: what is not said here somebody else's state would say.
void save_bugs(const AppState& state, nlohmann::json& session) {
  for (const auto& [state_of_bug, list] : kBugLists) {
    nlohmann::json ids = nlohmann::json::array();
    for (const auto& [id, known] : state.of<BugView>().known) {
      if (known == state_of_bug) ids.push_back(id);
    }
    session[list] = std::move(ids);
  }
}

void load_bugs(AppState& state, const nlohmann::json& session) {
  auto& known = state.of<BugView>().known;
  for (const auto& [state_of_bug, list] : kBugLists) {
    const auto ids = session.find(list);
    if (ids == session.end() || !ids->is_array()) continue;
    for (const nlohmann::json& id : *ids) {
      if (!id.is_string() || !find_bug(id.get_ref<const std::string&>())) continue;
      BugState& mine = known[id.get_ref<const std::string&>()];
      mine = std::max(mine, state_of_bug);
    }
  }
}

}  // namespace tilescope
