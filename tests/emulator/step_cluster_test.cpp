// Stepping through clusters: forward and back, with the same counts and results as a run, and each
// CTA of the cluster to be looked at while it waits for the others.
#include <algorithm>
#include <map>

#include "cluster_support.h"
#include "step_support.h"

namespace tilescope::emulator::test::step_cluster_file {
namespace {

using Direction = Stepper::Direction;

// Each CTA sends a word of each thread to the next one, three times, each by an mbarrier there;
// they meet at the cluster's barrier at both ends. The last CTA of a cluster is slow.
StepCase ring_case(uint32_t n, uint32_t clusters) {
  StepCase c;
  c.name = "ring of " + std::to_string(n);
  c.entry = "k";
  c.grid = {n * clusters, 1, 1};
  c.block = {48, 1, 1};
  c.buffers = {64, 4ull * 48 * n * clusters};
  c.ptx = with_cluster_directives(
      kernel(
          "mov.u32 %r5, %cluster_ctarank;\nmov.u32 %r6, %cluster_nctarank;\nadd.u32 %r7, %r5, 1;\n"
          "rem.u32 %r7, %r7, %r6;\nmov.u32 %r8, bar;\nmov.u32 %r9, data;\nshl.b32 %r10, %r0, 2;\n"
          "add.u32 %r11, %r9, %r10;\nmapa.shared::cluster.u32 %r12, %r11, %r7;\n"
          "mapa.shared::cluster.u32 %r13, %r8, %r7;\nsetp.ne.u32 %p1, %r0, 0;\n"
          "mov.u32 %r14, %ntid.x;\n@!%p1 mbarrier.init.shared::cta.b64 [%r8], %r14;\n"
          "@!%p1 mbarrier.init.shared::cta.b64 [%r8+8], %r14;\n"
          "@!%p1 mbarrier.init.shared::cta.b64 [%r8+16], %r14;\n"
          "barrier.cluster.arrive;\nbarrier.cluster.wait;\nmov.u32 %r15, %r1;\nmov.u32 %r16, 0;\n"
          "again:\nmov.u32 %r20, 0;\nadd.u32 %r21, %r5, 1;\nsetp.lt.u32 %p4, %r21, %r6;\n"
          "@%p4 bra send;\nslow:\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p5, %r20, 40;\n"
          "@%p5 bra slow;\nsend:\nmad.lo.u32 %r22, %r16, 192, %r12;\n"
          "st.shared::cluster.u32 [%r22], %r15;\n"
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13];\nadd.u32 %r13, %r13, 8;\n"
          "wait:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r8], 0;\n"
          "@!%p2 bra wait;\nadd.u32 %r8, %r8, 8;\nmad.lo.u32 %r22, %r16, 192, %r11;\nld.shared.u32 "
          "%r18, [%r22];\n"
          "add.u32 %r15, %r18, %r1;\nadd.u32 %r16, %r16, 1;\nsetp.lt.u32 %p3, %r16, 3;\n"
          "@%p3 bra again;\nmul.wide.u32 %rd4, %r1, 4;\nadd.u64 %rd4, %rd4, %rd1;\n"
          "st.global.u32 [%rd4], %r15;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n",
          ".shared .align 8 .b8 bar[32];\n.shared .align 16 .b8 data[1024];\n"),
      ".reqnctapercluster " + std::to_string(n) + ", 1, 1");
  c.arguments = [](std::vector<std::byte>& to, const std::vector<uint64_t>& at) {
    to = parameters(at[0], at[1]);
  };
  return c;
}

std::vector<uint32_t> ring_result(uint32_t n, uint32_t clusters) {
  std::vector<uint32_t> now(48ull * n * clusters), next(now.size());
  for (uint32_t i = 0; i < now.size(); ++i) now[i] = i;
  for (int step = 0; step < 3; ++step) {
    for (uint32_t i = 0; i < now.size(); ++i) {
      const uint32_t cta = i / 48, rank = cta % n;
      const uint32_t before = cta - rank + (rank + n - 1) % n;
      next[i] = now[before * 48 + i % 48] + i;
    }
    now.swap(next);
  }
  return now;
}

TEST(StepClusters, ForwardAndBackwardAsARunDoes) {
  std::mt19937 random(8);
  for (const auto& [n, clusters] : {std::pair(2u, 2u), {3u, 2u}, {8u, 1u}}) {
    const StepCase c = ring_case(n, clusters);
    RunOptions checked;
    checked.check = true;
    Memory after;
    const RunResult whole = c.run_whole(after, checked);
    ASSERT_FALSE(whole.fault) << whole.fault->message;
    const auto right = ring_result(n, clusters);
    EXPECT_TRUE(std::ranges::equal(
        right, std::span(data<uint32_t>(after, uint64_t{2} << 40), right.size())));
    auto stepper = c.stepper(100 + random() % 1000);
    ASSERT_TRUE(stepper);
    const std::vector<StepPlace> places = walk(*stepper);
    EXPECT_FALSE(places.back().fault);
    std::map<int, uint64_t> visits, counted;
    for (const StepPlace& p : places) visits[p.ptx_line] += !p.ended;
    visits.erase(0);
    for (const LineCounts& l : whole.counts.lines) counted[l.ptx_line] = l.warp_instructions;
    EXPECT_EQ(visits, counted) << c.name;  // also of asking mbarriers
    StepParts parts;
    parts.global = {{uint64_t{2} << 40, c.buffers[1]}};
    EXPECT_TRUE(
        std::ranges::equal(stepper->state(parts).global[0].bytes, after.bytes(uint64_t{2} << 40)));
    for (int i = 0; i < 30; ++i) {
      const StepPlace& there = places[random() % places.size()];
      auto fresh = c.stepper(1u << 16);
      fresh->go_to(there.tick);
      stepper->go_to(there.tick);
      const StepPlace here = stepper->place();
      EXPECT_EQ(here.ptx_line, there.ptx_line);
      EXPECT_EQ(here.cta.x, there.cta.x);
      ASSERT_TRUE(all_bits(*fresh) == all_bits(*stepper)) << c.name << " tick " << there.tick;
      const StepState state = stepper->state();
      for (const StepState::Resident& r : state.residents) {
        StepParts of;
        of.cta = r.cta, of.all_warps = true;
        const StepState a = stepper->state(of), b = fresh->state(of);
        ASSERT_EQ(a.shared, b.shared);
        ASSERT_EQ(a.registers.size(), b.registers.size());
        for (size_t k = 0; k < a.registers.size(); ++k) {
          ASSERT_EQ(a.registers[k].words, b.registers[k].words);
        }
      }
    }
  }
}

TEST(StepClusters, WhoWaitsForTheOthersIsShown) {
  const StepCase c = ring_case(3, 1);
  auto stepper = c.stepper(500);
  bool at_barrier = false, all_there = false;
  while (!stepper->place().ended) {
    const StepState state = stepper->state();
    all_there = all_there || state.residents.size() == 3;
    for (const StepState::Resident& r : state.residents) {
      StepParts parts;
      parts.cta = r.cta;
      const StepState of = stepper->state(parts);
      for (const StepWarp& w : of.warps) {
        at_barrier =
            at_barrier ||
            std::ranges::count(w.splits, StepSplit::Status::waits_for_cluster, &StepSplit::status);
      }
    }
    const StopCondition any{};
    if (!stepper->find(Direction::forward, {&any, 1})) break;
  }
  EXPECT_TRUE(all_there);
  EXPECT_TRUE(at_barrier);
}

// A stop at a CTA's shared memory is one at what the others write there, too.
TEST(StepClusters, StoresOfOthersAreFoundAndNamed) {
  const StepCase c = ring_case(2, 1);
  auto stepper = c.stepper(500);
  const StopCondition written{.kind = StopCondition::Kind::access,
                              .cta = Dim3{1, 0, 0},
                              .shared = true,
                              .address = 32 + 4 * 5,
                              .bytes = 4,
                              .reads = false};
  ASSERT_TRUE(stepper->find(Direction::forward, {&written, 1}));
  const StepPlace place = stepper->place();
  EXPECT_EQ(place.cta.x, 0u);
  EXPECT_EQ(place.opcode, "st.shared::cluster.u32");
  const StopCondition any{};
  ASSERT_TRUE(stepper->find(Direction::forward, {&any, 1}));
  StepParts parts;
  parts.cta = Dim3{1, 0, 0}, parts.writers = true;
  const StepState state = stepper->state(parts);
  const auto by = state.writers.at(32 + 4 * 5);
  ASSERT_TRUE(by);
  EXPECT_EQ(by->lane, 5u);
  EXPECT_EQ(by->ptx_line, place.ptx_line);
  // And back to before it.
  ASSERT_TRUE(stepper->find(Direction::backward, {&written, 1}));
  EXPECT_EQ(stepper->place().tick, place.tick);
}

TEST(StepClusters, FindingsShowWhereTheyWereMade) {
  StepCase c = ring_case(2, 1);
  const size_t at = c.ptx.rfind("@!%p2 bra wait;");
  c.ptx.erase(at, std::strlen("@!%p2 bra wait;"));
  auto stepper = c.stepper(500);
  EXPECT_TRUE(stepper->findings().found.empty());
  EXPECT_GT(stepper->findings().later, 0u);
  stepper->go_to(~0ull);
  EXPECT_FALSE(stepper->findings().found.empty());
}

}  // namespace
}  // namespace tilescope::emulator::test::step_cluster_file
