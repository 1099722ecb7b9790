// Planted bugs: what their files say of each, in each language, and how far a person has come.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "app/features/lessons/lesson_run.h"
#include "app/features/own/bug_progress.h"
#include "app/features/own/own_bugs.h"
#include "app/features/own/own_view.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/session.h"
#include "app/state/text_beside.h"
#include "core/files/whole_file.h"
#include "core/language/language.h"

namespace tilescope {
namespace {

TEST(Gallery, EachFileIsListedWithHintsItsCureAndARealSource) {
  const auto files = std::ranges::count_if(
      own_examples(), [](const OwnExample& example) { return example.is_planted_bug; });
  EXPECT_EQ(planted_bugs().size(), static_cast<size_t>(files));
  EXPECT_GE(files, 20);
  for (const PlantedBug& bug : planted_bugs()) {
    SCOPED_TRACE(bug.example->id);
    EXPECT_EQ(find_bug(bug.example->id), &bug);
    EXPECT_GE(bug.hints.size(), 2u);
    for (const std::string& hint : bug.hints) EXPECT_FALSE(hint.empty());
    EXPECT_EQ(hints_of(bug).size(), bug.hints.size() + 1);  // the last one names the line
    EXPECT_FALSE(bug.kind.empty());
    EXPECT_FALSE(bug.source.empty());
    EXPECT_FALSE(bug.addresses.empty());
    for (const std::string& address : bug.addresses) {
      EXPECT_TRUE(address.starts_with("https://github.com/")) << address;
      EXPECT_GE(std::ranges::count(address, '/'), 4) << address;  // an owner and a repository
    }
    EXPECT_NE(bug.cure, bug.example->text);
    ASSERT_FALSE(bug.lines.empty());
    EXPECT_TRUE(std::is_sorted(bug.lines.begin(), bug.lines.end()));
    const auto lines = static_cast<int>(files::lines_of(bug.example->text).size());
    EXPECT_TRUE(bug.lines.front() >= 1 && bug.lines.back() <= lines);
  }
}

TEST(Gallery, SaysTitlesAndHintsInEachLanguage) {
  ASSERT_FALSE(planted_bugs().empty());
  for (const LanguageName& one : languages()) {
    if (one.id == "en") continue;
    ASSERT_TRUE(use_language(one.id));
    for (const PlantedBug& bug : planted_bugs()) {
      EXPECT_NE(translated(bug.example->title), bug.example->title) << one.id;
      for (const std::string& hint : bug.hints) EXPECT_NE(translated(hint), hint) << one.id;
      EXPECT_NE(hints_of(bug).front(), bug.hints.front());
    }
  }
  use_language("en");
}

TEST(Gallery, ADiffIsPutOnWhereItSays) {
  const std::string text = "a\nb\nc\nd\ne\n";
  const PatchedText made = patched_text(
      text, "--- x.cu\n+++ x.cu\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -5,1 +5,2 @@\n e\n+f\n");
  EXPECT_EQ(made.text, "a\nB\nc\nd\ne\nf\n");
  EXPECT_EQ(made.lines, (std::vector<int>{2, 5}));
  EXPECT_EQ(patched_text(text, "").text, text);
  // One that is for another text does no harm.
  EXPECT_TRUE(patched_text("a\n", "@@ -9,2 +9,2 @@\n x\n-y\n+z\n").text.starts_with("a\n"));
}

TEST(Gallery, AddressesAreThoseOfWhatIsNamed) {
  const std::string site = "https://github.com/";
  EXPECT_EQ(addresses_of("a/b PR #387 and PR #1534, c/d issue #321 (some_kernel)"),
            (std::vector<std::string>{site + "a/b/issues/387", site + "a/b/issues/1534",
                                      site + "c/d/issues/321"}));
  EXPECT_EQ(addresses_of("a/b PR #6; explained by c/d-e, file.cu"),
            (std::vector<std::string>{site + "a/b/issues/6", site + "c/d-e"}));
  EXPECT_TRUE(addresses_of("").empty());
  EXPECT_TRUE(addresses_of("somebody's own").empty());
}

/// A bug is open and has been run, with nothing found and a right result.
AppState state_with_bug(const PlantedBug& bug) {
  AppState state = initial_state();
  state.store = "store";
  open_own_kernel(state, {example_file(state, *bug.example), bug.example->sheet});
  OwnView& view = state.of<OwnView>();
  view.serial = state.results.edit_serial = state.edit_serial;
  state.results.emulated.emplace();
  view.verdict.emplace();
  view.verdict->verified.ok = true;
  return state;
}

TEST(BugProgress, WhoPointsAtTheLineHasFoundIt) {
  const PlantedBug& bug = planted_bugs().front();
  AppState state = state_with_bug(bug);
  state.of<OwnView>().verdict.reset();
  ASSERT_EQ(bug_of(state), &bug);
  look_at_bugs(state);
  EXPECT_EQ(bug_state(state, bug), BugState::untried);
  link_place(state, {.line = 1});
  look_at_bugs(state);
  EXPECT_EQ(bug_state(state, bug), BugState::untried);
  link_place(state, {.line = bug.lines.front()});
  look_at_bugs(state);
  EXPECT_EQ(bug_state(state, bug), BugState::found);
}

TEST(BugProgress, ALineThatAFindingOfItsKindNamesWillDo) {
  const PlantedBug& bug = planted_bugs().front();
  AppState state = state_with_bug(bug);
  worker::CodeFinding& finding = state.results.findings.emplace_back();
  finding.kind = bug.kind, finding.line = 1;
  look_at_bugs(state);
  EXPECT_EQ(bug_state(state, bug), BugState::untried);
  link_place(state, {.line = 1});
  look_at_bugs(state);
  EXPECT_EQ(bug_state(state, bug), BugState::found);
}

TEST(BugProgress, ProvenIsWhatHasRunAsItCameAndIsRight) {
  for (const PlantedBug& bug : planted_bugs()) {
    SCOPED_TRACE(bug.example->id);
    AppState state = state_with_bug(bug);
    look_at_bugs(state);
    EXPECT_EQ(bug_state(state, bug), BugState::proven);
  }
  const PlantedBug& bug = planted_bugs().front();
  const auto is_not_proven = [&](const char* why, void (*change)(AppState&)) {
    AppState state = state_with_bug(bug);
    change(state);
    look_at_bugs(state);
    EXPECT_NE(bug_state(state, bug), BugState::proven) << why;
  };
  is_not_proven("not run", [](AppState& s) { s.results.emulated.reset(); });
  is_not_proven("of an edit before", [](AppState& s) { --s.results.edit_serial; });
  is_not_proven("not compared", [](AppState& s) { s.of<OwnView>().verdict.reset(); });
  is_not_proven("wrong", [](AppState& s) { s.of<OwnView>().verdict->verified.ok = false; });
  is_not_proven("wrong beside", [](AppState& s) { s.of<OwnView>().expected.emplace_back(); });
  is_not_proven("an error",
                [](AppState& s) { s.results.findings.emplace_back().kind = "out_of_bounds"; });
  is_not_proven("a remark of its kind", [](AppState& s) {
    worker::CodeFinding& finding = s.results.findings.emplace_back();
    finding.kind = planted_bugs().front().kind, finding.remark = true;
  });
  is_not_proven("another sheet", [](AppState& s) {
    std::get<OwnKernel>(s.edit.subject).sheet = R"({"entry": "sgemm_tiles"})";
  });
}

TEST(BugProgress, IsKeptAndOnlyGetsBetter) {
  const std::span<const PlantedBug> bugs = planted_bugs();
  ASSERT_GE(bugs.size(), 3u);
  AppState before;
  before.of<BugView>().known = {{bugs[0].example->id, BugState::found},
                                {bugs[1].example->id, BugState::proven}};
  nlohmann::json session = nlohmann::json::object();
  save_bugs(before, session);
  AppState after;
  after.of<BugView>().known = {{bugs[0].example->id, BugState::proven}};
  load_bugs(after, session);
  EXPECT_EQ(bug_state(after, bugs[0]), BugState::proven);
  EXPECT_EQ(bug_state(after, bugs[1]), BugState::proven);
  EXPECT_EQ(bug_state(after, bugs[2]), BugState::untried);
  for (const char* odd : {R"({"bugs_found": 3})", R"({"bugs_proven": ["no such", 4, null]})"}) {
    AppState fresh;
    load_bugs(fresh, nlohmann::json::parse(odd));
    EXPECT_TRUE(fresh.of<BugView>().known.empty()) << odd;
  }
}

TEST(BugProgress, NobodyElseSaysHowFarItIs) {
  const PlantedBug& bug = planted_bugs().front();
  AppState sent = initial_state();
  sent.of<BugView>().known = {{bug.example->id, BugState::proven}};
  sent.of<LessonView>().done = {{lessons().front().id, 2}};
  const std::string text = to_json(sent).dump();
  AppState here = initial_state(), again = initial_state();
  std::string error;
  ASSERT_TRUE(open_state_text(here, text, &error)) << error;
  EXPECT_EQ(bug_state(here, bug), BugState::untried);
  EXPECT_FALSE(here.of<LessonView>().done.contains(lessons().front().id));
  ASSERT_TRUE(from_json(again, nlohmann::json::parse(text), &error)) << error;
  EXPECT_EQ(bug_state(again, bug), BugState::proven) << "of one's own session";
  EXPECT_TRUE(again.of<LessonView>().done.contains(lessons().front().id));
}

TEST(Cure, IsOfTheFileThatItWasAskedFor) {
  const PlantedBug &bug = planted_bugs()[0], &other = planted_bugs()[1];
  AppState state = state_with_bug(bug);
  EXPECT_FALSE(is_cure_shown(state));
  show_cure(state, bug, true);
  ASSERT_NE(text_beside(state), nullptr);
  EXPECT_EQ(text_beside(state)->text, bug.cure);
  open_own_kernel(state, {example_file(state, *other.example), ""});
  EXPECT_FALSE(is_cure_shown(state));
  open_own_kernel(state, {example_file(state, *bug.example), ""});
  EXPECT_TRUE(is_cure_shown(state));
  show_cure(state, bug, false);
  EXPECT_FALSE(is_cure_shown(state));
}

}  // namespace
}  // namespace tilescope
