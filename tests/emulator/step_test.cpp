// Stepping forward and backward: a state is a function of its tick alone.
#include <algorithm>
#include <map>

#include "step_support.h"
#include "wait_kernels.h"

namespace tilescope::emulator::test::step_file {
namespace {

using Direction = Stepper::Direction;
const StopCondition kAny{};

/// Jumps and steps at random; each place must be the walk's, each state what it was at its tick.
void wander(const StepCase& c, Stepper& stepper, const std::vector<StepPlace>& places,
            std::mt19937& random, int moves) {
  std::map<size_t, std::string> seen;
  size_t at = random() % places.size();
  ASSERT_EQ(stepper.go_to(places[at].tick).tick, places[at].tick) << c.name;
  const auto check = [&] {
    const StepPlace now = stepper.place();
    ASSERT_EQ(now.tick, places[at].tick) << c.name;
    ASSERT_EQ(now.ended, places[at].ended) << c.name;
    ASSERT_EQ(now.warp, places[at].warp) << c.name << " tick " << now.tick;
    ASSERT_EQ(now.step, places[at].step) << c.name << " tick " << now.tick;
    ASSERT_EQ(now.active, places[at].active) << c.name << " tick " << now.tick;
    const std::string bits = all_bits(stepper);
    const auto [it, is_new] = seen.try_emplace(at, bits);
    if (!is_new) {
      ASSERT_TRUE(it->second == bits) << c.name << " tick " << now.tick;
    }
  };
  for (int i = 0; i < moves; ++i) {
    ASSERT_NO_FATAL_FAILURE(check());
    const size_t n = random() % std::min<size_t>(places.size(), 6);
    if (random() % 4 == 0) {
      at = random() % places.size();
      ASSERT_EQ(stepper.go_to(places[at].tick).tick, places[at].tick) << c.name;
      continue;
    }
    // n forward and n back, or the other way.
    const bool forward = random() % 2;
    const size_t steps = std::min(n, forward ? places.size() - 1 - at : at);
    for (const bool there : {true, false}) {
      for (size_t k = 0; k < steps; ++k) {
        const Direction d = forward == there ? Direction::forward : Direction::backward;
        stepper.find(d, {&kAny, 1});
        at += d == Direction::forward ? 1 : ~size_t{0};
        ASSERT_EQ(stepper.place().tick, places[at].tick) << c.name;
      }
      if (!there) continue;
      ASSERT_NO_FATAL_FAILURE(check());
      if (random() % 3 == 0) break;
    }
  }
}

/// The walk's end is what run() leaves, and each PTX line was passed as often as run() counts.
void expect_run(const StepCase& c, Stepper& stepper, const std::vector<StepPlace>& places) {
  Memory after;
  RunOptions options;
  options.max_warp_instructions = c.limit ? 10 * c.limit : 0;
  const RunResult whole = c.run_whole(after, options);
  const StepPlace& end = places.back();
  stepper.go_to(end.tick);
  if (end.fault && end.fault->kind == Fault::Kind::limit) return;  // run() counts in other portions
  ASSERT_EQ(whole.fault.has_value(), end.fault.has_value()) << c.name;
  if (whole.fault) {
    EXPECT_EQ(whole.fault->message, end.fault->message) << c.name;
  }
  StepParts parts;
  for (size_t i = 0; i < c.buffers.size(); ++i) {
    parts.global.push_back({uint64_t{i + 1} << 40, c.buffers[i]});
  }
  const StepState state = stepper.state(parts);
  EXPECT_EQ(state.output, whole.output) << c.name;
  for (const StepBytes& b : state.global) {
    const auto right = after.bytes(b.address);
    EXPECT_TRUE(std::ranges::equal(b.bytes, right)) << c.name << " buffer " << (b.address >> 40);
  }
  if (whole.fault || whole.counts.polls) return;
  std::map<int, uint64_t> visits;
  for (const StepPlace& p : places) visits[p.ptx_line] += !p.ended;
  visits.erase(0);
  std::map<int, uint64_t> counted;
  for (const LineCounts& l : whole.counts.lines) counted[l.ptx_line] = l.warp_instructions;
  EXPECT_EQ(visits, counted) << c.name;
}

TEST(Step, AllFixturesForwardAndBackward) {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  uint64_t places_seen = 0;
  for (const StepCase& c : fixture_cases()) {
    auto stepper = c.stepper(50 + random() % 3000);
    ASSERT_TRUE(stepper) << c.name;
    const std::vector<StepPlace> places = walk(*stepper);
    places_seen += places.size();
    ASSERT_NO_FATAL_FAILURE(wander(c, *stepper, places, random, 12));
    ASSERT_NO_FATAL_FAILURE(expect_run(c, *stepper, places));
    // Another, which has never been anywhere else: no state depends on the way to it.
    auto fresh = c.stepper(1u << 16);
    const StepPlace& there = places[random() % places.size()];
    fresh->go_to(there.tick);
    stepper->go_to(there.tick);
    ASSERT_TRUE(all_bits(*fresh) == all_bits(*stepper)) << c.name << " tick " << there.tick;
  }
  EXPECT_GT(places_seen, 50000u);
}

}  // namespace
}  // namespace tilescope::emulator::test::step_file
