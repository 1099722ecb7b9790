// The kernel that is exported is that of the moment somebody asks, and what goes wrong is said.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "app/features/source/export.h"
#include "app/live/live.h"
#include "app/state/edit.h"
#include "tests/live/fake_client.h"
#include "worker/messages/messages_json.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

struct Exporting : testing::Test {
  AppState state = initial_state();
  FakeClient* client;
  std::unique_ptr<Live> live;
  fs::path file = fs::temp_directory_path() / ("tilescope-" + std::to_string(getpid()) + ".cu");

  Exporting() {
    auto fake = std::make_unique<FakeClient>();
    client = fake.get();
    live = std::make_unique<Live>(std::move(fake), "");
  }
  ~Exporting() override { fs::remove(file); }
  void frame() {
    state.now += 0.050;
    live->update(state);
  }
  /// The call that a wanted file makes.
  FakeClient::Call ask(const std::string& path) {
    state.of<Export>().wanted = path;
    frame();
    const FakeClient::Call* call = client->find("standalone");
    EXPECT_NE(call, nullptr);
    return call ? *call : FakeClient::Call{};
  }
};

TEST_F(Exporting, TheFileHoldsWhatTheWorkerMadeOfThePresentTile) {
  set_tile_field(state, TileFieldId::stages, 4);
  const FakeClient::Call call = ask(file);
  EXPECT_EQ(call.device, "compiler");
  EXPECT_EQ(call.params.get<worker::KernelRequest>().tile, state.edit.rung().tile);
  EXPECT_FALSE(fs::exists(file)) << "before there is anything to write";
  EXPECT_TRUE(live->busy(state));
  client->answer(call.id, {{"source", "// taken away"}});
  frame();
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, "// taken away");
  EXPECT_EQ(state.of<Export>().written, file);
  EXPECT_EQ(state.of<Export>().error, "");
}

TEST_F(Exporting, WhatGoesWrongIsSaidAndNothingIsLeftRunning) {
  FakeClient::Call call = ask((file / "in_no_folder.cu").string());
  client->answer(call.id, {{"source", "// taken away"}});
  frame();
  EXPECT_NE(state.of<Export>().error.find("cannot be written"), std::string::npos);
  EXPECT_EQ(state.of<Export>().written, "");
  call = ask(file);
  client->fail(call.id, {.code = 0, .message = "shared memory: too much.", .data = {}});
  frame();
  EXPECT_EQ(state.of<Export>().error, "shared memory: too much.");
  EXPECT_EQ(state.of<Export>().running, "");
  EXPECT_FALSE(fs::exists(file));
  call = ask(file);  // and it can be asked for again
  client->answer(call.id, {{"source", "// again"}});
  frame();
  EXPECT_EQ(state.of<Export>().error, "");
  EXPECT_TRUE(fs::exists(file));
}

TEST_F(Exporting, WithoutAWorkerItIsRefusedAtOnce) {
  live = std::make_unique<Live>(nullptr, "There is no worker.");
  state.of<Export>().wanted = file;
  frame();
  EXPECT_EQ(state.of<Export>().error, "There is no worker.");
  EXPECT_EQ(state.of<Export>().wanted, "");
  EXPECT_TRUE(state.of<Export>().running.empty() && state.of<Export>().wanted.empty());
}

}  // namespace
}  // namespace tilescope
