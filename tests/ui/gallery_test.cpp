// Planted bugs in the window: opened from Learn, hinted at, mended by what the cure shows, and
// proven right; by keyboard alone and by mouse.
#include <filesystem>
#include <string>

#include "app/features/own/bug_progress.h"
#include "app/features/own/own_bugs.h"
#include "app/state/edit.h"
#include "app/state/text_beside.h"
#include "core/files/whole_file.h"
#include "tests/ui/hands.h"
#include "tests/ui/ui_test.h"

namespace tilescope::ui_test {
namespace {

/// The tests' window has no folder of its own: what is opened goes to this one.
class BugStore {
 public:
  explicit BugStore(const std::string& name) : before_(state().store) {
    state().store = TILESCOPE_SCREENS "/" + name;
    std::filesystem::remove_all(state().store);
    state().of<BugView>() = {};
  }
  ~BugStore() {
    leave_own_kernel(state());
    state().of<BugView>() = {};
    state().store = before_;
  }
  BugStore(const BugStore&) = delete;
  BugStore& operator=(const BugStore&) = delete;

 private:
  std::string before_;
};

bool bug_has_run(ImGuiTestContext* ctx) {
  return eventually(ctx, [] {
    const Results& r = state().results;
    return state().own_launch && r.edit_serial == state().edit_serial && r.emulated &&
           r.stage == Stage::done;
  });
}

/// From the first hint to the proof.
void mend_bug(ImGuiTestContext* ctx, Hand& hand, const PlantedBug& bug) {
  IM_CHECK_SILENT(hand.open(bug));
  IM_CHECK_SILENT(eventually(ctx, [&] { return bug_of(state()) == &bug; }));
  IM_CHECK_SILENT(bug_has_run(ctx));
  IM_CHECK(bug_state(state(), bug) == BugState::untried);

  const int hints = static_cast<int>(hints_of(bug).size());
  for (int i = 1; i <= hints; ++i) {
    IM_CHECK_SILENT(hand.press("###bug_hint", nullptr));
    IM_CHECK_EQ(state().of<BugView>().hints.at(bug.example->id), i);
  }
  screenshot(ctx, "gallery_hints");
  IM_CHECK_SILENT(hand.go_to_line(bug.lines.front()));
  IM_CHECK(eventually(ctx, [&] { return bug_state(state(), bug) == BugState::found; }));

  IM_CHECK_SILENT(hand.press("###bug_cure", nullptr));
  IM_CHECK(text_beside(state()) != nullptr);
  ctx->Yield(4);
  screenshot(ctx, "gallery_cure");
  IM_CHECK_SILENT(hand.press("###bug_cure", nullptr));
  IM_CHECK(text_beside(state()) == nullptr);
  IM_CHECK(bug_state(state(), bug) == BugState::found);

  IM_CHECK_SILENT(hand.write(bug.cure));
  const std::string file = state().edit.own()->file;
  IM_CHECK(eventually(ctx, [&] { return files::read_file(file) == bug.cure; }));
  IM_CHECK(eventually(ctx, [&] { return bug_state(state(), bug) == BugState::proven; }));
  IM_CHECK_SILENT(hand.press("To the lessons", nullptr));
  ctx->Yield(4);
  screenshot(ctx, "gallery_proven");
}

}  // namespace

UI_TEST("gallery", "a bug is hinted at, mended by its cure and proven right, by keyboard alone") {
  reset_layout(ctx);
  const BugStore there("gallery");
  KeyHand hand(ctx);
  mend_bug(ctx, hand, planted_bugs().front());
  hand.leave();
  reset_layout(ctx);
}

UI_TEST("gallery_mouse", "a bug is hinted at, mended by its cure and proven right, by mouse") {
  reset_layout(ctx);
  const BugStore there("gallery_mouse");
  MouseHand hand(ctx);
  mend_bug(ctx, hand, planted_bugs().back());
  hand.leave();
  reset_layout(ctx);
}

UI_TEST("gallery", "the list opens one by a click, and its card leads back to the list") {
  reset_layout(ctx);
  const BugStore there("gallery_list");
  run_command(ctx, "view.layout.learn");
  run_command(ctx, "view.reset_layout");
  show_panel(ctx, *find_panel("lesson"));
  const PlantedBug& bug = planted_bugs().front();
  const std::string row = "//Lesson/" + bug.example->id + "/##bug";
  ctx->ItemClick(row.c_str());
  IM_CHECK_SILENT(eventually(ctx, [&] { return bug_of(state()) == &bug; }));
  ctx->Yield(6);
  IM_CHECK(!ctx->ItemExists(row.c_str()));
  ctx->ItemClick("//Lesson/###bug_hint");
  IM_CHECK_EQ(state().of<BugView>().hints.at(bug.example->id), 1);
  ctx->ItemClick("//Lesson/###bug_source");
  const char* clipboard = ImGui::GetClipboardText();
  const std::string copied = clipboard ? clipboard : "";
  for (const std::string& address : bug.addresses) {
    IM_CHECK(copied.find(address) != std::string::npos);
  }
  ctx->ItemClick("//Lesson/To the lessons");
  ctx->Yield(4);
  IM_CHECK(ctx->ItemExists(row.c_str()));
  reset_layout(ctx);
}

UI_TEST("gallery", "every panel that a bug names is there") {
  for (const PlantedBug& bug : planted_bugs()) {
    if (find_panel(bug.see)) continue;
    ctx->LogError("%s: there is no panel \"%s\"", bug.example->id.c_str(), bug.see.c_str());
    IM_CHECK(false);
  }
}

}  // namespace tilescope::ui_test
