// What the model expects gets better as the compiler and the simulation of the L2 tell more, and is
// of the present tile alone.
#include "app/state/expectation.h"

#include <gtest/gtest.h>

#include "app/state/edit.h"

namespace tilescope {
namespace {

void compile(AppState& s, int registers, int spill_bytes) {
  s.results.edit_serial = s.edit_serial;
  s.results.compile.emplace();
  s.results.compile->registers = registers, s.results.compile->spill_bytes = spill_bytes;
}

TEST(Expectation, TakesRegistersAndSpillsInOnceTheyAreKnown) {
  AppState s = initial_state();
  const double before = s.derived.prediction.us;
  expect_again(s);
  EXPECT_EQ(s.derived.prediction.us, before) << "nothing new";
  compile(s, 255, 400);
  expect_again(s);
  EXPECT_GT(s.derived.prediction.us, before);
  set_tile_field(s, TileFieldId::stages, 2);
  EXPECT_EQ(s.derived.compiled, model::CompiledFacts{}) << "of the tile before";
}

TEST(Expectation, TheSimulatedL2IsInDramAndInTheTime) {
  AppState s = initial_state();
  const double at_best = expected_traffic(s).dram.read, us = s.derived.prediction.us;
  EXPECT_EQ(at_best, s.derived.traffic.dram.read);
  EXPECT_FALSE(expected_dram_read(s));
  model::L2Traffic l2;
  l2.read = 100 * at_best;
  take_l2(s, l2_question(s), l2);
  EXPECT_TRUE(l2_known(s));
  EXPECT_DOUBLE_EQ(expected_traffic(s).dram.read, 100 * at_best);
  EXPECT_DOUBLE_EQ(expected_traffic(s).dram.read_elements,
                   100 * s.derived.traffic.dram.read_elements);
  EXPECT_GT(s.derived.prediction.us, us);
  EXPECT_STREQ(s.derived.prediction.bound, "DRAM");
  EXPECT_EQ(s.derived.traffic.dram.read, at_best) << "what is at best stays";
}

TEST(Expectation, ASimulationOfAnotherTileIsNotTaken) {
  AppState s = initial_state();
  const L2Question old = l2_question(s);
  set_tile_field(s, TileFieldId::raster, 16);
  take_l2(s, old, {});
  EXPECT_FALSE(s.derived.l2);
  take_l2(s, l2_question(s), {});
  EXPECT_TRUE(l2_known(s));
  set_tile_field(s, TileFieldId::raster, 8);
  EXPECT_FALSE(s.derived.l2) << "gone with the tile";
}

TEST(Expectation, ASimulationIsOldWhenTheCompilerSaysHowManyCtasFit) {
  AppState s = initial_state();
  // Small enough in shared memory that registers limit the CTAs.
  TileConfig tile = s.edit.rung().tile;
  tile.block_m = tile.block_n = 64, tile.block_k = 32, tile.stages = 2;
  set_tile(s, tile);
  ASSERT_TRUE(s.derived.legal());
  take_l2(s, l2_question(s), {});
  EXPECT_TRUE(l2_known(s));
  compile(s, 255, 0);
  const int slots = l2_question(s).machine.slots;
  compile(s, 64, 0);
  EXPECT_GT(l2_question(s).machine.slots, slots) << "else this test says nothing";
  EXPECT_FALSE(l2_known(s));
}

TEST(Expectation, OfAnIllegalTileIsNothing) {
  AppState s = initial_state();
  set_tile_field(s, TileFieldId::stages, 8);
  ASSERT_FALSE(s.derived.legal());
  take_l2(s, {}, {});
  EXPECT_FALSE(s.derived.l2);
  expect_again(s);
  EXPECT_EQ(s.derived.prediction.us, 0);
}

}  // namespace
}  // namespace tilescope
