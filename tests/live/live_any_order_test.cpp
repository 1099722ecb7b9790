// Whatever comes in whatever order: edits, answers (late ones too), failures, Stop.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>

#include "app/state/device.h"
#include "app/state/edit.h"
#include "tests/live/fake_client.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

using nlohmann::json;

enum class Act {
  frame,
  edit,
  illegal,
  answer,
  fail,
  cancelled,
  stop,
  again,
  cta,
  k_step,
  device,
  check
};
constexpr int kActs = 12;

struct Run {
  AppState state = initial_state();
  FakeClient* client;
  std::unique_ptr<Live> live;
  std::map<uint64_t, std::string> asked;  // edit serial → what its PTX says
  bool stopped = false;

  Run() {
    auto fake = std::make_unique<FakeClient>();
    client = fake.get();
    client->devices = json::array({card("cuda:0", "Some card"), card("cuda:1", "Another", 80)});
    live = std::make_unique<Live>(std::move(fake), "");
    note();
  }
  void note() { asked[state.edit_serial] = ptx_of(request_of(state.edit, state.limits.sm_count)); }

  void act(Act act, unsigned which) {
    const auto any = [&](auto f) {
      const auto& open = client->open();
      if (!open.empty()) f(open[which % open.size()].id);
    };
    const int stages[] = {2, 3, 4};
    switch (act) {
      case Act::frame:
        break;
      case Act::edit:
        set_tile_field(state, TileFieldId::stages, stages[which % 3]);
        break;
      case Act::illegal:
        set_tile_field(state, TileFieldId::stages, 8);
        break;
      case Act::answer:
        any([&](uint64_t id) { client->answer_well(id); });
        break;
      case Act::fail:
        any([&](uint64_t id) { client->fail(id, {-32000, 4, "It failed.", {}}); });
        break;
      case Act::cancelled:
        any([&](uint64_t id) { client->fail(id, {-32800, 4, "Cancelled.", {}}); });
        break;
      case Act::stop:
        live->stop(state);
        stopped = true;
        break;
      case Act::again:
        live->run_again(state);
        stopped = false;
        break;
      case Act::cta:
        select_cta(state, {static_cast<int>(which % 3), 0});
        stopped = false;
        break;
      case Act::k_step:
        state.playhead.k_step = static_cast<int>(which % 3) * 20;
        stopped = false;
        break;
      case Act::check:
        live->check_all(state);
        stopped = false;
        break;
      case Act::device:
        choose_device(state, which % 3 == 0 ? kEmulator : which % 3 == 1 ? "cuda:0" : "cuda:1");
        stopped = false;
        break;
    }
    if (!asked.contains(state.edit_serial)) stopped = false;
    note();
  }

  void frame() {
    state.now += 0.030;
    live->update(state);
    check();
  }

  void check() {
    int under_way = 0, traces = 0;
    for (const FakeClient::Call& call : client->open()) {
      if (call.cancelled || !call.of_edit()) continue;
      ++under_way;
      traces += call.method == worker::calls::Trace::name;
      RC_ASSERT(ptx_of(call.params.get<worker::KernelRequest>()) == asked[state.edit_serial]);
    }
    RC_ASSERT(traces <= 1);  // and beside it one of the others
    RC_ASSERT(under_way - traces <= 1);
    RC_ASSERT(under_way == 0 || live->busy(state));  // so that Stop is there
    if (stopped || !state.derived.legal()) RC_ASSERT(under_way == 0);
    const Results& r = state.results;
    if (r.stage == Stage::done) RC_ASSERT(r.trace != nullptr && r.emulated.has_value());
    // 0: of no edit any more, since it does not compile as it stands.
    if (r.compile && r.edit_serial != 0) RC_ASSERT(r.compile->ptx == asked[r.edit_serial]);
  }
};

void play(const std::vector<std::pair<unsigned, unsigned>>& acts) {
  Run run;
  for (const auto& [act, which] : acts) {
    run.act(static_cast<Act>(act % kActs), which);
    run.frame();
  }
  // However it went, the next edit is done as if nothing had been.
  set_tile_field(run.state, TileFieldId::stages, run.state.edit.rung().tile.stages == 3 ? 4 : 3);
  run.stopped = false;
  run.note();
  for (int i = 0; i < 200 && (i < 3 || run.live->busy(run.state)); ++i) {
    run.frame();
    const auto open = run.client->open();
    for (const FakeClient::Call& call : open) run.client->answer_well(call.id);
  }
  run.frame();
  RC_ASSERT(run.state.results.stage == Stage::done);
  RC_ASSERT(run.state.results.edit_serial == run.state.edit_serial);
  RC_ASSERT(run.state.results.compile->registers == 100);
  RC_ASSERT(run.state.results.emulated.has_value());
  RC_ASSERT(run.state.results.measured.has_value() == is_card(run.state.device));
}

TEST(LiveInAnyOrder, OnlyThePresentEditIsUnderWayAndStopReachesIt) { EXPECT_TRUE(rc::check(play)); }

}  // namespace
}  // namespace tilescope
