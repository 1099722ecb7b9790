// The L2 simulated beside the window: of the tile that rests, again when the compiler has told
// more.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "app/live/l2_asker.h"
#include "app/state/edit.h"
#include "tests/live/fake_client.h"

namespace tilescope {
namespace {

/// Frames of a window that has nothing but the simulation.
struct L2Window {
  AppState state = initial_state();
  std::mutex mutex;
  std::condition_variable changed;
  int woken = 0;
  WorkerLink link;
  L2Asker asker{link};  // its thread ends before what it tells

  L2Window() {
    asker.on_activity([this] {
      const std::lock_guard lock(mutex);
      ++woken;
      changed.notify_all();
    });
  }
  void frame(double seconds = 0.020) {
    state.now += seconds;
    asker.update(state, NothingElse{});
  }
  /// Frames until it is known, each after the simulation said that something is there.
  void until_known() {
    for (int told = woken; !l2_known(state); ++told) {
      frame(1), frame(1);  // the sliders have come to rest
      if (l2_known(state)) return;
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return woken > told; });
      lock.unlock();
      frame();
    }
  }
};

TEST(L2InTheWindow, IsSimulatedOfThePresentTile) {
  L2Window w;
  EXPECT_TRUE(is_busy(w.asker, w.state));
  w.until_known();
  EXPECT_FALSE(is_busy(w.asker, w.state));
  const L2Question question = l2_question(w.state);
  const model::L2Traffic alone =
      model::simulate_l2(question.plan, question.problem, question.machine);
  EXPECT_EQ(w.state.derived.l2->read, alone.read);
  EXPECT_TRUE(w.state.derived.l2->whole);
  set_tile_field(w.state, TileFieldId::raster, 1);
  EXPECT_TRUE(is_busy(w.asker, w.state));
  EXPECT_FALSE(w.state.derived.l2);
  w.until_known();
  EXPECT_NE(w.state.derived.l2->read, alone.read);
}

TEST(L2InTheWindow, WaitsUntilTheSlidersRest) {
  L2Window w;
  w.until_known();
  const int before = w.woken;
  for (const int value : {1, 2, 4, 16, 32}) {  // a drag, a frame each
    set_tile_field(w.state, TileFieldId::raster, value);
    w.frame();
  }
  EXPECT_EQ(w.woken, before) << "nothing was begun";
  w.until_known();
  EXPECT_EQ(w.woken, before + 1);
}

TEST(L2InTheWindow, AnIllegalTileHasNone) {
  L2Window w;
  set_tile_field(w.state, TileFieldId::stages, 8);
  ASSERT_FALSE(w.state.derived.legal());
  w.frame(1);
  EXPECT_FALSE(is_busy(w.asker, w.state));
}

TEST(L2InTheWindow, ClosesWhileASimulationRuns) {
  L2Window w;
  Problem p = w.state.edit.problem;
  p.m = p.n = p.k = 16384;
  set_problem(w.state, p);
  w.frame(1), w.frame(1);
  EXPECT_TRUE(is_busy(w.asker, w.state));
}

}  // namespace
}  // namespace tilescope
