// What is refused before any run, source lines, and malformed texts.
#include <random>

#include "support.h"

namespace tilescope::emulator::test::parse_file {
namespace {

TEST(Parse, NamesEveryUnknownInstruction) {
  const auto errors =
      errors_of(kernel("frobnicate.u32 %r5, %r6;\nadd.s32 %r5, %r6, 1;\nadd.q77 %r5, %r6, 1;\n"
                       "tcgen05.wait::ld.sync.aligned;\n"));
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].ptx_line, 19);
  EXPECT_NE(errors[0].message.find("'frobnicate.u32'"), std::string::npos);
  EXPECT_NE(errors[0].message.find("PTX line 19"), std::string::npos);
  EXPECT_NE(errors[1].message.find("'add.q77'"), std::string::npos);
  EXPECT_NE(errors[2].message.find("'tcgen05.wait::ld.sync.aligned'"), std::string::npos);
}

TEST(Parse, NamesOperandsThatDoNotFit) {
  for (const char* body :
       {"add.s32 %r5, %rd6, 1;", "add.s32 %r5, %r6;", "add.s32 %r5, %r6, %r7, %r8;",
        "add.s32 3, %r6, %r7;", "mov.u32 %r5, %nothing;", "bra NOWHERE;",
        "ld.global.v4.u32 {%r5, %r6}, [%rd0];", "setp.eq.s32 %r5, %r6, %r7;",
        "mov.u32 %r5, unknown_symbol;", "ld.global.u32 %r5, [%h1];"}) {
    const auto errors = errors_of(kernel(body));
    ASSERT_EQ(errors.size(), 1u) << body;
    EXPECT_EQ(errors[0].ptx_line, 19) << body;
  }
}

TEST(Parse, RefusesWhatWouldNotEnd) {
  EXPECT_FALSE(errors_of(kernel(std::string(100000, '{'))).empty());
  EXPECT_FALSE(errors_of(kernel("mov.b32 %r5, " + std::string(100000, '{') + ";")).empty());
  EXPECT_FALSE(errors_of(kernel(".reg .b32 %big<99999999999>;")).empty());
  EXPECT_FALSE(errors_of(kernel(".shared .b8 s[99999999999999999999];")).empty());
  EXPECT_FALSE(errors_of(kernel(".shared .b8 s[99999][99999][99999];")).empty());
  EXPECT_FALSE(errors_of(kernel("add.s32 %r5, %r6, 99999999999999999999999;")).empty());
  EXPECT_FALSE(errors_of(kernel("ld.global.u32 %r5, [%rd0+99999999999];")).empty());
  EXPECT_FALSE(errors_of(kernel("L: add.s32 %r5, %r6, 1;\nL: ret;")).empty());
  EXPECT_FALSE(errors_of(kernel(".local .b8 d[9000000];\nmov.u64 %rd5, d;")).empty());
  EXPECT_TRUE(errors_of("").empty());
  EXPECT_TRUE(errors_of("/* never closed").empty());
}

TEST(Parse, KnowsDirectivesAndSections) {
  auto program = parse(
      "// a comment\n.version 9.0\n.target sm_90a, debug\n.address_size 64\n.extern .shared .align "
      "16 .b8 dyn[];\n"
      ".global .align 8 .b8 text[4] = {65, 66, 0};\n.visible .const .align 4 .f32 pi = "
      "0f40490FDB;\n"
      ".entry k(.param .u64 .ptr .global .align 16 p)\n.maxntid 128, 2, 1\n.minnctapersm 2\n"
      "{\n.pragma \"nounroll\";\n.reg .b64 %rd<3>;\n.shared .align 128 .b8 s[130];\n"
      "/* block\ncomment */ mov.u64 %rd1,\n dyn;\nmov.u64 %rd2, s;\nret;\n}\n"
      ".section .debug_str\n{\n$L_x:\n.b8 1, 2, 3\n}\n");
  ASSERT_TRUE(program);
  const EntryInfo* k = program->find("k");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->max_threads, 256u);
  EXPECT_EQ(k->static_shared_bytes, 144u);  // 130, and up to where the dynamic array may begin
  EXPECT_EQ(k->instructions, 3u);
  EXPECT_EQ(k->virtual_registers, 2u);
  EXPECT_EQ(program->find("nothing"), nullptr);
  EXPECT_EQ(program->entries().size(), 1u);
}

