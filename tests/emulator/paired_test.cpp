// The plain forms of sm_100 that compilers emit: two f32 in one register, 32 bytes a lane, 128
// bits, redux of reals. Each against the instructions that sm_90 has for the same.
#include <cmath>
#include <random>

#include "emulator/provenance.h"
#include "ptxas.h"
#include "support.h"

namespace tilescope::emulator::test::paired_file {
namespace {

constexpr uint32_t kHard[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                              0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff,
                              0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x33800000};

// Of a NaN the ISA says no more than that it is one.
uint32_t without_payload(uint32_t x) { return (x & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : x; }

TEST(Paired, RealsAreThoseOfEachHalf) {
  std::mt19937 random(5);
  for (const std::string op : {"add", "sub", "mul", "fma"}) {
    for (const std::string rounding : {"", ".rn", ".rz", ".rm", ".rp"}) {
      for (const std::string flush : {"", ".ftz"}) {
        if (op == "fma" && rounding.empty()) continue;
        const bool three = op == "fma";
        const std::string form = op + rounding + flush;
        std::string body = "mul.wide.u32 %rd2, %r0, 24;\nadd.s64 %rd3, %rd0, %rd2;\n";
        for (int k = 0; k < 6; ++k) {
          const std::string n = std::to_string(k);
          body += "ld.global.f32 %f" + n + ", [%rd3+" + std::to_string(4 * k) + "];\n";
        }
        for (int k = 0; k < 3; ++k) {
          body += "mov.b64 %rd" + std::to_string(10 + k) + ", {%f" + std::to_string(2 * k) +
                  ", %f" + std::to_string(2 * k + 1) + "};\n";
        }
        for (int half = 0; half < 2; ++half) {
          const auto f = [&](int k) { return "%f" + std::to_string(2 * k + half); };
          body += form + ".f32 %f" + std::to_string(20 + half) + ", " + f(0) + ", " + f(1) +
                  (three ? ", " + f(2) : "") + ";\n";
        }
        body += form + ".f32x2 %rd13, %rd10, %rd11" + (three ? ", %rd12" : "") +
                ";\nmul.wide.u32 %rd4, %r0, 16;\nadd.s64 %rd5, %rd1, %rd4;\n"
                "st.global.v2.f32 [%rd5], {%f20, %f21};\nst.global.b64 [%rd5+8], %rd13;\n";
        std::vector<uint32_t> in(64 * 6);
        for (uint32_t& x : in) {
          x = random() % 4 ? static_cast<uint32_t>(random()) : kHard[random() % std::size(kHard)];
        }
        const Outcome o = run_kernel(kernel(body), 64, 64 * 4, in);
        ASSERT_FALSE(o.result.fault) << o.result.fault->message;
        for (size_t i = 0; i < 64; ++i) {
          for (size_t half = 0; half < 2; ++half) {
            EXPECT_EQ(without_payload(o.out[4 * i + 2 + half]),
                      without_payload(o.out[4 * i + half]))
                << form << ", lane " << i << ", half " << half;
          }
        }
      }
    }
  }
}

// Each value has its own origin: a sum of products of A's and B's elements.
TEST(Paired, ProvenanceGoesThroughBothHalves) {
  const auto program = parse(
      kernel("mul.wide.u32 %rd2, %r0, 8;\nadd.s64 %rd3, %rd0, %rd2;\nadd.s64 %rd5, %rd1, %rd2;\n"
             "ld.global.v2.f32 {%f0, %f1}, [%rd3];\nld.global.v2.f32 {%f2, %f3}, [%rd3+256];\n"
             "mov.b64 %rd10, {%f0, %f1};\nmov.b64 %rd11, {%f2, %f3};\nmov.b64 %rd12, 0;\n"
             "fma.rn.f32x2 %rd13, %rd10, %rd11, %rd12;\n"
             "fma.rn.f32x2 %rd13, %rd11, %rd10, %rd13;\nmov.b64 {%f4, %f5}, %rd13;\n"
             "st.global.v2.f32 [%rd5], {%f4, %f5};\n"));
  ASSERT_TRUE(program);
  Memory memory;
  const uint64_t in = memory.allocate("in", 512, true), out = memory.allocate("out", 256);
  Provenance p;
  RunOptions options;
  options.provenance = &p;
  const RunResult r =
      run(*program, "k", {{1, 1, 1}, {32, 1, 1}, 0, parameters(in, out)}, memory, options);
  ASSERT_FALSE(r.fault) << r.fault->message;
  for (uint64_t i = 0; i < 64; ++i) {
    const Value v = p.of_global(out + 4 * i, 4);
    ASSERT_EQ(v.kind, Value::Kind::sum) << i;
    EXPECT_EQ(v.terms(), 2u);
    for (const Products& q : v.products) {
      EXPECT_EQ(q.a, (Origin{0, 4 * i}));
      EXPECT_EQ(q.b, (Origin{0, 256 + 4 * i}));
    }
  }
}

TEST(Wide, ThirtyTwoBytesALane) {
  for (const bool longs : {false, true}) {
    const std::string list =
        longs ? "{%rd10, %rd11, %rd12, %rd13}" : "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}";
    const std::string type = longs ? "v4.b64" : "v8.b32";
    RunOptions options;
    options.check = true;
    std::vector<uint32_t> in(256);
    for (uint32_t i = 0; i < 256; ++i) in[i] = i * 2654435761u;
    const Outcome o = run_kernel(
        kernel("mul.wide.u32 %rd2, %r0, 32;\nadd.s64 %rd3, %rd0, %rd2;\nxor.b32 %r4, %r0, 5;\n"
               "mul.wide.u32 %rd4, %r4, 32;\nadd.s64 %rd5, %rd1, %rd4;\n"
               "ld.global.nc.L1::no_allocate." +
               type + " " + list +
               ", [%rd3];\n"
               "st.global." +
               type + " [%rd5], " + list + ";\n"),
        32, 256, in, options);
    ASSERT_FALSE(o.result.fault) << o.result.fault->message;
    EXPECT_TRUE(o.result.findings.empty());
    for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(o.out[i ^ 40u], in[i]);
    EXPECT_EQ(o.result.counts.global_load.bytes, 1024u);
    EXPECT_EQ(o.result.counts.global_load.sectors, 32u);
    const Outcome off =
        run_kernel(kernel("ld.global." + type + " " + list + ", [%rd0+16];\n"), 32, 8, in);
    ASSERT_TRUE(off.result.fault);
    EXPECT_NE(off.result.fault->message.find("a 32-byte load from global memory"),
              std::string::npos)
        << off.result.fault->message;
  }
}

TEST(Wide, HundredTwentyEightBits) {
  const std::string registers = ".reg .b128 %q<8>;\n.shared .align 16 .b8 s[16];\n";
  RunOptions options;
  options.check = true;
  const std::vector<uint32_t> in = {1, 2, 3, 4, 5, 6, 7, 8};
  const Outcome o = run_kernel(
      kernel(registers +
             "ld.global.b128 %q0, [%rd0];\nld.global.b128 %q1, [%rd0+16];\n"
             "mov.b128 {%rd10, %rd11}, %q0;\nmov.b128 %q2, {%rd11, %rd10};\nmov.b128 %q3, %q2;\n"
             "st.shared.b128 [s], %q3;\nld.shared.b128 %q4, [s];\nst.global.b128 [%rd1], %q4;\n"
             "st.global.b128 [%rd1+16], %q0;\n"
             "atom.global.relaxed.gpu.exch.b128 %q5, [%rd1+16], %q1;\n"  // 5 6 7 8 there
             "atom.cas.b128 %q6, [%rd1+16], %q0, %q2;\n"                 // is another
             "atom.global.cas.b128 %q7, [%rd1+16], %q1, %q3;\n"          // 3 4 1 2 there
             "st.global.b128 [%rd1+32], %q5;\nst.global.b128 [%rd1+48], %q6;\n"
             "st.global.b128 [%rd1+64], %q7;\n"),
      1, 20, in, options);
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  const std::vector<uint32_t> wanted = {3, 4, 1, 2, 3, 4, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8};
  EXPECT_EQ(o.out, wanted);
  EXPECT_FALSE(errors_of(kernel(registers + "mov.b64 %rd5, %q0;\n")).empty());
  EXPECT_FALSE(errors_of(kernel(registers + "mov.b128 %q0, %rd5;\n")).empty());
}

// From many CTAs on several host threads: a counter in the lower half, its complement above.
TEST(Wide, CompareAndSwapIsOne) {
  const Outcome o = run_kernel(
      kernel(".reg .b128 %q<4>;\nmov.b64 %rd10, 0;\nmov.b64 %rd11, 0;\n"
             "again:\nadd.s64 %rd12, %rd10, 1;\nsub.s64 %rd13, %rd11, 1;\n"
             "mov.b128 %q0, {%rd10, %rd11};\nmov.b128 %q1, {%rd12, %rd13};\n"
             "atom.global.cas.b128 %q2, [%rd1], %q0, %q1;\nmov.b128 {%rd20, %rd21}, %q2;\n"
             "setp.ne.s64 %p1, %rd20, %rd10;\nmov.b64 %rd10, %rd20;\nmov.b64 %rd11, %rd21;\n"
             "@%p1 bra again;\n"),
      64, 4, {}, {}, 16);
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  EXPECT_EQ(o.out[0], 1024u);
  EXPECT_EQ(static_cast<int32_t>(o.out[2]), -1024);
}

TEST(Redux, OfReals) {
  std::mt19937 random(6);
  const auto real = [](uint32_t x) { return std::bit_cast<float>(x); };
  for (const bool greatest : {false, true}) {
    for (const bool magnitude : {false, true}) {
      for (const bool nan : {false, true}) {
        for (int n = 0; n < 20; ++n) {
          std::vector<uint32_t> in(32);
          for (uint32_t& x : in) {
            x = n % 2 ? std::bit_cast<uint32_t>(static_cast<float>(random() % 100) - 50.0f)
                      : kHard[random() % (n % 4 ? std::size(kHard) : 5)];
          }
          const Outcome o =
              run_kernel(kernel("mul.wide.u32 %rd2, %r0, 4;\nadd.s64 %rd3, %rd0, %rd2;\n"
                                "ld.global.f32 %f0, [%rd3];\nredux.sync." +
                                std::string(greatest ? "max" : "min") + (magnitude ? ".abs" : "") +
                                (nan ? ".NaN" : "") +
                                ".f32 %f1, %f0, 0xffffffff;\nadd.s64 %rd5, %rd1, %rd2;\n"
                                "st.global.f32 [%rd5], %f1;\n"),
                         32, 32, in);
          ASSERT_FALSE(o.result.fault) << o.result.fault->message;
          uint32_t wanted = 0x7fffffff;
          bool any_nan = false;
          for (uint32_t x : in) {
            const uint32_t v = magnitude ? x & 0x7fffffffu : x;
            if (std::isnan(real(v))) {
              any_nan = true;
              continue;
            }
            const bool first = wanted == 0x7fffffff;
            const bool less =
                real(v) < real(wanted) || (real(v) == real(wanted) && std::signbit(real(v)));
            const bool more =
                real(v) > real(wanted) || (real(v) == real(wanted) && !std::signbit(real(v)));
            if (first || (greatest ? more : less)) wanted = v;
          }
          if (nan && any_nan) wanted = 0x7fffffff;
          EXPECT_EQ(o.out, std::vector<uint32_t>(32, wanted)) << greatest << magnitude << nan;
        }
      }
    }
  }
}

// What is above was taken from the ISA's text: ptxas reads it so, too.
TEST(Paired, PtxasTakesThem) {
  if (!has_ptxas()) GTEST_SKIP() << "no ptxas on this machine";
  const std::vector<std::string> forms = {
      "add.rz.ftz.f32x2 %rd1, %rd2, %rd3;",
      "sub.f32x2 %rd1, %rd2, %rd3;",
      "mul.rp.f32x2 %rd1, %rd2, %rd3;",
      "fma.rn.ftz.f32x2 %rd1, %rd2, %rd3, %rd4;",
      "redux.sync.max.abs.NaN.f32 %f1, %f2, 0xffffffff;",
      "ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];",
      "st.global.v4.f64 [%rd1], {%fd1, %fd2, %fd3, %fd4};"};
  const std::vector<bool> taken = ptxas_takes(forms, "sm_100a", "paired");
  for (size_t i = 0; i < forms.size(); ++i) EXPECT_TRUE(taken[i]) << forms[i];
}

}  // namespace
}  // namespace tilescope::emulator::test::paired_file
