// The client without a process: the same answers from a thread.
#include <gtest/gtest.h>

#include <atomic>

#include "tests/worker_process/helpers.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

struct Gate {
  std::atomic<bool> entered{false}, open{false};
};

MethodTable methods(Gate& gate) {
  return {{"echo",
           [](const json& params, CallContext& context) {
             context.progress(1);
             const std::byte bytes[] = {std::byte{1}, std::byte{2}};
             context.binary("pair", bytes);
             context.progress(2);
             return params;
           }},
          {"wait",
           [&gate](const json&, CallContext& context) -> json {
             gate.entered = true;
             eventually([&] { return gate.open || *context.cancelled; });
             if (*context.cancelled) throw RpcError{-1, 4, "stopped", {}};
             return "opened";
           }},
          {"compile", [](const json& params, CallContext&) {
             return json{{"ptx", "ptx of " + params.value("kernel", "")}};
           }}};
}

const Reply& end(Client& client, const Asked& asked) {
  client.wait(asked.id, kLimitMs);
  return *asked.reply;
}

TEST(InProcess, AnswersWithProgressAndBinary) {
  Gate gate;
  const auto client = Client::start_in_process(methods(gate));
  const Asked asked = ask(*client, "emulator", "echo", {{"x", 1}});
  const Reply& reply = end(*client, asked);
  ASSERT_TRUE(reply.ok);
  EXPECT_EQ(reply.result["x"], 1);
  EXPECT_EQ(reply.progress, (std::vector<json>{1, 2}));
  ASSERT_EQ(reply.binary.size(), 1u);
  EXPECT_EQ(reply.binary[0].first, "pair");
  EXPECT_EQ(reply.binary[0].second.size(), 2u);
  EXPECT_EQ(client->state(), WorkerState::ready);
}

TEST(InProcess, CompilesFirst) {
  Gate gate;
  const auto client = Client::start_in_process(methods(gate));
  const Asked asked = ask(*client, "emulator", "echo", {{"kernel", "naive"}});
  EXPECT_EQ(end(*client, asked).result["ptx"], "ptx of naive");
}

TEST(InProcess, CancelsRunningAndQueuedCalls) {
  Gate gate;
  const auto client = Client::start_in_process(methods(gate));
  const Asked running = ask(*client, "emulator", "wait");
  const Asked queued = ask(*client, "emulator", "echo");
  ASSERT_TRUE(eventually([&] { return gate.entered.load(); }));
  client->cancel(queued.id);
  EXPECT_EQ(end(*client, queued).error.code, -32800);
  client->cancel(running.id);
  EXPECT_EQ(end(*client, running).error.code, -32800);
  EXPECT_TRUE(end(*client, ask(*client, "emulator", "echo")).ok);
}

TEST(InProcess, NewerRequestsReplaceOlderOnesAndPrefetchesWait) {
  Gate gate;
  const auto client = Client::start_in_process(methods(gate));
  const Asked running = ask(*client, "emulator", "wait");
  ASSERT_TRUE(eventually([&] { return gate.entered.load(); }));
  std::vector<int> order;
  const auto note = [&](int n) {
    Client::Callbacks callbacks;
    callbacks.done = [&order, n](const json&) { order.push_back(n); };
    return callbacks;
  };
  const uint64_t ahead = client->request("emulator", "echo", {{"priority", "prefetch"}}, note(1));
  const Asked older = ask(*client, "emulator", "echo", {{"slot", "s"}});
  const uint64_t newer = client->request("emulator", "echo", {{"slot", "s"}}, note(2));
  EXPECT_EQ(end(*client, older).error.code, -32800);
  gate.open = true;
  EXPECT_EQ(end(*client, running).result, "opened");
  EXPECT_TRUE(client->wait(newer, kLimitMs));
  EXPECT_TRUE(client->wait(ahead, kLimitMs));
  EXPECT_EQ(order, (std::vector<int>{2, 1}));
}

TEST(InProcess, EndsWhileACallRuns) {
  Gate gate;
  auto client = Client::start_in_process(methods(gate));
  ask(*client, "emulator", "wait");
  ask(*client, "emulator", "echo");
  ASSERT_TRUE(eventually([&] { return gate.entered.load(); }));
  client.reset();
}

}  // namespace
}  // namespace tilescope::worker
