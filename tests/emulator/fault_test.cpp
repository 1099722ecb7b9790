// Each kind of fault, and that its one sentence names the place.
#include <atomic>

#include "support.h"

namespace tilescope::emulator::test::fault_file {
namespace {

Fault fault_of(const std::string& body, uint32_t threads = 64, RunOptions options = {},
               uint32_t ctas = 1) {
  const Outcome o = run_kernel(kernel(body), threads, 64, std::vector<uint32_t>(64), options, ctas);
  EXPECT_TRUE(o.result.fault);
  return o.result.fault.value_or(Fault{});
}

void expect_words(const Fault& f, const std::vector<std::string>& words) {
  for (const std::string& w : words) {
    EXPECT_NE(f.message.find(w), std::string::npos) << "'" << w << "' is missing in: " << f.message;
  }
  EXPECT_EQ(f.message.back(), '.');
}

const std::string kAddress =
    "mul.wide.u32 %rd5, %r0, 4;\nadd.s64 %rd6, %rd0, %rd5;\nadd.s64 %rd7, %rd1, %rd5;\n";

TEST(Fault, GlobalOutOfBounds) {
  const Fault f = fault_of(".loc 1 12 3\n" + kAddress + "ld.global.u32 %r5, [%rd6+16];\n");
  EXPECT_EQ(f.kind, Fault::Kind::out_of_bounds);
  EXPECT_EQ(f.warp, 1u);
  EXPECT_EQ(f.lane, 28u);  // 60 + 4 elements
  EXPECT_EQ(f.address & 0xffffffffff, 256u);
  EXPECT_EQ(f.ptx_line, 23);
  EXPECT_EQ(f.source.line, 12);
  expect_words(f, {"CTA (0, 0, 0)", "warp 1", "lane 28", "4-byte load", "'in' + 256", "256 bytes",
                   "PTX line 23", ":12)"});
}

TEST(Fault, NeighbouringBuffersAreNotHit) {
  EXPECT_EQ(fault_of("st.global.u32 [%rd1+-4], %r0;\n").kind, Fault::Kind::out_of_bounds);
  EXPECT_EQ(fault_of("ld.global.u32 %r5, [%rd1+256];\n").kind, Fault::Kind::out_of_bounds);
  EXPECT_EQ(fault_of("ld.global.u32 %r5, [0];\n").kind, Fault::Kind::out_of_bounds);
  EXPECT_EQ(fault_of("mov.u64 %rd5, -8;\nld.global.u32 %r5, [%rd5];\n").kind,
            Fault::Kind::out_of_bounds);
}

TEST(Fault, MisalignedAndReadOnly) {
  const Fault m = fault_of(kAddress + "ld.global.v2.u32 {%r5, %r6}, [%rd6];\n");
  EXPECT_EQ(m.kind, Fault::Kind::misaligned);
  EXPECT_EQ(m.lane, 1u);
  const Fault r = fault_of(kAddress + "st.global.u32 [%rd6], %r0;\n");
  EXPECT_EQ(r.kind, Fault::Kind::read_only);
  expect_words(r, {"read-only", "'in'", "store"});
}

TEST(Fault, SharedAndLocal) {
  const std::string s =
      ".shared .align 4 .b8 s[64];\nmov.u32 %r4, s;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r5, %r5, "
      "%r4;\n";
  const Fault f = fault_of(s + "st.shared.u32 [%r5], %r0;\n", 32);
  EXPECT_EQ(f.kind, Fault::Kind::out_of_bounds);
  EXPECT_EQ(f.lane, 16u);
  EXPECT_EQ(f.address, 64u);
  expect_words(f, {"shared", "64 bytes"});
  EXPECT_EQ(fault_of(s + "ld.shared.u32 %r6, [%r4+2];\n").kind, Fault::Kind::misaligned);
  EXPECT_EQ(
      fault_of(".local .align 4 .b8 d[16];\nmov.u64 %rd5, d;\nst.local.u32 [%rd5+16], %r0;\n").kind,
      Fault::Kind::out_of_bounds);
}

TEST(Fault, BarrierThatNeverCompletes) {
  const Fault f = fault_of(
      "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra LOW;\nbar.sync 1;\nbra JOIN;\nLOW:\nbar.sync "
      "2;\nJOIN:\n");
  EXPECT_EQ(f.kind, Fault::Kind::deadlock);
  expect_words(f, {"barrier", "deadlock", "PTX line", "warp 0"});
  EXPECT_EQ(fault_of("bar.sync 1, 128;\nst.global.u32 [%rd1], %r0;\n", 32).kind,
            Fault::Kind::deadlock);
}

TEST(Fault, MatrixInstructionsNeedTheWholeWarp) {
  const std::string off =
      "setp.lt.u32 %p1, %r0, 9;\n@%p1 bra END;\n.shared .align 16 .b8 s[512];\nmov.u32 %r4, s;\n";
  const Fault f =
      fault_of(off + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];\nEND:\n", 32);
  EXPECT_EQ(f.kind, Fault::Kind::partial_warp);
  EXPECT_EQ(f.lane, 0u);
  EXPECT_EQ(fault_of(off + "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 "
                           "{%r5,%r6},{%r5,%r6},{%r7},{%r5,%r6};\nEND:\n",
                     32)
                .kind,
            Fault::Kind::partial_warp);
}

TEST(Fault, TrapAndExternalCall) {
  EXPECT_EQ(fault_of("trap;\n").kind, Fault::Kind::trap);
  const std::string module =
      ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
      ".param .b64 e);\n.extern .func unknown();\n";
  const std::string call =
      "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
      "call.uni __assertfail, (a, b, c, d, e); }\n";
  const std::string jump = "setp.gt.u32 %p1, %r0, 100;\n@!%p1 bra GO;\n" + call + "GO:\n";
  EXPECT_FALSE(run_kernel(kernel(jump, module), 32, 1).result.fault);
  const Outcome does = run_kernel(kernel(call, module), 32, 1);
  ASSERT_TRUE(does.result.fault);
  EXPECT_EQ(does.result.fault->kind, Fault::Kind::trap);
  const auto errors = errors_of(kernel("call.uni unknown;\n", module));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].message.find("'unknown' has no body in this file"), std::string::npos);
}

