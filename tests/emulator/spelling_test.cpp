// Instructions as other people's compilers write them; and the sentences about those that are not
// known.
#include <algorithm>

#include "support.h"

namespace tilescope::emulator::test::spelling_file {
namespace {

// Each in an order of modifiers that ptxas takes and the ISA's text does not show.
TEST(Spelling, ModifiersInOtherOrders) {
  const Outcome o = run_kernel(
      kernel(".shared .align 16 .b8 s[1024];\n"
             "mul.wide.u32 %rd5, %r0, 4;\nadd.s64 %rd6, %rd0, %rd5;\nadd.s64 %rd7, %rd1, %rd5;\n"
             "ld.param.u64 %rd9, [in];\nld.b64.param %rd10, [in];\nsub.s64 %rd9, %rd9, %rd10;\n"
             "ld.ca.global.u32 %r4, [%rd6];\n"  // in = 10 · i
             "atom.global.gpu.acq_rel.add.u32 %r5, [%rd7], %r4;\n"
             "red.global.gpu.relaxed.add.u32 [%rd7], 1;\n"  // 10 i + 1
             "atom.cas.acquire.gpu.b32 %r6, [%rd7], 1, 77;\n"
             "cvt.f32.rn.u32 %f1, %r4;\nadd.f32.rn %f2, %f1, 0f3F800000;\n"
             "cvt.sat.rn.f32.u32 %f3, %r4;\n"
             "setp.f32.lt %p1, %f2, 0f42480000;\n"  // 10 i + 1 < 50
             "shfl.bfly.sync.b32 %r8, %r4, 1, 31, -1;\n"
             "fence .gpu\n .acq_rel;\nbarrier.aligned .sync 0;\n"  // blanks, as some write them
             "cvt.rzi.u32.f32 %r9, %f2;\nselp.u32 %r10, 1000, 2000, %p1;\n"
             "add.u32 %r11, %r9, %r10;\nadd.u32 %r11, %r11, %r8;\n"
             "cvt.rzi.u32.f32 %r12, %f3;\nadd.u32 %r11, %r11, %r12;\n"
             "st.u32.global [%rd7+128], %r11;\n"),
      32, 64, [] {
        std::vector<uint32_t> in(32);
        for (uint32_t i = 0; i < 32; ++i) in[i] = 10 * i;
        return in;
      }());
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(o.out[i], i == 0 ? 77u : 10 * i + 1);
    EXPECT_EQ(o.out[32 + i], 10 * i + 1 + (i < 5 ? 1000u : 2000u) + 10 * (i ^ 1) + (i ? 1u : 0u));
  }
  // As the PTX has them.
  EXPECT_EQ(o.result.counts.by_opcode.at("atom.global.gpu.acq_rel.add.u32"), 1u);
  EXPECT_EQ(o.result.counts.by_opcode.at("ld.b64.param"), 1u);
  EXPECT_EQ(o.result.counts.by_opcode.at("setp.f32.lt"), 1u);
}

// A policy is an operand more, wherever its word stands; counts name the opcode with it.
TEST(Spelling, CachePolicies) {
  const Outcome o = run_kernel(
      kernel("mul.wide.u32 %rd5, %r0, 4;\nadd.s64 %rd6, %rd0, %rd5;\nadd.s64 %rd7, %rd1, %rd5;\n"
             "createpolicy.fractional.L2::evict_first.b64 %rd9, 0f3F800000;\n"
             "ld.L2::cache_hint.global.b32 { %r4 }, [ %rd6 ], %rd9;\n"
             "st.global.L1::evict_last.L2::cache_hint.b32 [%rd7], {%r4}, %rd9;\n"),
      32, 32, std::vector<uint32_t>(32, 9));
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  EXPECT_EQ(o.out, std::vector<uint32_t>(32, 9));
  EXPECT_EQ(o.result.counts.by_opcode.at("ld.L2::cache_hint.global.b32"), 1u);
  EXPECT_EQ(o.result.counts.by_opcode.at("st.global.L1::evict_last.L2::cache_hint.b32"), 1u);
}

// What is told by the words of an opcode is told whatever their order: checks and provenance.
TEST(Spelling, OtherOrdersAreCheckedAlike) {
  RunOptions options;
  options.check = true;
  const auto findings = [&](const std::string& ldmatrix) {
    return run_kernel(
               kernel(".shared .align 16 .b8 s[1024];\nmov.u32 %r4, s;\nshl.b32 %r5, %r0, 4;\n"
                      "add.u32 %r5, %r5, %r4;\n" +
                      ldmatrix +
                      " {%r6}, [%r5];\nbra NEXT;\nNEXT:\nmul.wide.u32 %rd5, %r0, 4;\n"
                      "add.s64 %rd5, %rd1, %rd5;\nst.global.u32 [%rd5], %r6;\n"),
               32, 32, {}, options)
        .result.findings;
  };
  const auto plain = findings("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16"),
             other = findings("ldmatrix.trans.b16.sync.x1.aligned.shared.m8n8");
  ASSERT_EQ(plain.size(), other.size());
  ASSERT_FALSE(plain.empty());
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(plain[i].fault.message, other[i].fault.message);
  }
}

TEST(Spelling, OrdersThatMatterAreKept) {
  EXPECT_TRUE(errors_of(kernel("cvt.rn.f16.f32 %h1, %f1;")).empty());
  EXPECT_FALSE(errors_of(kernel("cvt.rn.f32.f16 %h1, %f1;")).empty());
  EXPECT_FALSE(errors_of(kernel("mul.s32.lo %r4, %r5, %r6;")).empty());
  EXPECT_FALSE(errors_of(kernel("cvta.global.to.u64 %rd4, %rd5;")).empty());
  EXPECT_FALSE(errors_of(kernel("cp.async.ca.global.shared [%r4], [%rd4], 4;")).empty());
}

