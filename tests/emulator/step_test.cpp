// Stepping forward and backward: a state is a function of its tick alone.
#include <algorithm>
#include <cctype>
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

/// CTAs that wait for each other, with what they need to come to an end.
StepCase waiting_case(const std::string& entry, uint32_t ctas) {
  StepCase c;
  c.name = c.entry = entry;
  c.ptx = read_kernel("ctas.ptx");
  c.block = {16, 16, 1};
  c.grid = {ctas, 1, 1};
  c.buffers = {3 * 16 * 96 * 4, 96 * 16 * 4, 3 * 256 * 4, 64 * 256 * 4, 64 * 4};
  const bool stream = entry.starts_with("stream");
  if (!stream) c.grid = {3, ctas, 1};
  c.arguments = [stream](std::vector<std::byte>& block, const std::vector<uint64_t>& at) {
    block = stream ? parameters(at[0], at[1], at[2], 96u, 3u, at[3], at[4])
                   : parameters(at[0], at[1], at[2], 96u, at[3], at[4]);
  };
  c.fill = [](Memory& memory, const std::vector<uint64_t>& at) {
    for (uint32_t b = 0; b < 2; ++b) {
      for (uint32_t i = 0; i < memory.bytes(at[b]).size() / 4; ++i) {
        data<float>(memory, at[b])[i] = static_cast<float>(small_value(i, b)) / 512;
      }
    }
  };
  return c;
}

