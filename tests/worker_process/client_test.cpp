// The client with a real worker behind it: what arrives, in which order, and how it ends.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/worker_process/helpers.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

TEST(Client, AsksAndIsAnswered) {
  OddWorker worker;
  const Reply reply = worker.call("emulator", "echo", {{"x", 1}});
  ASSERT_TRUE(reply.ok) << reply.error.message;
  EXPECT_EQ(reply.result["params"]["x"], 1);
  EXPECT_EQ(reply.result["params"]["device"], "emulator");
  EXPECT_EQ(worker.client().state(), WorkerState::ready);
  EXPECT_EQ(worker.client().notice(), "");
}

TEST(Client, HearsProgressInOrder) {
  OddWorker worker;
  const Reply reply = worker.call("emulator", "flood", {{"count", 20000}});
  ASSERT_TRUE(reply.ok) << reply.error.message;
  ASSERT_EQ(reply.progress.size(), 20000u);
  for (int i = 0; i < 20000; ++i) ASSERT_EQ(reply.progress[i], i);
}

TEST(Client, GetsBinaryMessagesWhole) {
  OddWorker worker;
  const size_t sizes[] = {0, 1, 4u << 20, (9u << 20) + 3, 80u << 20};
  for (const size_t size : sizes) {
    const Reply reply = worker.call("emulator", "chunks", {{"bytes", size}});
    ASSERT_TRUE(reply.ok) << reply.error.message;
    ASSERT_EQ(reply.binary.size(), 1u);
    EXPECT_EQ(reply.binary[0].first, "test.bytes");
    ASSERT_EQ(reply.binary[0].second.size(), size);
    size_t wrong = 0;
    for (size_t i = 0; i < size; ++i) {
      wrong += reply.binary[0].second[i] != static_cast<std::byte>(i * 2654435761u >> 24);
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(reply.progress, (std::vector<json>{"before", "after"}));
  }
}

TEST(Client, SurvivesAFloodThatNobodyReads) {
  OddWorker worker;
  const Asked flood = worker.ask("emulator", "chunks", {{"bytes", 200u << 20}});
  const Asked other = worker.ask("compiler", "echo", {{"x", 2}});
  EXPECT_TRUE(worker.end(flood).ok);
  EXPECT_TRUE(worker.end(other).ok);
}

TEST(Client, IsToldWhatIsWrongWithARequest) {
  OddWorker worker;
  const Reply method = worker.call("emulator", "noSuch");
  EXPECT_EQ(method.error.code, -32601);
  EXPECT_NE(method.error.message.find("noSuch"), std::string::npos);
  const Reply device = worker.call("tpu", "echo");
  EXPECT_EQ(device.error.exit_code, 3);
  EXPECT_NE(device.error.message.find("\"tpu\""), std::string::npos);
  const Reply own = worker.call("", "noSuch");
  EXPECT_EQ(own.error.code, -32601);
  const Reply type = worker.call("emulator", "flood", {{"count", "many"}});
  EXPECT_EQ(type.error.code, -32602);
  EXPECT_EQ(type.error.exit_code, 2);
  const Reply large = worker.call("emulator", "echo", {{"data", std::string(17u << 20, 'x')}});
  EXPECT_NE(large.error.message.find("limit"), std::string::npos) << large.error.message;
  EXPECT_TRUE(worker.call("emulator", "echo").ok) << "and it still works";
}

TEST(Client, CallbacksMayAskAgainAndPoll) {
  OddWorker worker;
  Client& client = worker.client();
  int answers = 0;
  uint64_t second = 0;
  Client::Callbacks inner;
  inner.done = [&](const json&) { ++answers; };
  Client::Callbacks outer;
  outer.done = [&](const json&) {
    ++answers;
    second = client.request("emulator", "echo", {}, inner);
    client.poll();
  };
  const uint64_t first = client.request("emulator", "echo", {}, outer);
  EXPECT_TRUE(client.wait(first, kLimitMs));
  EXPECT_TRUE(client.wait(second, kLimitMs));
  EXPECT_EQ(answers, 2);
}

TEST(Client, WakesItsOwner) {
  OddWorker worker;
  std::atomic<int> wakes{0};
  worker.client().on_activity([&] { ++wakes; });
  const Asked asked = worker.ask("emulator", "echo");
  EXPECT_TRUE(eventually([&] {
    if (wakes.exchange(0) > 0) worker.client().poll();
    return asked.reply->ended;
  }));
}

TEST(Client, PassesOverANoisyShell) {
  OddWorker worker({"noisy"});
  EXPECT_TRUE(worker.call("emulator", "echo").ok);
}

TEST(Client, ShowsWhatAShellSaidInstead) {
  OddWorker worker({"shell"});
  const Reply reply = worker.call("emulator", "echo");
  EXPECT_FALSE(reply.ok);
  EXPECT_TRUE(eventually([&] { return worker.client().state() == WorkerState::stopped; }));
  const std::string notice = worker.client().notice();
  EXPECT_NE(notice.find("Please change your ?[1mpassword?[0m now."), std::string::npos) << notice;
  EXPECT_NE(notice.find("ended with code 1"), std::string::npos) << notice;
}

TEST(Client, NamesBothVersionsThatDoNotFit) {
  OddWorker worker({"old"});
  const Reply reply = worker.call("emulator", "echo");
  EXPECT_NE(reply.error.message.find("The worker speaks protocol 7 (Tilescope 9.9), this side "
                                     "speaks protocol 1"),
            std::string::npos)
      << reply.error.message;
  EXPECT_EQ(worker.client().state(), WorkerState::stopped);
  EXPECT_EQ(worker.client().notice(), reply.error.message);
}

TEST(Client, SaysThatAProgramIsMissing) {
  const auto client = Client::start_process({"/no/such/tilescope-cli", {}, ""});
  const Asked asked = ask(*client, "emulator", "echo");
  ASSERT_TRUE(client->wait(asked.id, kLimitMs));
  EXPECT_NE(asked.reply->error.message.find("could not be started"), std::string::npos)
      << asked.reply->error.message;
  EXPECT_NE(asked.reply->error.message.find("/no/such/tilescope-cli"), std::string::npos);
}

TEST(Client, RestartsAWorkerThatWasKilled) {
  OddWorker worker;
  const int pid = worker.supervisor_pid();
  ASSERT_GT(pid, 1);
  const Asked hung = worker.ask("emulator", "hangDeaf");
  const int child = worker.first_progress(hung)["pid"];
  kill(pid, SIGKILL);
  EXPECT_FALSE(worker.end(hung).ok);
  EXPECT_NE(hung.reply->error.message.find("your session is intact"), std::string::npos)
      << hung.reply->error.message;
  EXPECT_TRUE(worker.call("emulator", "echo").ok);
  EXPECT_EQ(worker.client().state(), WorkerState::ready);
  EXPECT_NE(worker.client().notice().find("signal 9"), std::string::npos);
  EXPECT_NE(worker.supervisor_pid(), pid);
  EXPECT_TRUE(eventually([&] { return !alive(child); })) << "children die with their parent";
}

TEST(Client, StopsRestartingAfterThreeTimesAndStartsAgainByHand) {
  OddWorker worker;
  for (int i = 0; i < 4; ++i) {
    const int pid = worker.supervisor_pid();
    ASSERT_GT(pid, 1);
    const Asked hung = worker.ask("emulator", "hangDeaf");
    worker.first_progress(hung);
    kill(pid, SIGKILL);
    worker.end(hung);
  }
  EXPECT_EQ(worker.client().state(), WorkerState::stopped);
  const Reply refused = worker.call("emulator", "echo");
  EXPECT_NE(refused.error.message.find("3 restarts in 60 s"), std::string::npos)
      << refused.error.message;
  worker.client().restart();
  EXPECT_TRUE(eventually([&] { return worker.client().state() != WorkerState::stopped; }));
  EXPECT_TRUE(worker.call("emulator", "echo").ok);
  EXPECT_EQ(worker.client().state(), WorkerState::ready);
}

TEST(Client, LeavesNoProcessBehind) {
  OddWorker worker;
  const Asked emulator = worker.ask("emulator", "hangDeaf");
  const Asked gpu = worker.ask("cuda:0", "hangDeaf");
  std::vector<int> pids{worker.first_progress(emulator)["pid"], worker.first_progress(gpu)["pid"]};
  const int supervisor = worker.supervisor_pid();
  for (const int pid : children_of(supervisor)) pids.push_back(pid);
  pids.push_back(supervisor);
  EXPECT_GE(pids.size(), 7u);  // two compilers, emulator, GPU, the same two again, supervisor
  worker.close();
  for (const int pid : pids) EXPECT_FALSE(alive(pid)) << pid;
}

/// A window of its own process that has a worker with a busy child.
struct OtherWindow {
  OtherWindow() {
    int ends[2];
    if (pipe(ends) != 0) return;
    pid = fork();
    if (pid == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      execl(ODD_WORKER, ODD_WORKER, "window", nullptr);
      _exit(127);
    }
    close(ends[1]);
    std::string line;
    for (char byte = 0; read(ends[0], &byte, 1) == 1 && byte != '\n';) line += byte;
    close(ends[0]);
    workers = json::parse(line, nullptr, false);
  }
  void kill_it() const {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  pid_t pid = -1;
  json workers;  // pids of the supervisor and the child
};

TEST(Client, TakesTheWorkerAlongWhenItDies) {
  const OtherWindow window;
  window.kill_it();
  ASSERT_TRUE(window.workers.is_array() && window.workers.size() == 2) << window.workers;
  for (const int pid : window.workers) EXPECT_TRUE(eventually([&] { return !alive(pid); })) << pid;
}

// As one that is busy does not, and one that was stopped: the kernel ends it.
TEST(Client, TakesAWorkerAlongThatDoesNotSeeItsInputEnd) {
  const OtherWindow window;
  ASSERT_TRUE(window.workers.is_array() && window.workers.size() == 2) << window.workers;
  kill(window.workers[0], SIGSTOP);
  window.kill_it();
  for (const int pid : window.workers) EXPECT_TRUE(eventually([&] { return !alive(pid); })) << pid;
}

TEST(Client, EndsAWorkerThatDoesNotListen) {
  OddWorker worker;
  const int pid = worker.supervisor_pid();
  const std::vector<int> children = children_of(pid);
  EXPECT_FALSE(children.empty());
  kill(pid, SIGSTOP);  // hears neither the end of its input nor SIGTERM
  worker.close();
  EXPECT_FALSE(alive(pid));
  EXPECT_TRUE(eventually([&] {
    for (const int child : children) {
      if (alive(child)) return false;
    }
    return true;
  }));
}

}  // namespace
}  // namespace tilescope::worker
