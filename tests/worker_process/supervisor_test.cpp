// Children that hang, crash and fault under the supervisor, and where calls go.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>

#include "tests/worker_process/helpers.h"
#include "worker/messages/calls.h"
#include "worker/protocol/restart_budget.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

constexpr int kCancelledCode = -32800;

TEST(Supervisor, SaysWhenAChildCrashesAndTheNextCallIsRight) {
  OddWorker worker;
  const Reply crashed = worker.call("emulator", "crash");
  EXPECT_EQ(crashed.error.exit_code, 4);
  EXPECT_EQ(crashed.error.message,
            "The emulator was ended by signal 11 (Segmentation fault) during \"crash\", saying "
            "\"about to crash\". It was restarted; your session is intact.");
  EXPECT_EQ(worker.client().notice(), crashed.error.message);
  EXPECT_TRUE(worker.call("emulator", "echo").ok);
  EXPECT_EQ(worker.client().state(), WorkerState::ready) << "the worker itself was not touched";
}

TEST(Supervisor, SaysWhenAChildIsKilledMidCall) {
  OddWorker worker;
  const Asked hung = worker.ask("cuda:0", "hangDeaf");
  kill(worker.first_progress(hung)["pid"], SIGKILL);
  EXPECT_EQ(worker.end(hung).error.message,
            "Kernel faulted: the GPU process was ended by signal 9 (Killed) during \"hangDeaf\". "
            "GPU process restarted; your session is intact.");
  EXPECT_TRUE(worker.call("cuda:0", "echo").ok);
}

TEST(Supervisor, ReportsAFaultInTheChildsWords) {
  OddWorker worker;
  const json before = worker.call("cuda:1", "echo").result;
  EXPECT_EQ(worker.call("cuda:1", "fault").error.message,
            "Kernel faulted: illegal address in 11_mma_multistage. GPU process restarted; your "
            "session is intact.");
  const Reply after = worker.call("cuda:1", "echo");
  ASSERT_TRUE(after.ok);
  EXPECT_NE(after.result["pid"], before["pid"]) << "a new process";
}

TEST(Supervisor, KernelsMayFaultAsOftenAsTheyAreRun) {
  OddWorker worker;
  for (int i = 0; i < 12; ++i) {
    const Reply faulted = worker.call("cuda:0", "fault");
    EXPECT_NE(faulted.error.message.find("GPU process restarted"), std::string::npos)
        << i << ": " << faulted.error.message;
    EXPECT_TRUE(worker.call("cuda:0", "echo").ok) << i;
  }
  // What ends without a word still has its three.
  for (int i = 0; i < 3; ++i) (void)worker.call("cuda:0", "crash");
  const Reply last = worker.call("cuda:0", "crash");
  EXPECT_NE(last.error.message.find("stopped after 3 restarts in 60 s"), std::string::npos)
      << last.error.message;
}

TEST(Supervisor, IsNotConfusedByAChildThatPrints) {
  OddWorker worker;
  EXPECT_EQ(worker.call("cuda:0", "print", {{"answer", 42}}).result, 42);
  const json status = worker.call("", "status").result;
  EXPECT_NE(status.dump().find("printed by a kernel"), std::string::npos) << status.dump(1);
}

TEST(Supervisor, EndsAChildThatSendsGarbage) {
  OddWorker worker;
  const Reply reply = worker.call("emulator", "garbage");
  EXPECT_NE(reply.error.message.find("cannot be read: malformed frame"), std::string::npos)
      << reply.error.message;
  EXPECT_TRUE(worker.call("emulator", "echo").ok);
}

TEST(Supervisor, CancelsACallThatListens) {
  OddWorker worker;
  const Asked call = worker.ask("emulator", "hangPolite");
  const json pid = worker.first_progress(call)["pid"];
  worker.client().cancel(call.id);
  EXPECT_EQ(worker.end(call).error.code, kCancelledCode);
  EXPECT_EQ(worker.call("emulator", "echo").result["pid"], pid) << "in the same process";
}

TEST(Supervisor, KillsACallThatDoesNotListen) {
  OddWorker worker;
  const Asked call = worker.ask("emulator", "hangDeaf");
  const int pid = worker.first_progress(call)["pid"];
  worker.client().cancel(call.id);
  EXPECT_EQ(worker.end(call).error.code, kCancelledCode);
  EXPECT_NE(worker.call("emulator", "echo").result["pid"], pid);
  EXPECT_FALSE(alive(pid));
}

