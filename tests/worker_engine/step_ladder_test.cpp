// Every kernel of the ladder stepped at random: n steps forward and n back are where one was, in
// every bit, by any way and from any checkpoint; the end of the run is the product.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "cases.h"
#include "engine_support.h"
#include "tests/every_kernel.h"
#include "worker/engine/compile/source.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/step/step.h"

namespace tilescope::worker {
namespace {

using emulator::StopCondition;
using StopKind = StopCondition::Kind;

constexpr int kFewElements = 64 * 64;  // of a tile and of C: a run of some 10⁵ warp instructions

class EveryKernelStepped : public testing::TestWithParam<const char*> {
 protected:
  /// All that a place has, checkpoints aside: they tell of the way to it.
  static std::string bits_of(const StepAnswer& answer) {
    std::string bytes;
    nlohmann::json j = send_step(answer, [&](std::string_view, std::span<const std::byte> part) {
      bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
    });
    for (const char* way : {"checkpoints", "checkpoint_bytes", "found", "moves"}) j.erase(way);
    return j.dump() + bytes;
  }
  static StepMotion steps(uint32_t times, bool back) {
    return {
        .stops = {{.condition = {.kind = StopKind::instruction}}}, .back = back, .times = times};
  }
  StepAnswer ask(StepKeeper& keeper, uint64_t from, std::vector<StepMotion> motions = {}) {
    calls::Step::Request request = asked_;
    request.from = from;
    request.motions = std::move(motions);
    const SteppedKernel kernel{request.of->request, kernel_of(request.of->request), ptx_};
    return keeper.step(request, &kernel, nullptr);
  }
  void begin(const KernelRequest& request) {
    asked_.of = calls::Kernel{request};
    asked_.parts.all_warps = asked_.parts.local = asked_.parts.written_pages = true;
    ptx_ = test_compiler().compile(request, "sm_90")->result.ptx;
  }
  /// Random places, with random motions to and fro; another keeper, which has been nowhere else,
  /// must find the same there.
  void wander(std::mt19937& random, int moves) {
    StepKeeper keeper;
    const uint64_t last = ask(keeper, ~0ull).state.place.tick;
    ASSERT_GT(last, 100u);
    for (int i = 0; i < moves; ++i) {
      const StepAnswer there = ask(keeper, random() % last);
      const uint64_t tick = there.state.place.tick;
      const uint32_t n = 1 + random() % 40;
      // Where so many steps do not fit before an end, they come to it, and back from there is
      // another way.
      const StepAnswer forward = ask(keeper, tick, {steps(n, false)});
      if (forward.found) {
        const StepAnswer back = ask(keeper, tick, {steps(n, false), steps(n, true)});
        ASSERT_TRUE(bits_of(back) == bits_of(there)) << "tick " << tick << ", " << n << " steps";
      }
      const StepAnswer before = ask(keeper, tick, {steps(n, true)});
      if (before.found) {
        const StepAnswer again = ask(keeper, tick, {steps(n, true), steps(n, false)});
        ASSERT_TRUE(bits_of(again) == bits_of(there)) << "tick " << tick << ", " << n << " back";
        // Another way forward: by events, which is where single steps pass, too.
        const StepMotion event{.stops = {{.condition = {.kind = StopKind::event}}}};
        const StepAnswer jumped = ask(keeper, before.state.place.tick, {event});
        if (jumped.found && jumped.state.place.tick > tick) {
          ASSERT_TRUE(bits_of(ask(keeper, tick, {event})) == bits_of(jumped)) << tick;
        }
      }
      if (i % 4 == 0) {
        StepKeeper fresh;
        ASSERT_TRUE(bits_of(ask(fresh, tick)) == bits_of(there)) << "tick " << tick;
      }
    }
  }

  calls::Step::Request asked_;
  std::string ptx_;
};
INSTANTIATE_TEST_SUITE_P(Ladder, EveryKernelStepped, every_kernel(), kernel_name);

TEST_P(EveryKernelStepped, ForwardAndBackIsWhereOneWas) {
  const KernelEntry& kernel = *find_kernel(GetParam());
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  KernelRequest request =
      default_request(GetParam(), 40 + random() % 40, 40 + random() % 40, 32 + random() % 100);
  request.problem.beta = random() % 2 ? 0.5 : 0;  // a kernel that reads C, too
  const auto tiles =
      random_legal_tiles(kernel, request.problem, 1, seed_of(GetParam()), kFewElements);
  if (!tiles.empty()) request.tile = tiles.front();
  SCOPED_TRACE(describe(request));
  begin(request);
  ASSERT_NO_FATAL_FAILURE(wander(random, 8));
}

// The whole run stepped to its end has the product in C.
TEST_P(EveryKernelStepped, ItsEndIsTheProduct) {
  KernelRequest request = default_request(GetParam(), 33, 47, 64);
  const KernelEntry& kernel = *find_kernel(GetParam());
  const auto tiles =
      random_legal_tiles(kernel, request.problem, 1, seed_of(GetParam()), kFewElements);
  if (!tiles.empty()) request.tile = tiles.front();
  SCOPED_TRACE(describe(request));
  begin(request);
  StepKeeper keeper;
  const StepAnswer end = ask(keeper, ~0ull);
  ASSERT_TRUE(end.state.place.ended);
  ASSERT_FALSE(end.state.place.fault) << end.state.place.fault->message;
  const auto named = [&](const char* name) {
    for (const StepBuffer& b : end.buffers) {
      if (b.name == name) return b;
    }
    ADD_FAILURE() << "no buffer " << name;
    return StepBuffer{};
  };
  const StepBuffer c = named("C");
  asked_.parts = {};
  asked_.parts.global = {{c.address, c.bytes}};
  const StepAnswer all = ask(keeper, ~0ull);
  ASSERT_EQ(all.state.global.size(), 1u);
  GemmFill fill;
  fill.data.seed = asked_.seed;
  EmulatedGemm gemm = prepare_gemm(request, kernel, ptx_, fill);
  const auto run = gemm.run({});
  ASSERT_FALSE(run.fault) << run.fault->message;
  const auto right = gemm.memory.bytes(gemm.c);
  EXPECT_TRUE(std::ranges::equal(all.state.global.front().bytes, right));
}

}  // namespace
}  // namespace tilescope::worker
