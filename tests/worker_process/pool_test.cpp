// Children of one kind, and the calls of one client, without a supervisor around them.
#include "worker/process/pool.h"

#include <gtest/gtest.h>
#include <uv.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tests/worker_process/helpers.h"
#include "worker/process/pool_words.h"
#include "worker/process/router.h"
#include "worker/protocol/protocol.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

// As long as a call that must not be ended for it could ever take.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kShortMs = 10'000;
#else
constexpr int kShortMs = 1000;
#endif

std::vector<std::string> child_command(const std::string& role) {
  return {ODD_WORKER, "--role", role};
}

/// A loop of the test's own, which ends when all that was on it has been closed.
class Loop {
 public:
  Loop() { uv_loop_init(&loop_); }
  ~Loop() {
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0);
  }
  uv_loop_t* get() { return &loop_; }
  bool until(const std::function<bool()>& condition) {
    return eventually([&] {
      uv_run(&loop_, UV_RUN_NOWAIT);
      return condition();
    });
  }

 private:
  uv_loop_t loop_{};
};

/// `reply` has to be there until it has ended.
void ask(Pool& pool, const std::string& method, Reply& reply) {
  Job job;
  job.method = method;
  job.params = json::object();
  job.done = [&](json result) {
    reply.ended = reply.ok = true;
    reply.result = std::move(result);
  };
  job.failed = [&](const RpcError& error) {
    reply.ended = true;
    reply.error = error;
  };
  job.progress = [&](const json& value) { reply.progress.push_back(value); };
  pool.submit(std::move(job));
}

Reply call(Loop& loop, Pool& pool, const std::string& method) {
  Reply reply;
  ask(pool, method, reply);
  EXPECT_TRUE(loop.until([&] { return reply.ended; }));
  return reply;
}

PoolOptions card_options() {
  PoolOptions options;
  options.kind = "cuda:0";
  options.argv = child_command("device:0");
  return options;
}

class LimitedPool : public testing::Test {
 protected:
  LimitedPool() {
    PoolOptions options;
    options.kind = "compiler";
    options.argv = child_command("compiler");
    options.warm = options.replace_at_once = true;
    options.cancel_grace_ms = 0;
    options.limit.ms = kShortMs;
    options.notice = [this](const std::string& sentence) { notice_ = sentence; };
    pool_ = std::make_unique<Pool>(loop_.get(), std::move(options));
  }
  ~LimitedPool() override {
    pool_->stop();
    EXPECT_TRUE(loop_.until([this] { return pool_->over(); }));
    pool_.reset();
  }
  Loop loop_;
  std::unique_ptr<Pool> pool_;
  std::string notice_;
};

TEST_F(LimitedPool, EndsACallThatHangsAndTheNextOneIsRight) {
  const Reply hung = call(loop_, *pool_, "hangDeaf");
  EXPECT_EQ(hung.error.message, too_long_sentence("compiler", kShortMs));
  EXPECT_EQ(hung.error.code, kProcessEnded);
  EXPECT_EQ(hung.error.exit_code, 4);
  ASSERT_EQ(hung.progress.size(), 1u);
  const int pid = hung.progress[0]["pid"];
  const Reply next = call(loop_, *pool_, "echo");
  ASSERT_TRUE(next.ok) << next.error.message;
  EXPECT_NE(next.result["pid"], pid);
  EXPECT_TRUE(loop_.until([&] { return !alive(pid); }));
  EXPECT_EQ(notice_, "") << "whoever asked knows, and nothing crashed";
  EXPECT_EQ(pool_->status()["restarts"], 0);
}

TEST_F(LimitedPool, IsNotOneOfAChild) {
  const Reply first = call(loop_, *pool_, "echo");
  ASSERT_TRUE(first.ok) << first.error.message;
  bool rested = false;
  Timer rest(loop_.get());
  rest.start(kShortMs + kShortMs / 2, [&] { rested = true; });
  EXPECT_TRUE(loop_.until([&] { return rested; }));
  const Reply second = call(loop_, *pool_, "echo");
  ASSERT_TRUE(second.ok) << second.error.message;
  EXPECT_EQ(second.result["pid"], first.result["pid"]);
}

