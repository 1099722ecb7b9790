// What a run shows while it goes on (Provenance::Live), and how a moment is found again.
#include "emulator/provenance.h"
#include "support.h"

namespace tilescope::emulator::test::live_file {
namespace {

using Live = Provenance::Live;

// Two warps. Each stores its words of `in` to shared memory, meets the other, and reads what lies
// four words on: once before the loop's barriers and twice in it.
std::string exchange() {
  return kernel(
      "mul.wide.u32 %rd5, %r0, 4;\nadd.s64 %rd6, %rd0, %rd5;\nadd.s64 %rd7, %rd1, %rd5;\n"
      "mov.u32 %r4, s;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r6, %r5, %r4;\nxor.b32 %r7, %r6, 16;\n"
      "mov.u32 %r8, 0;\nmov.f32 %f9, 0f00000000;\nLOOP:\n"
      "ld.global.f32 %f1, [%rd6];\nst.shared.f32 [%r6], %f1;\nbar.sync 0;\n"
      "ld.shared.f32 %f2, [%r7];\nfma.rn.f32 %f9, %f2, %f1, %f9;\nbar.sync 0;\n"
      "add.s64 %rd6, %rd6, 256;\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 3;\n@%p1 bra LOOP;\n"
      "st.global.f32 [%rd7], %f9;\n",
      ".shared .align 16 .b8 s[256];\n");
}

struct Seen {
  EventKind kind;
  uint32_t epoch, warp;
  Origin shared, reg;  // of lane 5: its shared word, and what the instruction loaded
  Moved moved;
};

std::vector<Seen> watch(bool only_traced, std::vector<std::pair<uint32_t, uint32_t>> epochs) {
  std::vector<Seen> seen;
  auto program = parse(exchange());
  if (!program) return seen;
  Memory memory;
  const uint64_t a = memory.allocate("in", 1024, true), b = memory.allocate("out", 256);
  Provenance::Options following;
  following.only_traced = only_traced;
  following.each = [&](const Trace& trace, const Live& live) {
    const Event& e = trace.events.back();
    const uint64_t word = (e.warp * 32 + 5) * 4;
    seen.push_back({e.kind, e.epoch, e.warp, live.of_shared(word),
                    live.of_register(e.warp, 5, e.kind == EventKind::load_shared ? "%f2" : "%f1"),
                    live.moved()});
  };
  Provenance provenance(following);
  RunOptions options;
  options.trace.emplace();
  options.trace->fma = true;
  options.trace->ranges = {true, std::move(epochs)};
  options.provenance = &provenance;
  const RunResult r =
      run(*program, "k", {{1, 1, 1}, {64, 1, 1}, 0, parameters(a, b)}, memory, options);
  EXPECT_FALSE(r.fault);
  EXPECT_EQ(r.trace->events.size(), seen.size());
  return seen;
}

TEST(Live, ShowsEachEventAsItHasJustRun) {
  const std::vector<Seen> seen = watch(false, {{0, 100}});
  size_t loads = 0, products = 0;
  for (const Seen& s : seen) {
    const uint64_t round = s.epoch / 2, own = round * 256 + (s.warp * 32 + 5) * 4;
    switch (s.kind) {
      case EventKind::load_global:
        EXPECT_EQ(s.reg, (Origin{0, own}));
        ++loads;
        break;
      case EventKind::store_shared:
        EXPECT_EQ(s.shared, (Origin{0, own}));
        EXPECT_EQ(s.moved.a[5], (Origin{0, own}));
        break;
      case EventKind::load_shared:
        EXPECT_EQ(s.reg, (Origin{0, own ^ 16}));
        break;
      case EventKind::fma:
        EXPECT_EQ(s.moved.a[5], (Origin{0, own ^ 16}));
        EXPECT_EQ(s.moved.b[5], (Origin{0, own}));
        ++products;
        break;
      default:
        break;
    }
  }
  EXPECT_EQ(loads, 6u);
  EXPECT_EQ(products, 6u);
}

TEST(Live, OutsideTheRangesNothingIsFollowedAndNothingStaleIsLeft) {
  const std::vector<Seen> seen = watch(true, {{3, 5}});
  ASSERT_FALSE(seen.empty());
  for (const Seen& s : seen) {
    EXPECT_TRUE(s.epoch == 3 || s.epoch == 4) << s.epoch;
    const uint64_t own = s.epoch / 2 * 256 + (s.warp * 32 + 5) * 4;
    if (s.kind == EventKind::load_shared && s.epoch == 3) {
      EXPECT_FALSE(s.reg);  // stored in epoch 2, which was not followed
    }
    if (s.kind == EventKind::store_shared) {
      EXPECT_EQ(s.epoch, 4u);
      EXPECT_EQ(s.shared, (Origin{0, own}));
    }
  }
}

TEST(Live, AMomentIsFoundAgainByLineAndCount) {
  const std::string text = exchange();
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  const uint64_t a = memory.allocate("in", 1024, true), b = memory.allocate("out", 256);
  const Launch launch{{1, 1, 1}, {64, 1, 1}, 0, parameters(a, b)};
  int line = 0;
  for (const Instruction& in : program->instructions("k")) {
    if (in.opcode == "ld.shared.f32") {
      line = in.ptx_line;
      EXPECT_EQ(in.operands, (std::vector<std::vector<std::string>>{{"%f2"}, {"%r7"}}));
    }
  }
  ASSERT_GT(line, 0);
  for (uint64_t times : {1, 2, 3}) {
    const auto moment =
        Provenance::find_moment(*program, "k", launch, memory, {0, 0, 0}, 1, line, times);
    ASSERT_TRUE(moment);
    Provenance::Options following;
    following.until = moment;
    Provenance p(following);
    RunOptions options;
    options.provenance = &p;
    run(*program, "k", launch, memory, options);
    const Value v = p.of_register({0, 0, 0}, 1, 5, "%f2");
    EXPECT_EQ(v.kind, Value::Kind::element);
    EXPECT_EQ(v.origin, (Origin{0, (times - 1) * 256 + ((37 * 4) ^ 16)}));
  }
  EXPECT_FALSE(Provenance::find_moment(*program, "k", launch, memory, {0, 0, 0}, 1, line, 4));
}

}  // namespace
}  // namespace tilescope::emulator::test::live_file
