// The place of a stepped run in a session file.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "app/live/live.h"
#include "app/state/edit.h"
#include "app/state/session.h"
#include "tests/live/step_window.h"

namespace tilescope {
namespace {

using worker::calls::Step;

// A session keeps the place; of a kernel that has changed since it is dropped, with a sentence.
TEST(StepKept, APlaceIsKeptAndGoneToAgain) {
  StepWindow w;
  w.rest();
  w.looks = true;
  w.frame(), w.frame();
  w.answer(0);
  step_cta(w.state, {1, 1, 0}, false);
  w.frame();
  w.answer(0);
  step_until(w.state, "step:40", false);
  w.frame();
  w.answer(40);
  const nlohmann::json file = to_json(w.state);
  ASSERT_EQ(file["stepped"]["tick"], 40);
  for (const bool changed : {false, true}) {
    StepWindow again;
    std::string error;
    nlohmann::json opened = file;
    if (changed) opened["stepped"]["revision"] = "of another day";
    ASSERT_TRUE(open_state_text(again.state, opened.dump(), &error)) << error;
    again.rest();
    again.looks = changed;  // what is restored is gone to though no panel is in view
    again.frame(), again.frame();
    ASSERT_NE(again.asked(), nullptr);
    EXPECT_EQ(again.asked()->request<Step>().from, changed ? 0u : 40u);
    EXPECT_EQ(*again.asked()->request<Step>().cta, (BlockIndex{1, 1, 0}));
    const std::string note = again.view().note;
    EXPECT_EQ(note.empty(), !changed) << note;
    if (changed) {
      EXPECT_NE(note.find("CTA 1,1 warp 0, step 0"), std::string::npos) << note;
    }
    again.answer(0);
    EXPECT_EQ(again.view().note, note) << "still to be read";
    EXPECT_FALSE(again.view().restore) << "once";
  }
  // Of another tile it says nothing.
  StepWindow other;
  std::string error;
  ASSERT_TRUE(open_state_text(other.state, file.dump(), &error)) << error;
  set_tile_field(other.state, TileFieldId::stages, 2);
  other.looks = true;
  other.rest();
  other.frame(), other.frame();
  ASSERT_NE(other.asked(), nullptr);
  EXPECT_EQ(other.asked()->request<Step>().from, 0u);
  EXPECT_EQ(other.view().note, "");
}

TEST(StepKept, AKeptPlaceBearsAnyFile) {
  const KeptPlace place{.of = "naive",
                        .launch = "{}",
                        .revision = "r",
                        .cta = {1, 2, 0},
                        .whole_grid = true,
                        .warp = 3,
                        .step = 77,
                        .tick = 1000,
                        .asked = false};
  EXPECT_EQ(*kept_place_from(kept_place_json(place)), place);
  const nlohmann::json whole = kept_place_json(place);
  const nlohmann::json values =
      nlohmann::json::parse(R"([null, -1, 1e300, "x", [1, 2], [-1, 0, 0], true, {}, 4294967297])");
  for (const auto& [key, unused] : whole.items()) {
    for (const nlohmann::json& value : values) {
      nlohmann::json file = whole;
      file[key] = value;
      if (const auto read = kept_place_from(file)) {
        EXPECT_GE(read->tick, 0);
        EXPECT_GE(read->cta.x, 0);
        EXPECT_LE(read->warp, 31);
      }
    }
  }
  EXPECT_FALSE(kept_place_from(5));
  EXPECT_FALSE(kept_place_from(nlohmann::json::object()));
}

}  // namespace
}  // namespace tilescope