TEST(Spelling, BracesAroundOneValue) {
  std::string body =
      "mul.wide.u32 %rd5, %r0, 8;\nadd.s64 %rd6, %rd0, %rd5;\nadd.s64 %rd7, %rd1, %rd5;\n"
      ".shared .align 16 .b8 s[1024];\nmov.u64 %rd8, s;\nadd.s64 %rd8, %rd8, %rd5;\n"
      "ld.param.b64 {%rd9}, [in];\nsub.s64 %rd9, %rd9, %rd0;\n";
  struct Kind {
    const char *type, *reg;
  };
  for (const Kind& k : {Kind{"b8", "%h4"},
                        {"u8", "%r4"},
                        {"b16", "%h4"},
                        {"f32", "%f4"},
                        {"b32", "%r4"},
                        {"f64", "%fd4"},
                        {"b64", "%rd10"}}) {
    const std::string type = k.type, reg = std::string("{ ") + k.reg + " }";
    body += "ld.global." + type + " " + reg + ", [%rd6];\nst.shared." + type + " [%rd8], " + reg +
            ";\nld.volatile.shared." + type + " " + reg + ", [%rd8];\nst.global." + type +
            " [ %rd7 + 0 ], " + reg + ";\n";
  }
  body +=
      "mov.b64 {%rd11}, %rd10;\nadd.s64 %rd11, %rd11, %rd9;\nst.global.b64 [%rd7], {%rd11};\n"
      "st.global.b32 [%rd7+256], {7};\n";
  std::vector<uint32_t> in(64);
  for (uint32_t i = 0; i < 64; ++i) in[i] = 0x01020304u * (i + 1);
  const Outcome o = run_kernel(kernel(body), 32, 130, in);
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(o.out[i], in[i]);
  EXPECT_EQ(o.out[64], 7u);
  // ptxas takes them of no other instruction.
  EXPECT_FALSE(errors_of(kernel("add.u32 %r4, {%r5}, %r6;")).empty());
  EXPECT_FALSE(errors_of(kernel("mov.b32 %r4, {%r5, %r6};")).empty());
}

void expect_sentence(const std::string& instruction, const std::vector<std::string>& words) {
  const auto errors = errors_of(kernel(instruction));
  ASSERT_EQ(errors.size(), 1u) << instruction;
  for (const std::string& w : words) {
    EXPECT_NE(errors[0].message.find(w), std::string::npos)
        << "'" << w << "' is missing in: " << errors[0].message;
  }
  EXPECT_EQ(errors[0].message.back(), '.') << errors[0].message;
}

TEST(Sentences, OfInstructionsThatAreNotKnown) {
  expect_sentence("ld.global.u128 %r4, [%rd0];", {"'ld.global.u128' is not known",
                                                  "'ld.global.b32', with .b32 in place of .u128"});
  expect_sentence("add.f32.foo %f1, %f2, %f3;", {"'add.f32', without .foo"});
  expect_sentence("cvt.f16.f32 %h1, %f1;", {"'cvt.rn.f16.f32', with .rn"});
  expect_sentence("mul.s32.lo %r4, %r5, %r6;", {"'mul.lo.s32'", "in that order"});
  expect_sentence("fmaa.rn.f32 %f1, %f2, %f3, %f4;", {"; the nearest that it knows is 'fma'."});
  expect_sentence("tcgen05.alloc.b32 %r4, [%rd0];",
                  {"one of Blackwell's tcgen05, which the emulator does not have yet"});
}

TEST(Sentences, OfOperandsThatFitNowhere) {
  expect_sentence("ld.global.b32 %p1, [%rd0];",
                  {"operand 1 of 'ld.global.b32' is the predicate %p1",
                   "'ld.global.b32 r32, [address]'", "'ld.global.b32 r64, [address]'"});
  expect_sentence("add.s32 %r4, %r5, %rd6;", {"operand 3 of 'add.s32' is the 64-bit register %rd6",
                                              "'add.s32 r32, r32, r32'"});
  expect_sentence("add.s32 %r4, %r5;", {"'add.s32' has 2 operands", "'add.s32 r32, r32, r32'"});
  expect_sentence("st.global.v2.b32 [%rd0], {%r4, %r5, %r6};",
                  {"operand 2", "a list of 3", "'st.global.v2.b32 [address], {r32, r32}'"});
}

TEST(Launches, ReqntidIsExact) {
  auto text = kernel("");
  const size_t at = text.find("\n{\n");
  text.insert(at, "\n.reqntid 128");
  const auto program = parse(text);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->find("k")->required_block.x, 128u);
  EXPECT_EQ(program->find("k")->required_block.z, 1u);
  const auto launched = [&](Dim3 block) {
    Memory memory;
    return run(*program, "k", {{1, 1, 1}, block, 0, parameters(uint64_t{0}, uint64_t{0})}, memory)
        .fault;
  };
  EXPECT_FALSE(launched({128, 1, 1}));
  for (const Dim3 block : {Dim3{64, 1, 1}, Dim3{64, 2, 1}, Dim3{256, 1, 1}}) {
    const auto fault = launched(block);
    ASSERT_TRUE(fault);
    EXPECT_NE(fault->message.find(".reqntid 128 x 1 x 1: launch it with exactly that"),
              std::string::npos)
        << fault->message;
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::spelling_file
