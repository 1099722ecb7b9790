// A kernel of one's own is shown as the ladder's are: counts at its lines, its events, where values
// came from, who stores what, and what it is compared with.
#include <filesystem>
#include <fstream>
#include <random>

#include "app/features/own/own_examples.h"
#include "app/features/own/own_view.h"
#include "app/features/source/line_uses.h"
#include "app/features/tiling/observed.h"
#include "app/features/timeline/event_words.h"
#include "app/state/access_rows.h"
#include "app/state/edit.h"
#include "app/state/origins.h"
#include "app/state/playback.h"
#include "tests/ui/ui_test.h"
#include "worker/messages/findings.h"
#include "worker/messages/messages_launch.h"

namespace tilescope::ui_test {
namespace {

/// The example as it comes, in a folder of its own, run to its end.
bool example_has_run(ImGuiTestContext* ctx) {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  const auto folder = std::filesystem::temp_directory_path() / "tilescope_own_shown";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const OwnExample& example = own_examples().front();
  const std::string name = (folder / example.id).string();
  std::ofstream(name + ".cu") << example.text;
  std::ofstream(name + ".sheet.json") << example.sheet;
  open_own_kernel(state(), {name + ".cu", ""});
  return eventually(ctx, [] {
    const Results& r = state().results;
    return r.edit_serial == state().edit_serial && r.stage == Stage::done && r.emulated &&
           r.trace && state().edit.own() && !state().edit.own()->sheet.empty();
  });
}

UI_TEST("own_shown", "counts_events_findings_and_comparisons") {
  IM_CHECK(example_has_run(ctx));
  const Results& r = state().results;
  bool race = false, conflict = false;
  for (const worker::CodeFinding& f : r.findings) {
    race = race || (!f.remark && f.kind == "race" && f.line > 0);
    conflict = conflict || (f.remark && f.kind == "bank_conflict" && f.line > 0);
  }
  IM_CHECK(race);
  IM_CHECK(conflict);
  const auto uses = line_uses(state(), false);
  uint64_t wavefronts = 0;
  for (const auto& [line, use] : uses) wavefronts = std::max(wavefronts, use.figures.wavefronts);
  IM_CHECK_GT(wavefronts, 0u);
  IM_CHECK_GE(access_rows(state()).size(), 4u);
  IM_CHECK(eventually(ctx, [] { return state().of<OwnView>().verdict.has_value(); }));
  IM_CHECK(!state().of<OwnView>().verdict->verified.ok);  // warps run ahead of others
  IM_CHECK_EQ(state().of<OwnView>().expected.size(), 1u);
  IM_CHECK(!state().of<OwnView>().expected.front().ok);
  for (const char* id : {"timeline", "source", "findings", "traffic", "tiling", "launch"}) {
    show_panel(ctx, *find_panel(id));
    ctx->Yield(3);
  }
  screenshot(ctx, "own_shown");
}

UI_TEST("own_shown", "the_timeline_follows_the_chosen_cta_and_k_step") {
  IM_CHECK(example_has_run(ctx));
  show_panel(ctx, *find_panel("timeline"));
  IM_CHECK_EQ(state().results.trace->k_slices, 4);
  const auto shows = [](Coord cta) {
    return state().results.trace && state().results.trace->tile == cta;
  };
  select_cta(state(), {2, 1});
  IM_CHECK(eventually(ctx, [&] { return shows({2, 1}); }));
  IM_CHECK_EQ(state().results.trace->cta.x, 1);
  IM_CHECK_EQ(state().results.trace->cta.y, 2);
  ctx->Yield(2);
  IM_CHECK(!event_words(state()).empty());
  step_k(state(), 1);
  step_events(state(), 3);
  const Moment moment = moment_of(state());
  IM_CHECK(moment.present != nullptr);
  IM_CHECK_GT(moment.source_line, 0);
  // What is outside of the grid becomes what is inside of it.
  std::mt19937 random(11);
  for (int i = 0; i < 12; ++i) {
    const auto number = [&] { return static_cast<int>(random() % 4000) - 1000; };
    select_cta(state(), {number(), number()});
    select_warp(state(), number());
    select_lane(state(), number());
    choose_k_step(state(), number());
    scrub(state(), number());
    ctx->Yield();
    IM_CHECK_LT(state().selection.cta.row, 4);
    IM_CHECK_LT(state().selection.cta.col, 4);
    IM_CHECK_LT(state().selection.warp, 32);
  }
  IM_CHECK(eventually(ctx, [&] { return shows(state().selection.cta); }));
  screenshot(ctx, "own_timeline");
}

UI_TEST("own_shown", "tiling_is_what_was_observed_and_values_tell_their_origin") {
  IM_CHECK(example_has_run(ctx));
  select_cta(state(), {1, 2});
  show_panel(ctx, *find_panel("tiling"));
  IM_CHECK(eventually(ctx, [] {
    const ObservedView& view = state().of<ObservedView>();
    return view.seen && view.seen->box.row == 32;
  }));
  const viz::Observed& seen = *state().of<ObservedView>().seen;
  IM_CHECK_EQ(seen.of_ctas, 16u);
  IM_CHECK_EQ(seen.parts.size(), 16u);
  IM_CHECK_EQ(seen.box.col, 64);
  IM_CHECK_EQ(seen.thread_at(35, 70), 3 * 32 + 6);
  screenshot(ctx, "own_tiling");
  viz::Pick pick;
  pick.kind = viz::Pick::Kind::element;
  pick.matrix = 2, pick.row = 35, pick.col = 70;
  pick.cta_row = 1, pick.cta_col = 2;
  IM_CHECK(question_of(state(), pick).has_value());
  // Asked in each frame, as by a pointer that rests there.
  for (int frame = 0; frame < 2000 && !state().origins.answer; ++frame) {
    origin_words(state(), pick);
    ctx->Yield();
    if (!state().origins.error.empty()) break;
  }
  IM_CHECK_STR_EQ(state().origins.error.c_str(), "");
  IM_CHECK(state().origins.answer.has_value());
  IM_CHECK_EQ(state().origins.answer->terms, 128u);
  // The race, as the emulator's order of warps shows it: the next tile of B has come too early.
  IM_CHECK(state().origins.answer->wrong.find("must be the same k") != std::string::npos);
}

UI_TEST("own_shown", "a_save_that_cures_the_race_is_seen_everywhere") {
  IM_CHECK(example_has_run(ctx));
  show_panel(ctx, *find_panel("tiling"));
  IM_CHECK(eventually(ctx, [] { return state().of<ObservedView>().seen != nullptr; }));
  const auto before = state().own_launch;
  std::string text = own_examples().front().text;
  const std::string line = "Bs[threadIdx.x][k];\n";
  const size_t at = text.find(line);
  IM_CHECK(at != std::string::npos);
  text.insert(at + line.size(), "    __syncthreads();\n");
  std::ofstream(state().edit.own()->file) << text;
  IM_CHECK(eventually(ctx, [&] {
    const auto& verdict = state().of<OwnView>().verdict;
    return state().own_launch && state().own_launch != before &&
           state().results.stage == Stage::done && verdict && verdict->verified.ok;
  }));
  IM_CHECK(worker::first_error(state().results.findings) == nullptr);
  IM_CHECK(state().of<OwnView>().expected.front().ok);
  IM_CHECK(eventually(ctx, [] {
    const ObservedView& view = state().of<ObservedView>();
    return view.seen && view.of == state().own_launch;
  }));
}

UI_TEST("own_shown", "a_file_is_found_in_its_folder") {
  reset_layout(ctx);
  set_kernel(state(), "mma_multistage");
  run_command(ctx, "own.open");
  ctx->Yield(2);
  screenshot(ctx, "own_open");
  IM_CHECK(ctx->ItemExists("//Launch sheet/##own_path"));
  run_command(ctx, "own.sheet");
}

}  // namespace
}  // namespace tilescope::ui_test
