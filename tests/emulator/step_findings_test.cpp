// What a stepped run has shown up to a place: findings of the checks, cp.async on its way, output.
#include <algorithm>
#include <bit>

#include "step_support.h"

namespace tilescope::emulator::test::step_findings_file {
namespace {

using Direction = Stepper::Direction;
const StopCondition kAny{};

/// Two warps that exchange words of shared memory without a barrier; warp 0 runs first.
StepCase racy_case(uint32_t ctas) {
  StepCase c;
  c.name = "racy", c.entry = "k";
  c.ptx = kernel(
      "shl.b32 %r4, %r0, 2;\nmov.u32 %r5, s;\nadd.u32 %r6, %r4, %r5;\nst.shared.u32 [%r6], %r0;\n"
      "xor.b32 %r7, %r0, 32;\nshl.b32 %r7, %r7, 2;\nadd.u32 %r7, %r7, %r5;\n"
      "ld.shared.u32 %r8, [%r7];\nbar.sync 0;\nst.shared.u32 [%r6], %r8;\n",
      ".shared .align 16 .b8 s[256];");
  c.grid = {ctas, 1, 1}, c.block = {64, 1, 1};
  c.buffers = {64, 64};
  c.arguments = [](std::vector<std::byte>& block, const std::vector<uint64_t>& at) {
    block = parameters(at[0], at[1]);
  };
  return c;
}

std::vector<std::string> messages(Stepper& stepper) {
  std::vector<std::string> all;
  for (const Finding& f : stepper.findings().found) all.push_back(f.fault.message);
  return all;
}

TEST(StepFindings, AreThereBehindTheirMomentAndGoneBeforeIt) {
  const auto stepper = racy_case(1).stepper(50);
  ASSERT_TRUE(stepper);
  const std::vector<StepPlace> places = walk(*stepper);
  ASSERT_TRUE(places.back().ended && !places.back().fault);
  const StepFindings all = stepper->findings();
  EXPECT_EQ(all.later, 0u);
  EXPECT_FALSE(all.cut_short);
  ASSERT_GE(all.found.size(), 2u) << "a race, and a word that nobody had written";
  EXPECT_TRUE(std::ranges::any_of(
      all.found, [](const Finding& f) { return f.fault.kind == Fault::Kind::race; }));
  stepper->go_to(0);
  EXPECT_TRUE(stepper->findings().found.empty());
  EXPECT_EQ(stepper->findings().later, all.found.size());
  for (const Finding& f : all.found) {
    ASSERT_TRUE(f.seen) << f.fault.message;
    const auto at = std::ranges::find_if(places, [&](const StepPlace& p) {
      return p.warp == f.seen->warp && p.step == f.seen->step && !p.ended;
    });
    ASSERT_NE(at, places.end()) << f.fault.message;
    // What nobody had written is told once somebody uses it.
    const bool at_once = f.fault.kind == Fault::Kind::race;
    EXPECT_TRUE(at_once ? at->ptx_line == f.fault.ptx_line : at->ptx_line >= f.fault.ptx_line);
    for (const bool again : {false, true}) {
      stepper->go_to(at->tick);
      EXPECT_EQ(std::ranges::count(messages(*stepper), f.fault.message), 0) << "it is the next";
      const std::vector<std::string> before = messages(*stepper);
      ASSERT_TRUE(stepper->find(Direction::forward, {&kAny, 1}));
      EXPECT_EQ(std::ranges::count(messages(*stepper), f.fault.message), 1);
      ASSERT_TRUE(stepper->find(Direction::backward, {&kAny, 1}));
      EXPECT_EQ(messages(*stepper), before);
      if (again) break;
      stepper->go_to(~0ull);
    }
  }
}

// Of the whole grid a CTA's findings come when it runs; asking changes nothing.
TEST(StepFindings, OfLaterCtasComeLater) {
  const auto stepper = racy_case(3).stepper(100);
  ASSERT_TRUE(stepper);
  const StopCondition second{.cta = Dim3{1, 0, 0}};
  ASSERT_TRUE(stepper->find(Direction::forward, {&second, 1}));
  const std::string bits = all_bits(*stepper);
  const StepFindings found = stepper->findings();
  EXPECT_GE(found.found.size(), 2u) << "of CTA 0, which has ended";
  EXPECT_TRUE(all_bits(*stepper) == bits);
  for (const Finding& f : found.found) EXPECT_EQ(f.fault.cta.x, 0u);
}

TEST(StepFindings, OfARunThatMeetsAFaultAreThoseUpToIt) {
  StepCase c = racy_case(1);
  c.ptx = kernel(
      "mov.u32 %r5, s;\nst.shared.u32 [%r5+0], %r0;\nst.global.u32 [%rd1+4096], %r0;\n"
      "ld.shared.u32 %r8, [%r5+128];\n",
      ".shared .align 16 .b8 s[256];");
  const auto stepper = c.stepper(50);
  ASSERT_TRUE(stepper);
  const StepPlace end = stepper->go_to(~0ull);
  ASSERT_TRUE(end.fault);
  const StepFindings at_end = stepper->findings();
  EXPECT_TRUE(std::ranges::any_of(
      at_end.found, [](const Finding& f) { return f.fault.kind == Fault::Kind::out_of_bounds; }));
  // Checks go on behind a fault; the run has not come there.
  EXPECT_GT(at_end.later, 0u);
  stepper->find(Direction::backward, {&kAny, 1});
  for (const Finding& f : stepper->findings().found) {
    EXPECT_NE(f.fault.kind, Fault::Kind::out_of_bounds);
  }
}

TEST(StepFindings, CancelledChecksLeaveThePlace) {
  const auto stepper = sgemm_case(64).stepper(1000);
  const StepPlace before = stepper->go_to(3000);
  const std::string bits = all_bits(*stepper);
  std::atomic<bool> cancel = true;
  stepper->cancel_by(&cancel);
  EXPECT_THROW(stepper->findings(), Stepper::Cancelled);
  cancel = false;
  EXPECT_EQ(stepper->place().tick, before.tick);
  EXPECT_TRUE(all_bits(*stepper) == bits);
  EXPECT_TRUE(stepper->findings().found.empty());
  EXPECT_TRUE(all_bits(*stepper) == bits);
}

// As many groups as the warp's lanes have, each with the bytes of its copies.
TEST(StepCopies, AreTheGroupsThatAWarpHasNotWaitedFor) {
  const StepCase c = mma_case(160);
  const auto stepper = c.stepper(2000, {{0, 0, 0}});
  const std::vector<StepPlace> places = walk(*stepper);
  std::mt19937 random(7);
  size_t groups = 0, open = 0;
  for (int tries = 0; tries < 300; ++tries) {
    const StepPlace& at = places[random() % places.size()];
    stepper->go_to(at.tick);
    for (const StepWarp& w : stepper->state().warps) {
      const auto committed = std::ranges::count_if(w.copies, &StepCopies::committed);
      EXPECT_EQ(static_cast<uint32_t>(committed), *std::ranges::max_element(w.pending_groups));
      groups += static_cast<size_t>(committed);
      open += w.copies.size() - static_cast<size_t>(committed);
      for (size_t i = 0; i < w.copies.size(); ++i) {
        const StepCopies& copies = w.copies[i];
        EXPECT_TRUE(copies.committed || i + 1 == w.copies.size()) << "the last alone";
        EXPECT_GT(copies.ptx_line, 0);
        EXPECT_EQ(copies.bytes % (uint64_t{16} * std::max(1u, copies.copies)), 0u);
        if (i > 0) {
          EXPECT_GT(copies.step, w.copies[i - 1].step);
        }
      }
    }
  }
  EXPECT_GT(groups, 100u);
  EXPECT_GT(open, 10u);
}

}  // namespace
}  // namespace tilescope::emulator::test::step_findings_file