TEST_F(LimitedPool, BeginsAnewWithEachWordWhereItIsOneOfSilence) {
  PoolOptions options = card_options();
  options.limit = {.ms = kShortMs, .of_silence = true};
  Pool card(loop_.get(), std::move(options));
  // Longer than the limit, and never so long without a word.
  Reply talking;
  Job job;
  job.method = "talk";
  job.params = {{"words", 15}, {"between_ms", kShortMs / 10}};
  job.done = [&](const json&) { talking.ended = talking.ok = true; };
  job.failed = [&](const RpcError& error) { talking.ended = true, talking.error = error; };
  card.submit(std::move(job));
  EXPECT_TRUE(loop_.until([&] { return talking.ended; }));
  EXPECT_TRUE(talking.ok) << talking.error.message;
  const Reply hung = call(loop_, card, "hangDeaf");
  EXPECT_EQ(hung.error.message, too_long_sentence("cuda:0", kShortMs));
  EXPECT_EQ(hung.error.data.value("needs_reset", false), true);
  card.stop();
  EXPECT_TRUE(loop_.until([&] { return card.over(); }));
}

TEST(CardPool, StartsNoProcessForACardThatIsGoneBeforeTheNextCall) {
  Loop loop;
  Pool card(loop.get(), card_options());
  int last = 0;
  for (const char* how : {"lose", "notOpened", "lose", "notOpened", "lose", "lose", "lose"}) {
    const Reply well = call(loop, card, "echo");
    ASSERT_TRUE(well.ok) << well.error.message << ": as often as it is lost, without a budget";
    EXPECT_NE(well.result["pid"], last);
    last = well.result["pid"];
    const Reply lost = call(loop, card, how);
    EXPECT_EQ(lost.error.message, how == std::string("lose")
                                      ? hopeless_sentence("cuda:0", "The card is gone.")
                                      : "The card takes no work.");
    EXPECT_EQ(lost.error.data.value("needs_reset", false), true);
    EXPECT_TRUE(loop.until([&] { return !alive(last) && card.status()["children"].empty(); }));
    EXPECT_TRUE(card.status()["stopped"].is_null());
  }
  EXPECT_EQ(card.status()["restarts"], 0);
  card.stop();
  EXPECT_TRUE(loop.until([&] { return card.over(); }));
}

TEST(CardPool, AnswersWhatWaitsForACardThatIsLost) {
  Loop loop;
  Pool card(loop.get(), card_options());
  Reply lost, waiting;
  ask(card, "lose", lost);
  ask(card, "echo", waiting);
  EXPECT_TRUE(loop.until([&] { return waiting.ended; }));
  EXPECT_EQ(waiting.error.message, hopeless_sentence("cuda:0", "The card is gone."));
  card.stop();
  EXPECT_TRUE(loop.until([&] { return card.over(); }));
}