TEST(Parse, FollowsInlinedLines) {
  auto program = parse(
      ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b32 %r<4>;\n"
      ".loc 1 40 3\nmov.u32 %r1, 1;\n.loc 2 7 5, function_name $L_name, inlined_at 1 40 3\nmov.u32 "
      "%r2, 2;\n"
      ".loc 3 9 1, function_name $L_name, inlined_at 2 7 5\nmov.u32 %r3, 3;\nret;\n}\n"
      ".file 1 \"/some/where/entry.cu\"\n.file 2 \"/x/kernel.cuh\", 123, 456\n.file 3 "
      "\"header.hpp\"\n");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->source_line(8).line, 40);
  EXPECT_EQ(program->source_line(8).file, "entry.cu");
  EXPECT_EQ(program->source_line(12).line, 40);
  EXPECT_EQ(program->innermost_line(12).file, "header.hpp");
  EXPECT_EQ(program->innermost_line(12).line, 9);
  ASSERT_EQ(program->source_chain(12).size(), 3u);
  EXPECT_EQ(program->source_chain(12)[1].file, "kernel.cuh");
  EXPECT_EQ(program->source_line(1).line, 0);
}

// As NVRTC writes a name that has quotes of its own.
TEST(Parse, AFilesNameMayHoldQuotes) {
  auto program = parse(
      ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n.pragma \"nounroll\";\n"
      ".loc 1 40 3\nret;\n}\n.file 1 \"/a <b> & \"c\" d.cu\" , 123, 456\n.file 2 \"e \"f.cu\"");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->source_line(8).file, "a <b> & \"c\" d.cu");
}

// Malformed texts end in errors or a program, never in a crash or a hang.
class Malformed : public testing::TestWithParam<const char*> {};

TEST_P(Malformed, Truncations) {
  const std::string text = read_kernel(GetParam());
  ASSERT_FALSE(text.empty());
  const size_t step = std::max<size_t>(1, text.size() / 150);
  size_t refused = 0;
  for (size_t n = 0; n < text.size(); n += step) {
    refused += !errors_of(text.substr(0, n)).empty();
  }
  EXPECT_GT(refused, 50u);
}

TEST_P(Malformed, RandomMutations) {
  const std::string text = read_kernel(GetParam());
  ASSERT_FALSE(text.empty());
  std::mt19937 random(1234);
  const std::string letters = "{}[]()<>,;:.@!|-+%$_\"'/*09afrx \n\x80";
  size_t parsed = 0, refused = 0;
  for (int round = 0; round < 150; ++round) {
    std::string t = text;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) {
      const size_t at = random() % t.size();
      switch (random() % 4) {
        case 0:
          t[at] = letters[random() % letters.size()];
          break;
        case 1:
          t.erase(at, 1 + random() % 20);
          break;
        case 2:
          t.insert(at, 1, letters[random() % letters.size()]);
          break;
        default:
          t.insert(at, t.substr(random() % t.size(), random() % 40));
          break;
      }
    }
    auto program = Program::parse(t);
    if (!std::holds_alternative<std::shared_ptr<const Program>>(program)) {
      ++refused;
      continue;
    }
    ++parsed;
    // What still parses must also run to an end: right, wrong, fault or limit.
    const auto& p = std::get<0>(program);
    if (p->entries().empty()) continue;
    const EntryInfo entry = p->entries()[0];
    Memory memory;
    std::vector<std::byte> block;
    const uint64_t buffer = memory.allocate("x", 1 << 16);
    while (block.size() + 8 <= entry.parameter_bytes && block.size() < 24) append(block, buffer);
    while (block.size() + 4 <= entry.parameter_bytes) append(block, 8u);
    block.resize(entry.parameter_bytes);
    RunOptions options;
    options.max_warp_instructions = 20000;
    run(*p, entry.name, {{1, 1, 1}, {64, 1, 1}, 98304, block}, memory, options);
  }
  EXPECT_GT(parsed, 0u);
  EXPECT_GT(refused, 0u);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Malformed,
                         testing::Values("gemm_naive.ptx", "hgemm_mma.ptx", "reduce_shuffle.ptx"));

}  // namespace
}  // namespace tilescope::emulator::test::parse_file