TEST(Fault, EndlessRecursion) {
  const std::string module = ".func a()\n{\ncall.uni a;\nret;\n}\n";
  const Outcome o = run_kernel(kernel("call.uni a;\n", module), 32, 1);
  ASSERT_TRUE(o.result.fault);
  EXPECT_NE(o.result.fault->message.find("nests its calls too deeply"), std::string::npos)
      << o.result.fault->message;
}

TEST(Fault, LimitAndCancel) {
  const std::string forever = "LOOP:\nadd.u32 %r5, %r5, 1;\nbra LOOP;\n";
  RunOptions limited;
  limited.max_warp_instructions = 100000;
  const Fault f = fault_of(forever, 32, limited);
  EXPECT_EQ(f.kind, Fault::Kind::limit);
  const std::atomic<bool> cancel = true;
  RunOptions cancelled;
  cancelled.cancel = &cancel;
  EXPECT_EQ(fault_of(forever, 32, cancelled).kind, Fault::Kind::cancelled);
  RunOptions enough;
  enough.max_warp_instructions = 100000;
  EXPECT_FALSE(run_kernel(kernel("add.u32 %r5, %r5, 1;\n"), 32, 1, {}, enough).result.fault);
}

TEST(Fault, FirstCtaInOrderIsNamedWhateverTheThreads) {
  // CTAs 5 and later go out of bounds.
  for (const int threads : {1, 4}) {
    RunOptions options;
    options.threads = threads;
    const Fault f = fault_of(
        "mad.lo.u32 %r6, %r2, 44, 0;\nmul.wide.u32 %rd5, %r6, 1;\nadd.s64 %rd6, %rd0, %rd5;\n"
        "ld.global.u32 %r5, [%rd6+40];\n",
        32, options, 40);
    EXPECT_EQ(f.kind, Fault::Kind::out_of_bounds);
    EXPECT_EQ(f.cta.x, 5u) << threads;
  }
}

TEST(Fault, ImpossibleLaunches) {
  auto program = parse(kernel(""));
  Memory memory;
  const std::vector<std::byte> two = parameters(uint64_t{1}, uint64_t{2});
  auto refused = [&](const char* entry, Launch launch, RunOptions options = {}) {
    const RunResult r = run(*program, entry, launch, memory, options);
    return r.fault && r.fault->kind == Fault::Kind::unsupported && r.counts.ctas == 0;
  };
  EXPECT_TRUE(refused("other", {{1, 1, 1}, {32, 1, 1}, 0, two}));
  EXPECT_TRUE(refused("k", {{1, 1, 1}, {2048, 1, 1}, 0, two}));
  EXPECT_TRUE(refused("k", {{1, 1, 1}, {0, 1, 1}, 0, two}));
  EXPECT_TRUE(refused("k", {{0, 1, 1}, {32, 1, 1}, 0, two}));
  EXPECT_TRUE(refused("k", {{1, 1, 1}, {32, 1, 1}, 0, {}}));
  EXPECT_TRUE(refused("k", {{1, 1, 1}, {32, 1, 1}, 1u << 30, two}));
  RunOptions outside;
  outside.ctas = {{1, 0, 0}};
  EXPECT_TRUE(refused("k", {{1, 1, 1}, {32, 1, 1}, 0, two}, outside));
}

}  // namespace
}  // namespace tilescope::emulator::test::fault_file