TEST(CallLimits, AreOfEveryKindAndGrowWithWhatALaunchMayTake) {
  for (const char* kind :
       {"compiler", "probe", "cuda:0", "counters", "heuristics", "store", "emulator"}) {
    EXPECT_GT(call_limit_of(kind).ms, 0) << kind;
  }
  EXPECT_EQ(call_limit_of("probe", 7000).ms, 7000);
  EXPECT_EQ(call_limit_of("cuda:12", 7000).ms, 7000);
  EXPECT_EQ(call_limit_of("store", 7000).ms, call_limit_of("store").ms) << "it needs no driver";
  const auto card = call_limit_of("cuda:0");
  EXPECT_EQ(call_limit_ms(card, json::object()), card.ms);
  EXPECT_EQ(call_limit_ms(card, {{"time_limit", 60}, {"seconds", 2.5}}), card.ms + 602'500);
  EXPECT_EQ(call_limit_ms(card, {{"time_limit", "long"}, {"seconds", -1}}), card.ms);
  EXPECT_GT(call_limit_ms(card, {{"time_limit", 1e300}}), card.ms) << "what no timer counts";
  EXPECT_EQ(call_limit_ms(call_limit_of("compiler"), {{"time_limit", 60}}),
            call_limit_of("compiler").ms);
  EXPECT_EQ(call_limit_ms({}, json::object()), 0);
}

TEST(CallLimits, LetAnEmulationGoOnForWhatAPersonAllows) {
  const auto limit = call_limit_of("emulator");
  EXPECT_EQ(call_limit_ms(limit, json::object()), limit.ms);
  EXPECT_EQ(call_limit_ms(limit, {{"max_lane_instructions", 2'000'000'000}}), limit.ms + 2'000'000);
  EXPECT_EQ(call_limit_ms(limit, {{"max_lane_instructions", 0}}), 0) << "as many as it takes";
  EXPECT_EQ(call_limit_ms(limit, {{"max_lane_instructions", "many"}}), limit.ms);
  EXPECT_GT(call_limit_ms(limit, {{"max_lane_instructions", ~uint64_t{0}}}), limit.ms);
  const auto compiler = call_limit_of("compiler");
  EXPECT_EQ(call_limit_ms(compiler, {{"max_lane_instructions", 0}}), compiler.ms);
  EXPECT_GE(compiler.ms, 3 * 60'000) << "NVRTC twice, and nvcc";
}

TEST(CallLimits, OfADriverMayBeSet) {
  for (const auto& [text, ms] :
       {std::pair{"0.25", 250}, {"90", 90'000}, {"", 0}, {"long", 0}, {"-1", 0}, {"5 s", 0}}) {
    setenv("TILESCOPE_DRIVER_LIMIT", text, 1);
    EXPECT_EQ(driver_limit_of_environment(), ms) << text;
  }
  unsetenv("TILESCOPE_DRIVER_LIMIT");
  EXPECT_EQ(driver_limit_of_environment(), 0);
}

TEST(CallLimitWords, SayWhatToDo) {
  EXPECT_EQ(too_long_sentence("compiler", 150'000),
            "Compiling took longer than 150 s and was ended: make the kernel or its macros "
            "smaller.");
  EXPECT_EQ(too_long_sentence("store", 1500),
            "A call of the store of results took longer than 1.5 s and was ended: ask for less at "
            "once.");
}

/// A router whose requests weigh what the test says.
class CallRoom : public testing::Test {
 protected:
  CallRoom() {
    SupervisorOptions options;
    options.child_command = child_command;
    Router::Output output;
    output.send = [this](const json& message) {
      if (message.contains("id")) answers_[message["id"]] = message;
    };
    output.send_binary = [](const Frame&) {};
    router_ = std::make_unique<Router>(loop_.get(), options, std::move(output));
  }
  ~CallRoom() override {
    router_->stop();
    EXPECT_TRUE(loop_.until([this] { return router_->over(); }));
    router_.reset();
  }
  void ask(uint64_t id, const char* method, size_t bytes) {
    router_->request(id, method, {{"device", "emulator"}}, bytes);
  }
  const json& answer(uint64_t id) {
    EXPECT_TRUE(loop_.until([&] { return answers_.contains(id); })) << id;
    return answers_[id];
  }
  std::string refusal(uint64_t id) {
    return answers_.contains(id) ? answers_[id]["error"].value("message", "") : "";
  }
  Loop loop_;
  std::map<uint64_t, json> answers_;
  std::unique_ptr<Router> router_;
};

TEST_F(CallRoom, IsForSoManyCalls) {
  ask(1, "hangPolite", 100);
  for (uint64_t id = 2; id <= kMostCalls + 1; ++id) ask(id, "echo", 100);
  EXPECT_EQ(answers_.size(), 1u) << "the last alone";
  EXPECT_NE(refusal(kMostCalls + 1).find("1000 calls under way"), std::string::npos)
      << refusal(kMostCalls + 1);
  router_->request(kMostCalls + 2, calls::Status::name, {}, 100);
  EXPECT_EQ(answer(kMostCalls + 2)["result"]["calls"], kMostCalls) << "which is always told";
  router_->cancel(1);
  for (uint64_t id = 2; id <= kMostCalls; ++id) EXPECT_TRUE(answer(id).contains("result")) << id;
  ask(kMostCalls + 3, "echo", 100);
  EXPECT_TRUE(answer(kMostCalls + 3).contains("result"));
}

TEST_F(CallRoom, IsForSoManyBytes) {
  constexpr size_t kHalf = kMostCallBytes / 2;
  ask(1, "hangPolite", kHalf);
  ask(2, "echo", kHalf);
  EXPECT_TRUE(answers_.empty());
  ask(3, "echo", 1);
  EXPECT_NE(refusal(3).find("under way have 256 MB"), std::string::npos) << refusal(3);
  router_->cancel(2);
  EXPECT_TRUE(answer(2).contains("error"));
  ask(4, "echo", kHalf);
  router_->cancel(1);
  EXPECT_TRUE(answer(4).contains("result")) << "what has ended weighs nothing";
}

}  // namespace
}  // namespace tilescope::worker
