// A window without one that steps, and a worker that answers what the test says.
#pragma once
#include <string>

#include "app/features/step/step_view.h"
#include "tests/live/fake_window.h"
#include "worker/messages/messages_json.h"

namespace tilescope {

struct StepWindow : FakeWindow {
  bool looks = false;  // a panel is in view
  std::string kept = "run 1";
  void frame() override {
    if (looks) view().wanted.any = view().wanted.registers = true;
    FakeWindow::frame();
  }
  StepView& view() { return state.of<StepView>(); }
  const FakeClient::Call* asked() { return client->find("step"); }
  /// The answer to what is open: a place `ticks` behind the one that was asked from.
  void answer(uint64_t ticks, bool found = true) {
    const FakeClient::Call call = *asked();
    worker::StepAnswer a;
    a.state.place.tick = call.request<worker::calls::Step>().from + ticks;
    a.state.place.ptx_line = 7, a.state.place.opcode = "add.s32";
    a.state.warps.resize(8);
    a.found = found;
    a.kept = kept;
    client->answer_as<worker::calls::Step>(call, a);
    frame();
  }
  /// All but stepping is done.
  void rest() {
    run_but([](const FakeClient::Call& call) { return call.method == "step"; });
  }
};

}  // namespace tilescope
