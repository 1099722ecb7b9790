// Access in the window: asked while somebody looks, of the CTA that is chosen and as the code
// stands; an answer to another question is not shown.
#include <gtest/gtest.h>

#include "app/features/access/access_view.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/present_launch.h"
#include "tests/live/fake_window.h"

namespace tilescope {
namespace {

using worker::calls::Accesses;

worker::AccessAnswer small_answer(const Accesses::Request& asked) {
  worker::AccessAnswer a;
  a.cta = asked.cta, a.whole_grid = asked.whole_grid;
  a.warps = 1, a.moments = 1;
  worker::AccessBuffer& b = a.buffers.emplace_back();
  b.name = "A", b.address = uint64_t{1} << 40, b.bytes = 4096, b.rows = b.cols = b.line = 32;
  b.matrix = 0;
  a.instructions.push_back({.ptx_line = 20, .line = 7});
  worker::AccessPattern& p = a.patterns.emplace_back();
  p.lanes = 1, p.bytes = 4;
  worker::AccessRecord& r = a.records.emplace_back();
  r.address = b.address, r.flags = worker::AccessRecord::kReads;
  return a;
}

struct AccessWindowed : FakeWindow {
  bool looks = true;
  void frame() override {
    if (looks) state.of<AccessView>().wanted = true;  // as a panel that is drawn says
    FakeWindow::frame();
  }
  void run() { FakeWindow::run(Accesses::name); }
  const FakeClient::Call* asked() { return client->find(Accesses::name); }
  void answer_it() {
    const FakeClient::Call call = *asked();
    client->answer_as<Accesses>(call, small_answer(call.request<Accesses>()));
    run();
  }
};

TEST(AccessInTheWindow, IsAskedOnceWhileSomebodyLooks) {
  AccessWindowed w;
  w.looks = false;
  w.run();
  EXPECT_EQ(w.asked(), nullptr);
  w.looks = true;
  w.run();
  ASSERT_NE(w.asked(), nullptr);
  EXPECT_EQ(w.asked()->device, "emulator");
  const auto request = w.asked()->request<Accesses>();
  EXPECT_EQ(request.of->request.kernel, w.state.edit.rung().kernel);
  EXPECT_TRUE(request.code.ptx);
  EXPECT_TRUE(w.live->busy(w.state));
  w.answer_it();
  ASSERT_TRUE(present_accesses(w.state));
  EXPECT_EQ(w.client->asked(Accesses::name), 1);
  EXPECT_EQ(w.asked(), nullptr);
}

TEST(AccessInTheWindow, FollowsTheChosenCtaAndTheSliders) {
  AccessWindowed w;
  w.run();
  w.answer_it();
  const BlockIndex before = w.state.of<AccessView>().of->cta;
  select_cta(w.state, {0, 0});
  EXPECT_FALSE(present_accesses(w.state));
  w.run();
  ASSERT_NE(w.asked(), nullptr);
  const FakeClient::Call late = *w.asked();
  EXPECT_FALSE(late.request<Accesses>().cta == before);
  set_tile_field(w.state, TileFieldId::stages, 4);  // before the answer has come
  w.run();
  w.client->answer_as<Accesses>(late, small_answer(late.request<Accesses>()));
  w.run();
  EXPECT_FALSE(present_accesses(w.state)) << "an answer of the tile before";
  ASSERT_NE(w.asked(), nullptr);
  w.answer_it();
  EXPECT_TRUE(present_accesses(w.state));
}

TEST(AccessInTheWindow, SaysWhyThereIsNoneAndAsksAgain) {
  AccessWindowed w;
  w.run();
  w.client->fail(w.asked()->id, {-32000, 3, "No memory for that.", {}});
  w.run();
  AccessView& view = w.state.of<AccessView>();
  EXPECT_FALSE(present_accesses(w.state));
  EXPECT_EQ(view.error, "No memory for that.");
  EXPECT_EQ(w.asked(), nullptr) << "once";
  view.of.reset();
  w.run();
  w.answer_it();
  EXPECT_TRUE(present_accesses(w.state));
  EXPECT_EQ(view.error, "");
  choose_element(w.state, {0, 0, 0});
  EXPECT_EQ(linked_code(w.state), (CodeLink{7, 20}));
}

TEST(AccessInTheWindow, WithoutAWorkerSaysSo) {
  AppState state = initial_state();
  Live live(nullptr, "The worker did not start.");
  const auto look = [&] {
    state.of<AccessView>().wanted = true;
    live.update(state);
  };
  look();
  EXPECT_NE(why_no_accesses(state).find("Live benchmark says why"), std::string::npos);
  EXPECT_EQ(state.results.error, "The worker did not start.");
  open_own_kernel(state, {"/some/kernel.ptx", "{}"});
  confirm_launch(state, {});
  look();
  EXPECT_EQ(why_no_accesses(state), "");
  EXPECT_FALSE(present_accesses(state));
  EXPECT_EQ(state.of<AccessView>().error, "The worker did not start.");
}

}  // namespace
}  // namespace tilescope
