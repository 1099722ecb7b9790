// The state and what keeps its worker busy, without a window: frames pass when the test says so.
#pragma once
#include <functional>
#include <memory>
#include <utility>

#include "app/state/edit.h"
#include "tests/live/fake_client.h"

namespace tilescope {

struct FakeWindow {
  AppState state = initial_state();
  FakeClient* client = nullptr;
  std::unique_ptr<Live> live;
  double frame_seconds = 0.050;

  explicit FakeWindow(nlohmann::json devices = nlohmann::json::array(),
                      nlohmann::json recordings = nlohmann::json::array()) {
    auto fake = std::make_unique<FakeClient>();
    client = fake.get();
    client->devices = std::move(devices), client->recordings = std::move(recordings);
    live = std::make_unique<Live>(std::move(fake), "");
  }
  virtual ~FakeWindow() = default;
  virtual void frame() {
    state.now += frame_seconds;
    live->update(state);
  }
  /// Answers everything but some calls until nothing is left to be done.
  void run_but(const std::function<bool(const FakeClient::Call&)>& stays) {
    for (int i = 0; i < 100; ++i) {
      frame();
      const auto open = client->open();
      for (const FakeClient::Call& call : open) {
        if (!stays(call)) client->answer_well(call.id);
      }
    }
  }
  /// The same, but calls of one method.
  void run(const std::string& but = "") {
    run_but([&](const FakeClient::Call& call) { return call.method == but; });
  }
};

}  // namespace tilescope
