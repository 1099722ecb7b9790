// Who wrote each byte of shared memory last, against what a plain run's accesses say in their
// order.
#include <algorithm>
#include <map>

#include "step_support.h"

namespace tilescope::emulator::test::step_writers_file {
namespace {

/// A write of a plain run to shared memory, kept.
struct Write {
  StepWriter by;
  std::vector<std::pair<uint64_t, uint32_t>> lanes;  // address, lane
  uint32_t bytes = 0;
};
struct Writes final : AccessWatch {
  bool see(const MemoryAccess& a) override {
    if (!a.shared || !a.writes) return true;
    Write& w = all.emplace_back();
    w.by = {a.warp, 0, a.ptx_line, a.step};
    w.bytes = a.bytes;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if ((a.lanes >> lane & 1u) != 0) w.lanes.emplace_back(a.addresses[lane], lane);
    }
    return true;
  }
  std::vector<Write> all;
};

std::vector<std::optional<StepWriter>> writers_at(const Stepper& stepper) {
  StepParts parts;
  parts.writers = true;
  const StepState s = stepper.state(parts);
  std::vector<std::optional<StepWriter>> bytes(s.shared.size());
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = s.writers.at(i);
  for (const StepWriters::Line& line : s.writers.lines) EXPECT_GT(line.ptx_line, 0);
  return bytes;
}

/// Of the first CTA, at places at random, forward and backward.
size_t expect_writers(const StepCase& c, uint64_t interval, std::mt19937& random) {
  Writes writes;
  RunOptions options;
  options.ctas = {{0, 0, 0}};
  options.accesses = &writes;
  options.max_warp_instructions = 10 * c.limit;
  Memory after;
  const RunResult whole = c.run_whole(after, options);
  // A limit counts in other portions; who waits for other CTAs makes no steps of it.
  if (whole.fault || !whole.taken_along.empty() || whole.counts.polls) return 0;
  auto stepper = c.stepper(interval, options.ctas);
  const std::vector<StepPlace> places = walk(*stepper);
  if (places.back().fault) return 0;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> ticks;
  for (const StepPlace& p : places) ticks.try_emplace({p.warp, p.step}, p.tick);
  size_t written = 0;
  for (int tries = 0; tries < 8; ++tries) {
    const StepPlace& at = places[random() % (places.size() - 1)];
    stepper->go_to(at.tick);
    const auto bytes = writers_at(*stepper);
    std::vector<std::optional<StepWriter>> right(bytes.size());
    for (const Write& w : writes.all) {
      const auto tick = ticks.find({w.by.warp, w.by.step});
      if (tick == ticks.end()) {
        ADD_FAILURE() << c.name << ": no place is step " << w.by.step << " of warp " << w.by.warp;
        return 0;
      }
      if (tick->second >= at.tick) continue;
      for (const auto& [address, lane] : w.lanes) {
        StepWriter by = w.by;
        by.lane = lane;
        for (uint64_t b = address; b < address + w.bytes; ++b) right.at(b) = by;
      }
    }
    EXPECT_TRUE(bytes == right) << c.name << " tick " << at.tick;
    written += static_cast<size_t>(std::ranges::count_if(right, [](auto& w) { return !!w; }));
  }
  return written;
}

TEST(StepWriters, AreThoseOfTheAccessesInTheirOrder) {
  const unsigned seed = std::random_device()();
  std::printf("seed %u\n", seed);
  std::mt19937 random(seed);
  size_t written = 0, cases = 0;
  std::vector<StepCase> all = fixture_cases();
  all.push_back(sgemm_case(32)), all.push_back(mma_case(96));
  for (const StepCase& c : all) {
    // Of stmatrix the accesses name the lane that has the address; mbarriers are none.
    if (c.ptx.find("stmatrix") != std::string::npos) continue;
    if (c.ptx.find("mbarrier") != std::string::npos) continue;
    const size_t some = expect_writers(c, 50 + random() % 3000, random);
    written += some, cases += some > 0;
  }
  EXPECT_GT(cases, 5u);
  EXPECT_GT(written, 10000u);
}

/// A warp that does something with `s` and 32 in %r1 to %r4, %r0 being the lane.
std::unique_ptr<Stepper> warp_of(const std::string& body) {
  StepCase c;
  c.name = c.entry = "writes";
  c.ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry writes()\n{\n"
      ".reg .b16 %h<4>;\n.reg .b32 %r<9>;\n.shared .align 16 .b8 s[512];\n"
      "mov.u32 %r0, %laneid;\nmov.u32 %r5, s;\nmov.u32 %r1, 32;\n" +
      body + "ret;\n}\n";
  c.grid = {1, 1, 1}, c.block = {32, 1, 1};
  c.arguments = [](std::vector<std::byte>&, const std::vector<uint64_t>&) {};
  auto stepper = c.stepper(100);
  if (!stepper) return nullptr;
  const StopCondition end{.kind = StopCondition::Kind::cta_end};
  stepper->find(Stepper::Direction::forward, {&end, 1});
  return stepper;
}

TEST(StepWriters, OfStmatrixAreTheLanesThatHeldTheValues) {
  for (const bool turned : {false, true}) {
    const auto stepper =
        warp_of("mad.lo.u32 %r6, %r0, 16, %r5;\nstmatrix.sync.aligned.m8n8.x1" +
                std::string(turned ? ".trans" : "") + ".shared.b16 [%r6], {%r1};\n");
    ASSERT_TRUE(stepper);
    const auto bytes = writers_at(*stepper);
    for (uint32_t row = 0; row < 8; ++row) {
      for (uint32_t column = 0; column < 8; ++column) {
        const uint32_t lane = turned ? 4 * column + row / 2 : 4 * row + column / 2;
        const auto& by = bytes[16 * row + 2 * column];
        ASSERT_TRUE(by) << row << " " << column;
        EXPECT_EQ(by->lane, lane) << row << " " << column << (turned ? " turned" : "");
      }
    }
    EXPECT_FALSE(bytes[128]) << "behind the matrix";
  }
}

// Bytes of one word by several lanes, later ones over earlier ones, and back to where none had.
TEST(StepWriters, AreToldByTheByteAndGoBackwardExactly) {
  const auto stepper = warp_of(
      "shl.b32 %r6, %r0, 2;\nadd.u32 %r6, %r6, %r5;\nst.shared.u32 [%r6], %r1;\n"
      "add.u32 %r7, %r5, %r0;\nst.shared.u8 [%r7], %r1;\n");
  ASSERT_TRUE(stepper);
  const auto after = writers_at(*stepper);
  for (uint32_t b = 0; b < 128; ++b) {
    ASSERT_TRUE(after[b]);
    EXPECT_EQ(after[b]->lane, b < 32 ? b : b / 4) << b;
    EXPECT_EQ(after[b]->ptx_line == after[0]->ptx_line, b < 32) << b;
  }
  const std::string bits = all_bits(*stepper);
  const StopCondition any{};
  ASSERT_TRUE(stepper->find(Stepper::Direction::backward, {&any, 1}));
  const auto before = writers_at(*stepper);
  EXPECT_EQ(before[31]->lane, 31u / 4) << "the bytes are not stored yet";
  ASSERT_TRUE(stepper->find(Stepper::Direction::forward, {&any, 1}));
  EXPECT_TRUE(all_bits(*stepper) == bits);
  stepper->go_to(0);
  for (const auto& by : writers_at(*stepper)) EXPECT_FALSE(by);
}

}  // namespace
}  // namespace tilescope::emulator::test::step_writers_file