TEST(Supervisor, KillsACompilerAndHasAFreshOne) {
  OddWorker worker;
  const Asked first = worker.ask("compiler", "compile", {{"hang", true}});
  const Asked second = worker.ask("compiler", "compile", {{"hang", true}});
  const int pid = worker.first_progress(first)["pid"];
  worker.first_progress(second);
  worker.client().cancel(first.id);
  EXPECT_EQ(worker.end(first).error.code, kCancelledCode);
  EXPECT_TRUE(worker.call("compiler", "compile").ok) << "while the other one still hangs";
  EXPECT_TRUE(eventually([&] { return !alive(pid); }));
  EXPECT_FALSE(second.reply->ended);
}

TEST(Supervisor, CancelsWhatHasNotBegun) {
  OddWorker worker;
  const Asked running = worker.ask("emulator", "hangPolite");
  const Asked queued = worker.ask("emulator", "echo");
  worker.first_progress(running);
  worker.client().cancel(queued.id);
  EXPECT_EQ(worker.end(queued).error.code, kCancelledCode);
  EXPECT_FALSE(running.reply->ended);
  worker.client().cancel(running.id);
  EXPECT_EQ(worker.end(running).error.code, kCancelledCode);
  worker.client().cancel(running.id);  // an ended one: nothing happens
  EXPECT_TRUE(worker.call("emulator", "echo").ok);
}

TEST(Supervisor, ATraceDoesNotWaitForTheEmulator) {
  OddWorker worker;
  const Asked running = worker.ask("emulator", "hangPolite");
  const int pid = worker.first_progress(running)["pid"];
  const Reply trace = worker.call("emulator", calls::Trace::name);
  EXPECT_EQ(trace.error.code, -32601) << "this one's emulator has none: " << trace.error.message;
  EXPECT_FALSE(running.reply->ended);
  EXPECT_TRUE(alive(pid));
  worker.client().cancel(running.id);
  EXPECT_EQ(worker.end(running).error.code, kCancelledCode);
  const json restarted = worker.call("", "restart", {{"kind", "emulator"}}).result["restarted"];
  EXPECT_EQ(restarted.size(), 2u) << restarted;
}

TEST(Supervisor, StopsAChildKindThatKeepsCrashing) {
  OddWorker worker;
  for (int i = 0; i < 3; ++i) {
    const Reply crashed = worker.call("emulator", "crash");
    EXPECT_NE(crashed.error.message.find("restarted"), std::string::npos);
  }
  const Reply last = worker.call("emulator", "crash");
  EXPECT_NE(last.error.message.find("stopped after 3 restarts in 60 s"), std::string::npos)
      << last.error.message;
  const Reply refused = worker.call("emulator", "echo");
  EXPECT_NE(refused.error.message.find("Segmentation fault"), std::string::npos)
      << "the cause: " << refused.error.message;
  EXPECT_TRUE(worker.call("compiler", "echo").ok) << "other kinds go on";
  EXPECT_TRUE(worker.call("", "restart", {{"kind", "emulator"}}).ok);
  EXPECT_TRUE(worker.call("emulator", "echo").ok) << "by hand it always works";
}

TEST(RestartBudget, FillsUpAgainWithTime) {
  RestartBudget budget(3, std::chrono::seconds(60));
  const RestartBudget::Clock::time_point start{};
  const auto at = [&](int seconds) { return start + std::chrono::seconds(seconds); };
  EXPECT_TRUE(budget.take(at(0)));
  EXPECT_TRUE(budget.take(at(10)));
  EXPECT_TRUE(budget.take(at(20)));
  EXPECT_FALSE(budget.take(at(60)));
  EXPECT_TRUE(budget.take(at(61)));
  EXPECT_FALSE(budget.take(at(62)));
  budget.refill();
  EXPECT_TRUE(budget.take(at(62)));
}

TEST(Supervisor, NewerRequestsReplaceOlderOnes) {
  OddWorker worker;
  const size_t before = children_of(worker.supervisor_pid()).size();
  std::vector<Asked> asked;
  for (int n = 0; n < 50; ++n) {
    asked.push_back(worker.ask("compiler", "compile", {{"slot", "edit"}, {"n", n}}));
  }
  const Reply& last = worker.end(asked.back());
  ASSERT_TRUE(last.ok) << last.error.message;
  EXPECT_EQ(last.result["n"], 49);
  for (const Asked& call : asked) {
    const Reply& reply = worker.end(call);
    EXPECT_TRUE(reply.ok || reply.error.code == kCancelledCode) << reply.error.message;
  }
  EXPECT_EQ(children_of(worker.supervisor_pid()).size(), before) << "no process behind";
}

TEST(Supervisor, CancelledAndReplacedInTurnLeaveNothingBehind) {
  OddWorker worker;
  const int supervisor = worker.supervisor_pid();
  std::vector<Asked> asked;
  for (int n = 0; n < 50; ++n) {
    if (!asked.empty()) worker.client().cancel(asked.back().id);
    asked.push_back(worker.ask("compiler", "compile",
                               {{"slot", "edit"}, {"n", n}, {"hang", n % 2 == 0 && n < 49}}));
  }
  EXPECT_EQ(worker.end(asked.back()).result["n"], 49);
  for (const Asked& call : asked) EXPECT_TRUE(worker.end(call).ended);
  EXPECT_TRUE(eventually([&] { return children_of(supervisor).size() == 2; })) << "two compilers";
}

