// What the palette can do for what is typed: each answer first, done, and undone.
#include "app/state/answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "app/features/fragment/fragment_view.h"
#include "app/features/source/source_answers.h"
#include "app/state/edit.h"
#include "app/state/feature.h"
#include "app/state/match.h"
#include "app/state/presets.h"
#include "app/state/session.h"
#include "core/instructions/instructions.h"
#include "core/model/names.h"

namespace tilescope {
namespace {

std::vector<Answer> answers_to(const AppState& state, std::string_view typed) {
  std::vector<Answer> all = answers_of_features(state, typed);
  std::ranges::stable_sort(all, std::greater{}, &Answer::score);
  return all;
}

/// Does what stands first, which must be something that can be done.
void do_first(AppState& state, std::string_view typed) {
  const std::vector<Answer> all = answers_to(state, typed);
  ASSERT_FALSE(all.empty()) << typed;
  ASSERT_TRUE(all.front().run) << typed << ": " << all.front().title << ", " << all.front().effect;
  all.front().run(state);
}

std::string why_not(const AppState& state, std::string_view typed) {
  const std::vector<Answer> all = answers_to(state, typed);
  if (all.empty()) return "nothing";
  return all.front().run ? "it can: " + all.front().title : all.front().effect;
}

TEST(Match, AWholeWordIsBetterThanABeginningAndThatThanLettersInside) {
  EXPECT_GT(match_score("preset", "Skinny preset"), match_score("pre", "Skinny preset"));
  EXPECT_GT(match_score("pre", "preset"), match_score("res", "preset"));
  EXPECT_GT(match_score("res", "preset"), match_score("prst", "preset"));
  EXPECT_GT(match_score("preset", "Lab 004, thread tiles, a preset of the notes"),
            match_score("preset", "Previous event"));
  EXPECT_EQ(match_score("zq", "Layout: Learn"), 0);
  EXPECT_GT(match_score("learn layout", "Layout: Learn"), kInside);
  EXPECT_GT(match_score("128×256", "block 128x256"), 0);
}

TEST(Match, WordsAreLettersAndFigures) {
  EXPECT_EQ(words_in("M=2048, block_m"), (std::vector<std::string>{"m", "2048", "block", "m"}));
  EXPECT_EQ(words_in("alpha -0.5"), (std::vector<std::string>{"alpha", "-0.5"}));
  EXPECT_EQ(words_in("128×256"), (std::vector<std::string>{"128x256"}));
  EXPECT_TRUE(words_in(" :-) ").empty());
}

TEST(Answers, AFieldOfTheTileIsSetAndUndone) {
  AppState state = initial_state();
  const TileConfig before = state.edit.rung().tile;
  do_first(state, "stages 4");
  EXPECT_EQ(state.edit.rung().tile.stages, 4);
  undo(state);
  EXPECT_EQ(state.edit.rung().tile, before);
  do_first(state, "swizzle off");
  EXPECT_EQ(state.edit.rung().tile.swizzle, 0);
  do_first(state, "swizzle on");
  EXPECT_EQ(state.edit.rung().tile.swizzle, 1);
  do_first(state, "block_k=32");
  EXPECT_EQ(state.edit.rung().tile.block_k, 32);
  do_first(state, "5 stages");
  EXPECT_EQ(state.edit.rung().tile.stages, 5);
}

TEST(Answers, ExtentsThatBelongTogetherAreSetAtOnce) {
  AppState state = initial_state();
  do_first(state, "block 128x256");
  EXPECT_EQ(state.edit.rung().tile.block_m, 128);
  EXPECT_EQ(state.edit.rung().tile.block_n, 256);
  undo(state);
  EXPECT_EQ(state.edit.rung().tile, initial_state().edit.rung().tile);
  do_first(state, "block 64×64×32");
  EXPECT_EQ(state.edit.rung().tile.block_k, 32);
  do_first(state, "warp 32 32");
  EXPECT_EQ(state.edit.rung().tile.warp_m, 32);
}

TEST(Answers, TheProblemIsSet) {
  AppState state = initial_state();
  do_first(state, "M 2048");
  EXPECT_EQ(state.edit.problem.m, 2048);
  EXPECT_EQ(state.edit.problem.n, 4096);
  do_first(state, "k=1k");
  EXPECT_EQ(state.edit.problem.k, 1024);
  do_first(state, "512x28672x4096");
  EXPECT_EQ(state.edit.problem.n, 28672);
  do_first(state, "size 8192");
  EXPECT_EQ(state.edit.problem.m, 8192);
  EXPECT_EQ(state.edit.problem.k, 8192);
  do_first(state, "1000^3");
  EXPECT_EQ(state.edit.problem.m, 1000);
  do_first(state, "beta -0.5");
  EXPECT_EQ(state.edit.problem.beta, -0.5f);
  do_first(state, "bias on");
  EXPECT_TRUE(state.edit.problem.bias);
}

TEST(Answers, LayoutAndTypesAreFoundByTheirNames) {
  AppState state = initial_state();
  set_kernel(state, "naive");
  do_first(state, "NN");
  EXPECT_EQ(model::layout_letters(state.edit.problem), "NN");
  do_first(state, "layout TT");
  EXPECT_EQ(model::layout_letters(state.edit.problem), "TT");
  set_kernel(state, "mma_multistage");
  do_first(state, "bf16");
  EXPECT_EQ(state.edit.problem.type_a, ElementType::bf16);
}

TEST(Answers, SeveralOfThemAreOneStepOfUndo) {
  AppState state = initial_state();
  do_first(state, "stages 4, swizzle off, M 512");
  EXPECT_EQ(state.edit.rung().tile.stages, 4);
  EXPECT_EQ(state.edit.rung().tile.swizzle, 0);
  EXPECT_EQ(state.edit.problem.m, 512);
  undo(state);
  EXPECT_TRUE(same_request(state.edit, initial_state().edit));
}

TEST(Answers, WhatCannotBeIsAnsweredWithWhatCan) {
  AppState state = initial_state();
  EXPECT_NE(why_not(state, "stages 77").find("can be 2, 3"), std::string::npos)
      << why_not(state, "stages 77");
  EXPECT_EQ(why_not(state, "M 0"), "M is a whole number from 1 to 1,048,576");
  EXPECT_NE(why_not(state, "block 1x2x3x4").find("has 3 extents"), std::string::npos);
  EXPECT_NE(why_not(state, "promote 4").find("has none; rungs 17, 18 have"), std::string::npos)
      << why_not(state, "promote 4");
  EXPECT_NE(why_not(state, "line 1000000").find("has "), std::string::npos);
}

TEST(Answers, AnIllegalTileIsSaidBefore) {
  AppState state = initial_state();
  const std::vector<Answer> all = answers_to(state, "stages 8");
  ASSERT_FALSE(all.empty());
  AppState tile = state;
  all.front().run(tile);
  EXPECT_FALSE(tile.derived.legal());
  EXPECT_NE(all.front().effect.find("illegal"), std::string::npos) << all.front().effect;
}

TEST(Answers, AnInstructionIsShownAndTakenBack) {
  AppState state = initial_state();
  do_first(state, "wgmma 64x256");
  ASSERT_TRUE(shown_instruction(state));
  const std::string name = shown_instruction(state)->name;
  EXPECT_NE(name.find("wgmma"), std::string::npos);
  EXPECT_NE(name.find("m64n256"), std::string::npos);
  EXPECT_TRUE(can_undo(state));
  undo(state);
  EXPECT_FALSE(shown_instruction(state));
  EXPECT_FALSE(can_undo(state));
  for (const model::Instruction& instruction : model::instructions()) {
    AppState then = initial_state();
    do_first(then, instruction.name);
    ASSERT_TRUE(shown_instruction(then)) << instruction.name;
    EXPECT_EQ(shown_instruction(then)->name, instruction.name);
  }
}

TEST(Answers, AnEditAfterwardsIsUndoneFirst) {
  AppState state = initial_state();
  do_first(state, "wgmma 64x256");
  do_first(state, "stages 4");
  undo(state);
  EXPECT_EQ(state.edit.rung().tile.stages, initial_state().edit.rung().tile.stages);
  EXPECT_TRUE(shown_instruction(state)) << "an edit forgets what was to be taken back";
}

TEST(Answers, EveryPresetIsFoundByItsName) {
  for (const Preset& preset : presets()) {
    AppState state = initial_state();
    if (same_request(preset.edit, state.edit)) continue;
    do_first(state, preset.name);
    EXPECT_TRUE(same_request(state.edit, preset.edit)) << preset.name;
    undo(state);
    EXPECT_TRUE(same_request(state.edit, initial_state().edit)) << preset.name;
  }
}

TEST(Answers, ALineOfSourceIsShown) {
  AppState state = initial_state();
  do_first(state, ":12");
  EXPECT_EQ(state.of<SourceAsked>().line, 12);
  do_first(state, "line 3");
  EXPECT_EQ(state.of<SourceAsked>().line, 3);
  do_first(state, "MmaMultistage");
  EXPECT_GT(state.of<SourceAsked>().line, 3);
}

TEST(Answers, ALayerIsFoundByTheNetwork) {
  AppState state = initial_state();
  const std::vector<Answer> all = answers_to(state, "qwen mlp up");
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().title, "qwen2.5-72B · MLP up");
  EXPECT_EQ(all.front().panel, "workload");
}

/// Each letter that one types on the way to something.
TEST(Answers, EachTitleTypedIsTheFirstAnswerOfEveryKernel) {
  for (const KernelEntry& kernel : kernel_table()) {
    AppState state = initial_state();
    set_kernel(state, kernel.info.id);
    for (const std::string_view typed :
         {"stages", "block", "swizzle", "layout", "M", "warp", "split", "cluster", "types", "bias",
          "wgmma", "ldmatrix x4"}) {
      for (const Answer& answer : answers_to(state, typed)) {
        if (!answer.run) continue;
        const std::vector<Answer> again = answers_to(state, answer.title);
        ASSERT_FALSE(again.empty()) << kernel.info.id << ": " << answer.title;
        EXPECT_EQ(again.front().title, answer.title) << kernel.info.id << ", typed: " << typed;
      }
    }
  }
}

TEST(Answers, WhateverIsTypedIsBorne) {
  std::mt19937 random(7);
  const std::vector<std::string> parts = {
      "stages", "block",    "M",    "N",    "K",     "128",    "256x", "x",    "×",
      "^3",     "\xc2\xb3", "=",    ":",    ",",     " ",      "-1",   "1e9",  "nan",
      "inf",    "4k",       "line", "99",   "wgmma", "64x256", "TN",   "bf16", "\t",
      "off",    "on",       "\n",   "\xff", "层",    "preset", ".",    "0.5",  "alpha"};
  const auto part = [&] { return parts[random() % parts.size()]; };
  for (int i = 0; i < 1500; ++i) {
    AppState state = initial_state();
    if (i % 3 == 0) {
      const KernelTable all = kernel_table();
      set_kernel(state, all.entries[random() % static_cast<unsigned>(all.count)].info.id);
    }
    if (i % 11 == 0) open_own_kernel(state, {"/nowhere/sgemm.cu", ""});
    std::string typed;
    for (size_t n = random() % 6; n > 0; --n) typed += part() + (random() % 2 ? " " : "");
    for (const Answer& answer : answers_of_features(state, typed)) {
      EXPECT_FALSE(answer.title.empty()) << typed;
      if (!answer.run) {
        EXPECT_FALSE(answer.effect.empty()) << typed;
        continue;
      }
      AppState then = state;
      answer.run(then);
      const bool edited = then.edit_serial != state.edit_serial;
      undo(then);
      if (edited) EXPECT_TRUE(same_request(then.edit, state.edit)) << typed << ": " << answer.title;
    }
  }
}

}  // namespace
}  // namespace tilescope
