// One history a problem, device and standing.
#include "app/state/history.h"

#include <gtest/gtest.h>

#include "app/features/fragment/proofs.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "app/state/session.h"
#include "tests/state/tune_support.h"

#include <nlohmann/json.hpp>

namespace tilescope {
namespace {

constexpr const char* kRecorded = "recorded:NVIDIA H200";

AppState on_recordings() {
  AppState s = initial_state();
  devices_found(s, {});
  recordings_found(s, {{"NVIDIA H200", "2026-11-20", 3}});
  EXPECT_EQ(s.device, kRecorded);
  return s;
}

/// As Live does at the end of an edit; without a figure the model's stands.
void finish(AppState& s, const char* standing, double tflops) {
  s.results = {};
  s.results.edit_serial = s.edit_serial;
  if (tflops > 0) {
    worker::MeasureResult m;
    m.standing = standing, m.device_name = s.gpu.name, m.tflops = tflops, m.time_us = 1;
    s.results.measured = m;
  }
  remember_result(s);
}

std::vector<int> stages(const std::vector<const HistoryPoint*>& points) {
  std::vector<int> all;
  for (const HistoryPoint* p : points) all.push_back(p->edit.rung().tile.stages);
  return all;
}

TEST(History, UndoDoesNotReorder) {
  AppState s = on_recordings();
  for (const int n : {2, 3, 4}) {
    set_tile_field(s, TileFieldId::stages, n);
    finish(s, "recorded", 100 + n);
  }
  undo(s);
  finish(s, "recorded", 200);
  EXPECT_EQ(stages(shown_history(s)), (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(shown_history(s)[1]->tflops, 200) << "the newer figure, in its old place";
}

TEST(History, ALaunchIsColdOrHotAsItWasTimed) {
  AppState s = on_recordings();
  const auto time = [&] { return launch_time(s, point_of(s)); };
  EXPECT_EQ(time().caption, "a launch") << "modelled";
  finish(s, "recorded", 400);
  EXPECT_EQ(time().caption, "median, cold L2");
  EXPECT_EQ(time().tip.find("Hot"), std::string::npos) << "no figure, no words";
  s.results.measured->hot_tflops = 512.5;
  EXPECT_NE(time().tip.find("left it: 512.5 TFLOPS"), std::string::npos) << time().tip;
  s.results.measured->library = "cuBLASLt 13.1", s.results.measured->hot_library_tflops = 640;
  EXPECT_NE(time().tip.find("; cuBLASLt 13.1: 640 TFLOPS"), std::string::npos) << time().tip;
  s.results.measured->cold = false;
  EXPECT_EQ(time().caption, "median, hot L2");
  EXPECT_NE(time().tip.find("(hot)"), std::string::npos);
}

TEST(History, OfAnotherProblemIsAnotherOne) {
  AppState s = on_recordings();
  finish(s, "recorded", 400);
  Problem p = s.edit.problem;
  p.m = 2048;
  set_problem(s, p);
  EXPECT_TRUE(shown_history(s).empty());
  finish(s, "recorded", 300);
  ASSERT_EQ(shown_history(s).size(), 1u);
  EXPECT_EQ(shown_history(s)[0]->tflops, 300);
  undo(s);
  ASSERT_EQ(shown_history(s).size(), 1u);
  EXPECT_EQ(shown_history(s)[0]->tflops, 400);
}

TEST(History, OfAnotherDeviceOrByOtherMeansIsAnotherOne) {
  AppState s = on_recordings();
  finish(s, "recorded", 400);
  worker::DeviceInfo h200, a100;
  h200.id = "cuda:0", h200.name = "NVIDIA H200";
  a100.id = "cuda:1", a100.name = "NVIDIA A100 SXM 80GB", a100.limits.sm = 80;
  devices_found(s, {h200, a100});
  EXPECT_EQ(s.device, "cuda:0");
  EXPECT_TRUE(shown_history(s).empty()) << "recorded by others, if on the same kind of card";
  finish(s, "measured", 450);
  ASSERT_EQ(shown_history(s).size(), 1u);
  choose_device(s, "cuda:1");
  EXPECT_TRUE(shown_history(s).empty());
  choose_device(s, kRecorded);
  ASSERT_EQ(shown_history(s).size(), 1u);
  EXPECT_EQ(shown_history(s)[0]->tflops, 400);
  choose_device(s, kEmulator);
  EXPECT_TRUE(shown_history(s).empty());
  EXPECT_EQ(s.history.size(), 2u);
}

TEST(History, ModelledPointsAreThereAndAreMarked) {
  AppState s = on_recordings();
  finish(s, "recorded", 100);
  set_tile_field(s, TileFieldId::stages, 4);
  finish(s, "", 0);
  const auto shown = shown_history(s);
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_TRUE(is_timed(shown[0]->standing));
  EXPECT_FALSE(is_timed(shown[1]->standing));
  EXPECT_GT(*shown[1]->tflops, 100) << "modelled, which may not rank above what was timed";
  // A recording that comes later does not replace what the model said, and the other way round.
  finish(s, "recorded", 410);
  EXPECT_EQ(shown_history(s).size(), 3u);
}

TEST(History, TheSessionKeepsTheDeviceAndWhatIsOld) {
  AppState s = on_recordings();
  s.results.edit_serial = s.edit_serial;
  finish(s, "recorded", 400);
  s.history.back().older_kernel = true;
  worker::DeviceInfo card;
  card.id = "cuda:1", card.name = "Some card";
  devices_found(s, {card});
  choose_device(s, "cuda:1");
  AppState again = initial_state();
  std::string error;
  ASSERT_TRUE(from_json(again, to_json(s), &error)) << error;
  EXPECT_EQ(again.view.device, "cuda:1");
  EXPECT_EQ(again.view.device_title, "Some card (cuda:1)");
  EXPECT_TRUE(again.history.at(0).older_kernel);
  EXPECT_EQ(again.device, "") << "until it is known what there is";
  nlohmann::json before = to_json(initial_state());  // of a version with two combos
  before["view"].erase("device");
  before["view"]["bench_device"] = "cuda:2";
  ASSERT_TRUE(from_json(again = initial_state(), before, &error));
  EXPECT_EQ(again.view.device, "cuda:2");
  before["view"]["bench_device"] = "emulator";
  ASSERT_TRUE(from_json(again = initial_state(), before, &error));
  EXPECT_EQ(again.view.device, "") << "which nobody had chosen";
}

TEST(Proofs, TheStrongestStandsFirst) {
  Proofs proofs;
  const auto keep = [&](const char* device, const char* date, bool ok = true) {
    worker::Proof p;
    p.atom = "mma", p.device = device, p.date = date, p.ok = ok;
    keep_proof(proofs, p);
  };
  const auto devices = [&] {
    std::string all;
    for (const worker::Proof& p : proofs_of(proofs, "mma")) all += p.device + " " + p.date + ", ";
    return all;
  };
  EXPECT_TRUE(proofs_of(proofs, "mma").empty());
  keep("NVIDIA H200", "2026-11-20");
  keep("emulator", "2026-11-22");
  EXPECT_EQ(devices(), "NVIDIA H200 2026-11-20, emulator 2026-11-22, ");
  keep("NVIDIA H200", "2026-11-10");
  EXPECT_EQ(devices(), "NVIDIA H200 2026-11-20, emulator 2026-11-22, ");
  keep("NVIDIA A100", "2026-11-21");
  EXPECT_EQ(devices(), "NVIDIA A100 2026-11-21, NVIDIA H200 2026-11-20, emulator 2026-11-22, ");
  keep("emulator", "2026-11-23", false);
  EXPECT_EQ(devices(), "emulator 2026-11-23, NVIDIA A100 2026-11-21, NVIDIA H200 2026-11-20, ")
      << "a difference counts for most";
}

TEST(KnownTiles, AreOfThisProblemAndDeviceAcrossRestarts) {
  AppState state = state_with_card();
  worker::KnownResult stored = known(state, "mma_multistage", 400), with_library = stored;
  with_library.request.tile.stages = 4;
  with_library.library_tflops = 800;
  worker::KnownResult other = known(state, "mma_sync", 300);
  results_found(state, results_of(state), {stored, with_library, other});
  remember_result(state);  // modelled, of the present tile, which was measured before
  std::vector<HistoryPoint> tiles = known_tiles(state);
  ASSERT_EQ(tiles.size(), 2u) << "of this kernel, each tile once";
  EXPECT_EQ(tiles[0].standing, Standing::measured);
  EXPECT_DOUBLE_EQ(*tiles[0].of_library, 0.5) << "of what the library did on this problem";
  set_tile_field(state, TileFieldId::raster, 1);
  remember_result(state);
  tiles = known_tiles(state);
  ASSERT_EQ(tiles.size(), 3u) << "what is not measured is modelled, as the history has it";
  EXPECT_EQ(tiles[2].standing, Standing::modelled);
  EXPECT_NE(tiles[2].label.find("raster 1"), std::string::npos) << "told apart from the others";
  Problem p = state.edit.problem;
  p.n = 512;
  set_problem(state, p);
  EXPECT_TRUE(known_tiles(state).empty());
}

}  // namespace
}  // namespace tilescope