TEST(Supervisor, PeopleGoBeforePrefetches) {
  OddWorker worker;
  // One prefetch at a time: the other compiler stays free for a person.
  const Asked ahead = worker.ask("compiler", "compile", {{"hang", true}, {"priority", "prefetch"}});
  worker.first_progress(ahead);
  const Asked more = worker.ask("compiler", "compile", {{"priority", "prefetch"}});
  EXPECT_TRUE(worker.call("compiler", "compile").ok);
  EXPECT_FALSE(more.reply->ended);
  worker.client().cancel(ahead.id);
  EXPECT_TRUE(worker.end(more).ok);
}

TEST(Routing, CompilesBeforeEmulating) {
  OddWorker worker;
  const json kernel = {{"kernel", "naive"}, {"tile", {{"block_m", 8}}}, {"problem", {{"m", 1}}}};
  const Reply reply = worker.call("emulator", "echo", kernel);
  ASSERT_TRUE(reply.ok) << reply.error.message;
  EXPECT_EQ(reply.result["params"]["ptx"], "// ptx of naive");
  EXPECT_EQ(reply.result["params"]["compiled"]["registers"], 42);
  EXPECT_FALSE(reply.result["params"].contains("cubin"));
  json with_code = kernel;
  with_code["ptx"] = "mine";
  EXPECT_EQ(worker.call("emulator", "echo", with_code).result["params"]["ptx"], "mine");
  json broken = kernel;
  broken["kernel"] = "broken";
  EXPECT_EQ(worker.call("emulator", "echo", broken).error.message, "error: no such name");
}

// What is kept is asked for while an emulation runs: neither waits for the other, and nothing is
// compiled for it although it names a kernel.
TEST(Routing, TheStoreAnswersWhileTheEmulatorIsBusy) {
  OddWorker worker;
  const Asked busy = worker.ask("emulator", "hangPolite");
  const json emulator = worker.first_progress(busy);
  const Reply reply = worker.call("store", "echo", {{"kernel", "naive"}});
  ASSERT_TRUE(reply.ok) << reply.error.message;
  EXPECT_FALSE(busy.reply->ended);
  EXPECT_NE(reply.result["pid"], emulator["pid"]);
  EXPECT_EQ(reply.result["params"].value("ptx", "none"), "none");
  worker.client().cancel(busy.id);
  EXPECT_EQ(worker.end(busy).error.code, kCancelledCode);
}

TEST(Supervisor, SaysWhenTheStoreCrashesAndGoesOn) {
  OddWorker worker;
  EXPECT_EQ(worker.call("store", "crash").error.message,
            "The store of results was ended by signal 11 (Segmentation fault) during \"crash\", "
            "saying \"about to crash\". It was restarted; your session is intact.");
  EXPECT_TRUE(worker.call("store", "echo").ok);
}

TEST(Routing, CompilesForTheCardItself) {
  OddWorker worker;
  const Reply reply = worker.call("cuda:0", "echo", {{"kernel", "naive"}});
  ASSERT_TRUE(reply.ok) << reply.error.message;
  EXPECT_EQ(reply.result["params"]["cubin"], "sm_75");
  EXPECT_EQ(reply.result["params"]["ptx"], "// ptx of naive");
}

TEST(Routing, ListsDevicesWithoutKeepingAProcess) {
  OddWorker worker;
  const int supervisor = worker.supervisor_pid();
  const Reply reply = worker.call("", "devices");
  ASSERT_TRUE(reply.ok) << reply.error.message;
  const json& devices = reply.result["devices"];
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0]["id"], "cuda:0");
  EXPECT_EQ(devices[1]["id"], "emulator");
  EXPECT_TRUE(eventually([&] { return children_of(supervisor).size() == 2; })) << "the compilers";
}

TEST(Routing, SurvivesADriverThatCrashes) {
  setenv("ODD_DRIVER_CRASHES", "1", 1);
  OddWorker worker;
  const Reply reply = worker.call("", "devices");
  unsetenv("ODD_DRIVER_CRASHES");
  ASSERT_TRUE(reply.ok) << reply.error.message;
  const json& devices = reply.result["devices"];
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0]["available"], false);
  EXPECT_NE(devices[0]["why_not"].get<std::string>().find("Segmentation fault"), std::string::npos);
  EXPECT_EQ(devices[1]["id"], "emulator");
  EXPECT_EQ(devices[1]["available"], true);
}

}  // namespace
}  // namespace tilescope::worker
