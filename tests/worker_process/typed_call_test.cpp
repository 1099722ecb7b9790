// Calls as types: what is asked arrives as it was asked, and answers, frames, progress and errors
// come back.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/worker_process/helpers.h"
#include "worker/messages/calls_json.h"
#include "worker/messages/messages_json.h"
#include "worker/protocol/protocol.h"
#include "worker/service.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

TraceResult some_trace() {
  TraceResult trace;
  trace.warps = 4;
  trace.events.resize(3);
  trace.events[2].count = 7;
  trace.raw.resize(1);
  return trace;
}

calls::Kernel naive() {
  calls::Kernel kernel;
  kernel.request.kernel = "naive";
  return kernel;
}

/// What calls of the list are made of, told back.
MethodTable typed_methods(std::vector<json>& asked) {
  return {{calls::Trace::name,
           [&asked](const json& params, CallContext& context) {
             asked.push_back(params);
             context.progress(write_progress({.stage = "tracing", .done = 1, .all = 2}));
             return write_answer<calls::Trace>(some_trace(), context.binary);
           }},
          {calls::Run::name,
           [](const json&, CallContext& context) {
             RunAnswer ran;
             ran.seconds = 2;
             return write_answer<calls::Run>({ran, "{}", "printed"}, context.binary);
           }},
          {calls::Emulate::name,
           [](const json&, CallContext&) -> json {
             json data = {{"log", "line 3: what?"}, {"fault", true}, {"needs_reset", true}};
             data["findings"] = std::vector<CodeFinding>(1);
             data["findings"][0]["kind"] = "race";
             throw RpcError{-32000, 3, "It failed.", data};
           }},
          {calls::Check::name, [](const json&, CallContext&) { return json("no result"); }}};
}

class TypedCall : public testing::Test {
 protected:
  std::vector<json> asked_;
  std::unique_ptr<Client> client_ = Client::start_in_process(typed_methods(asked_));
};

TEST_F(TypedCall, BringsFramesAndProgressWithItsAnswer) {
  std::optional<TraceResult> answer;
  std::vector<std::string> stages;
  const calls::Trace::Request request{.of = naive(), .code = {.ptx = "some"}, .k_step = 5};
  client_->wait(client_->call<calls::Trace>(
      request,
      {.done = [&](TraceResult came) { answer = std::move(came); },
       .failed = [](const CallError& error) { ADD_FAILURE() << error.message; },
       .progress = [&](const Progress& p) { stages.push_back(p.stage); }},
      {.slot = "edit", .prefetch = true}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->warps, 4);
  EXPECT_EQ(answer->events, some_trace().events);
  EXPECT_EQ(answer->raw.size(), 1u);
  EXPECT_EQ(stages, std::vector<std::string>{"tracing"});
  ASSERT_EQ(asked_.size(), 1u);
  EXPECT_EQ(asked_[0].at("device"), "emulator");
  EXPECT_EQ(asked_[0].at("slot"), "edit");
  EXPECT_EQ(asked_[0].at("priority"), "prefetch");
  EXPECT_EQ(asked_[0].at("k_step"), 5);
  EXPECT_EQ(asked_[0].at("kernel"), "naive");
}

TEST_F(TypedCall, BringsWhatARunPrints) {
  std::optional<calls::Run::Answer> answer;
  client_->wait(client_->call<calls::Run>(
      {}, {.done = [&](calls::Run::Answer came) { answer = std::move(came); }}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->answer.seconds, 2);
  EXPECT_EQ(answer->document, "{}");
  EXPECT_EQ(answer->output, "printed");
}

TEST_F(TypedCall, SaysWhyItFailed) {
  std::optional<CallError> error;
  client_->wait(client_->call<calls::Emulate>({.of = naive(), .code = {.ptx = ""}},
                                              {.failed = [&](const CallError& e) { error = e; }}));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "It failed.");
  EXPECT_EQ(error->exit_code, 3);
  EXPECT_EQ(error->log, "line 3: what?");
  EXPECT_TRUE(error->fault);
  EXPECT_TRUE(error->needs_reset);
  EXPECT_FALSE(error->lost);
  EXPECT_FALSE(error->cancelled);
  ASSERT_TRUE(error->findings);
  EXPECT_EQ(error->findings->at(0).kind, "race");
}

TEST_F(TypedCall, AnAnswerThatIsNoneReachesWhoPolls) {
  const uint64_t id = client_->call<calls::Check>({.of = naive(), .code = {.ptx = ""}}, {});
  EXPECT_TRUE(client_->wait(id)) << "nobody wants it";
  const uint64_t wanted = client_->call<calls::Check>(
      {.of = naive(), .code = {.ptx = ""}}, {.done = [](const CheckResult&) { ADD_FAILURE(); }});
  EXPECT_THROW(client_->wait(wanted), AnswerError);
}

TEST(Supervisor, ServesItsOwnCallsAndNoOthers) {
  OddWorker worker;
  for_each_call([&]<class C>() {
    const Reply reply = worker.call("", C::name);
    if (C::roles.has(Role::supervisor)) {
      EXPECT_TRUE(reply.ok) << C::name << ": " << reply.error.message;
      EXPECT_NO_THROW(read_answer<C>(reply.result)) << C::name << " " << reply.result;
    } else if (!C::roles.has(Role::compiler)) {  // which may be asked without naming it
      EXPECT_EQ(reply.error.code, kMethodNotFound) << C::name;
    }
  });
}

TEST(Supervisor, KnowsTheDevicesOfEveryRole) {
  OddWorker worker;
  for (const Role role : kRoles) {
    if (role == Role::supervisor) continue;
    const char* device = device_of(role) ? device_of(role) : "cuda:0";
    const Reply reply = worker.call(device, "echo", {{"x", 1}});
    // This worker has no child for matmul's heuristics; that is what the answer says then.
    EXPECT_NE(reply.error.code, kInvalidParams) << device;
  }
}

}  // namespace
}  // namespace tilescope::worker