/// The walk's end is what run() leaves, and each PTX line was passed as often as run() counts.
void expect_run(const StepCase& c, Stepper& stepper, const std::vector<StepPlace>& places,
                RunOptions options = {}) {
  Memory after;
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

class StepOfFixture : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Files, StepOfFixture, testing::ValuesIn(fixture_files()),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST_P(StepOfFixture, ForwardAndBackward) {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (const StepCase& c : fixture_cases(GetParam())) {
    auto stepper = c.stepper(50 + random() % 3000);
    ASSERT_TRUE(stepper) << c.name;
    const std::vector<StepPlace> places = walk(*stepper);
    EXPECT_GT(places.size(), 1u) << c.name;
    ASSERT_NO_FATAL_FAILURE(wander(c, *stepper, places, random, 12));
    ASSERT_NO_FATAL_FAILURE(expect_run(c, *stepper, places));
    // Another, which has never been anywhere else: no state depends on the way to it.
    auto fresh = c.stepper(1u << 16);
    const StepPlace& there = places[random() % places.size()];
    fresh->go_to(there.tick);
    stepper->go_to(there.tick);
    ASSERT_TRUE(all_bits(*fresh) == all_bits(*stepper)) << c.name << " tick " << there.tick;
  }
}

TEST(Step, CtasThatWaitForEachOther) {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (const StepCase& c : {waiting_case("stream_k_flags", 7), waiting_case("split_k_last", 3)}) {
    auto stepper = c.stepper(200 + random() % 2000);
    const std::vector<StepPlace> places = walk(*stepper);
    EXPECT_FALSE(places.back().fault) << places.back().fault->message;
    ASSERT_NO_FATAL_FAILURE(wander(c, *stepper, places, random, 60));
    ASSERT_NO_FATAL_FAILURE(expect_run(c, *stepper, places));
  }
}

// A chosen CTA runs without those before it; those that it waits for come along, and each of them
// can be looked at while it is there.
TEST(Step, AChosenCtaTakesAlongThoseThatItWaitsFor) {
  std::mt19937 random(4);
  const StepCase c = waiting_case("stream_k_flags", 8);
  RunOptions options;
  options.ctas = {{2, 0, 0}};
  auto stepper = c.stepper(500, options.ctas);
  const std::vector<StepPlace> places = walk(*stepper);
  EXPECT_EQ(places.front().cta.x, 2u);
  std::vector<uint32_t> seen;
  for (const StepPlace& p : places) {
    if (!std::ranges::count(seen, p.cta.x)) seen.push_back(p.cta.x);
  }
  std::ranges::sort(seen);
  EXPECT_EQ(seen, (std::vector<uint32_t>{2, 3, 4, 5}));
  ASSERT_NO_FATAL_FAILURE(wander(c, *stepper, places, random, 40));
  ASSERT_NO_FATAL_FAILURE(expect_run(c, *stepper, places, options));
  const StopCondition other{.cta = Dim3{3, 0, 0}};
  stepper->go_to(0);
  ASSERT_TRUE(stepper->find(Direction::forward, {&other, 1}));
  const StepState now = stepper->state();
  EXPECT_EQ(now.cta.x, 3u);
  ASSERT_EQ(now.residents.size(), 2u);
  EXPECT_TRUE(now.residents[0].waits);
  StepParts parts;
  parts.cta = Dim3{2, 0, 0};
  const StepState waiting = stepper->state(parts);
  bool asleep = false;
  for (const StepWarp& w : waiting.warps) {
    for (const StepSplit& s : w.splits) {
      asleep = asleep || s.status == StepSplit::Status::waits_for_memory ||
               s.status == StepSplit::Status::at_barrier;
    }
  }
  EXPECT_TRUE(asleep);
  parts.cta = Dim3{7, 0, 0};
  EXPECT_THROW(stepper->state(parts), std::out_of_range);
}

/// What a place says of its next instruction's accesses is what a stop at those bytes finds, and
/// looking changes nothing. Returns how many accesses there were.
size_t expect_accesses(const StepCase& c, Stepper& stepper, const std::vector<StepPlace>& places,
                       size_t at) {
  const StepPlace& place = places[at];
  stepper.go_to(place.tick);
  const std::string bits = all_bits(stepper);
  StepParts parts;
  parts.accesses = true;
  const std::vector<StepAccess> accesses = stepper.state(parts).accesses;
  EXPECT_EQ(stepper.place().tick, place.tick) << c.name;
  EXPECT_TRUE(all_bits(stepper) == bits) << c.name << " tick " << place.tick;
  const bool shared =
      place.opcode.starts_with("ld.shared") || place.opcode.starts_with("st.shared");
  if (shared && !places.back().fault) {
    EXPECT_EQ(accesses.empty(), place.active == 0) << c.name << " " << place.opcode;
  }
  if (place.opcode.starts_with("fma") || place.opcode.starts_with("bar")) {
    EXPECT_TRUE(accesses.empty()) << place.opcode;
  }
  if (at == 0) return accesses.size();
  for (const StepAccess& a : accesses) {
    EXPECT_NE(a.lanes, 0u);
    for (uint32_t lane = 0; lane < 32; lane += 7) {
      if ((a.lanes >> lane & 1u) == 0) continue;
      stepper.go_to(places[at - 1].tick);
      StopCondition stop{.kind = StopCondition::Kind::access, .cta = place.cta};
      stop.warp = place.warp, stop.line = place.ptx_line, stop.lane = lane;
      stop.shared = a.shared, stop.address = a.addresses[lane], stop.bytes = a.bytes;
      stop.reads = a.reads, stop.writes = a.writes;
      const auto found = stepper.find(Direction::forward, {&stop, 1});
      EXPECT_TRUE(found && found->tick == place.tick) << c.name << " " << place.opcode;
    }
  }
  return accesses.size();
}

TEST(Step, AccessesOfTheNextInstructionAreSeenAndTakenBack) {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  size_t seen = 0;
  std::vector<StepCase> cases = fixture_cases();
  std::ranges::shuffle(cases, random);
  cases.resize(12);
  cases.push_back(sgemm_case(16)), cases.push_back(mma_case(96));
  for (const StepCase& c : cases) {
    auto stepper = c.stepper(200 + random() % 3000);
    const std::vector<StepPlace> places = walk(*stepper);
    for (int tries = 0; tries < 15; ++tries) {
      seen += expect_accesses(c, *stepper, places, random() % places.size());
    }
    expect_accesses(c, *stepper, places, places.size() - 1);
  }
  EXPECT_GT(seen, 0u);
}

// The step that a warp ran last is the one at which the run stood before it.
TEST(Step, TheLastStepOfAWarpIsTold) {
  std::mt19937 random(9);
  for (const StepCase& c : {sgemm_case(16), mma_case(96)}) {
    auto stepper = c.stepper(900);
    const std::vector<StepPlace> places = walk(*stepper);
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> ran;  // by CTA and warp
    for (size_t i = 0; i + 1 < places.size(); ++i) {
      const StepPlace& p = places[i];
      const auto before = ran.find({p.cta.x, p.warp});
      if (before != ran.end() && random() % 40 == 0) {
        stepper->go_to(p.tick);
        EXPECT_EQ(stepper->state().warps[p.warp].ran_step, before->second)
            << c.name << " tick " << p.tick;
      }
      ran[{p.cta.x, p.warp}] = p.step;
    }
  }
}

TEST(Step, GemmsOverTheirWholeGrid) {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (const StepCase& c : {sgemm_case(16), mma_case(96)}) {
    auto stepper = c.stepper(500 + random() % 5000);
    const std::vector<StepPlace> places = walk(*stepper);
    ASSERT_NO_FATAL_FAILURE(wander(c, *stepper, places, random, 30));
    ASSERT_NO_FATAL_FAILURE(expect_run(c, *stepper, places));
  }
}

// However little room there is, every place can be reached.
TEST(Step, CheckpointsKeepToTheirRoom) {
  const StepCase c = sgemm_case(64);
  auto wide = c.stepper(1000);
  const StepPlace end = wide->go_to(~0ull);
  EXPECT_GT(wide->checkpoints(), 20u);
  StepCase::Made made = c.make();
  Stepper::Options options;
  options.checkpoint_interval = 1000;
  options.checkpoint_bytes = wide->checkpoint_bytes() / 4;
  auto narrow = std::get<0>(Stepper::start(std::get<0>(Program::parse(c.ptx, Registers::kept)),
                                           c.entry, made.launch, std::move(made.memory), options));
  std::mt19937 random(11);
  narrow->go_to(~0ull);
  for (int i = 0; i < 20; ++i) {
    const uint64_t tick = random() % end.tick;
    ASSERT_EQ(narrow->go_to(tick).tick, wide->go_to(tick).tick);
    ASSERT_LE(narrow->checkpoint_bytes(), options.checkpoint_bytes);
    ASSERT_GT(narrow->checkpoints(), 2u);
    if (i % 4 == 0) {
      ASSERT_TRUE(all_bits(*narrow) == all_bits(*wide));
    }
  }
}

TEST(Step, ACancelledSearchLeavesThePlace) {
  auto stepper = sgemm_case(64).stepper(1000);
  const StepPlace before = stepper->go_to(5000);
  const std::string bits = all_bits(*stepper);
  std::atomic<bool> cancel = true;
  stepper->cancel_by(&cancel);
  EXPECT_THROW(stepper->find(Direction::forward, {}), Stepper::Cancelled);
  cancel = false;
  EXPECT_EQ(stepper->place().tick, before.tick);
  EXPECT_TRUE(all_bits(*stepper) == bits);
}

TEST(Step, PackedRegistersCannotBeStepped) {
  const StepCase c = sgemm_case(16);
  StepCase::Made made = c.make();
  const auto started =
      Stepper::start(parse(c.ptx), c.entry, made.launch, std::move(made.memory), {});
  ASSERT_TRUE(std::holds_alternative<std::string>(started));
  EXPECT_NE(std::get<std::string>(started).find("packed"), std::string::npos);
}

}  // namespace
}  // namespace tilescope::emulator::test::step_file
