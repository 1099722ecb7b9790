// Loads and stores in every space, and what they count.
#include <algorithm>
#include <numeric>

#include "support.h"

namespace tilescope::emulator::test::memory_file {
namespace {

std::vector<uint32_t> iota(size_t n, uint32_t first = 0) {
  std::vector<uint32_t> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

// A load at in + %r0 · stride + offset, and the sectors of its 32 lanes.
GlobalCounts global_load(const std::string& type, int stride, int offset,
                         const std::string& registers) {
  const Outcome o = run_kernel(kernel("mul.wide.u32 %rd5, %r0, " + std::to_string(stride) +
                                      ";\nadd.s64 %rd5, %rd0, %rd5;\n" + "ld.global." + type + " " +
                                      registers + ", [%rd5+" + std::to_string(offset) + "];\n"),
                               32, 1, iota(32768));
  EXPECT_FALSE(o.result.fault) << o.result.fault->message;
  return o.result.counts.global_load;
}

TEST(Memory, CountsSectors) {
  EXPECT_EQ(global_load("u32", 4, 0, "%r5").sectors, 4u);
  EXPECT_EQ(global_load("u64", 8, 0, "%rd7").sectors, 8u);
  EXPECT_EQ(global_load("v4.u32", 16, 0, "{%r5, %r6, %r7, %r8}").sectors, 16u);
  EXPECT_EQ(global_load("u32", 4, 4, "%r5").sectors, 5u);  // across one more block
  EXPECT_EQ(global_load("u32", 32, 0, "%r5").sectors, 32u);
  EXPECT_EQ(global_load("u32", 0, 8, "%r5").sectors, 1u);  // all the same
  EXPECT_EQ(global_load("u32", 16, 0, "%r5").sectors, 16u);
  EXPECT_EQ(global_load("nc.L1::no_allocate.v4.f32", 64, 16, "{%f5, %f6, %f7, %f8}").sectors, 32u);
  EXPECT_EQ(global_load("u8", 1, 0, "%r5").sectors, 1u);
  EXPECT_EQ(global_load("u16", 2, 0, "%h5").sectors, 2u);
  EXPECT_EQ(global_load("u32", 4, 0, "%r5").bytes, 128u);
  EXPECT_EQ(global_load("u32", 4, 0, "%r5").requests, 1u);
}

TEST(Memory, ZeroReachesEveryByte) {
  for (const uint64_t bytes : {1u, 513u, (1u << 20) - 3, (1u << 20) + 4097}) {
    Memory memory;
    const uint64_t at = memory.allocate("workspace", bytes), other = memory.allocate("C", bytes);
    std::ranges::fill(memory.bytes(at), std::byte{7});
    std::ranges::fill(memory.bytes(other), std::byte{8});
    memory.zero(at);
    EXPECT_TRUE(
        std::ranges::all_of(memory.bytes(at), [](std::byte b) { return b == std::byte{0}; }));
    EXPECT_TRUE(
        std::ranges::all_of(memory.bytes(other), [](std::byte b) { return b == std::byte{8}; }));
    memory.zero(0);  // no buffer
  }
}

TEST(Memory, LanesSwitchedOffDoNotCount) {
  const std::string load = "mul.wide.u32 %rd5, %r0, 32;\nadd.s64 %rd5, %rd0, %rd5;\n";
  const Outcome some =
      run_kernel(kernel(load + "setp.lt.u32 %p1, %r0, 5;\n@%p1 ld.global.u32 %r5, [%rd5];\n"), 32,
                 1, iota(512));
  EXPECT_EQ(some.result.counts.global_load.sectors, 5u);
  EXPECT_EQ(some.result.counts.global_load.bytes, 20u);
  const Outcome none =
      run_kernel(kernel(load + "setp.lt.u32 %p1, %r0, 0;\n@%p1 ld.global.u32 %r5, [%rd5];\n"), 32,
                 1, iota(512));
  EXPECT_EQ(none.result.counts.global_load.requests, 0u);
  // A guard's lanes are not counted either: 27 and 32 fewer.
  EXPECT_EQ(some.result.counts.lane_instructions, none.result.counts.lane_instructions + 5);
  const Outcome negated =
      run_kernel(kernel(load + "setp.lt.u32 %p1, %r0, 5;\n@!%p1 ld.global.u32 %r5, [%rd5];\n"), 32,
                 1, iota(512));
  EXPECT_EQ(negated.result.counts.global_load.sectors, 27u);
}

SharedCounts shared_load(const std::string& type, const std::string& registers,
                         const std::string& address) {
  const Outcome o = run_kernel(
      kernel(".shared .align 16 .b8 s[16384];\nmov.u32 %r4, s;\n" + address +
             "add.u32 %r5, %r4, %r5;\nld.shared." + type + " " + registers + ", [%r5];\n"),
      32, 1);
  EXPECT_FALSE(o.result.fault) << o.result.fault->message;
  return o.result.counts.shared_load;
}

TEST(Memory, CountsWavefronts) {
  auto stride = [](int bytes) { return "mul.lo.u32 %r5, %r0, " + std::to_string(bytes) + ";\n"; };
  EXPECT_EQ(shared_load("u32", "%r6", stride(4)).wavefronts, 1u);
  EXPECT_EQ(shared_load("u32", "%r6", stride(8)).wavefronts, 2u);
  EXPECT_EQ(shared_load("u32", "%r6", stride(128)).wavefronts, 32u);
  EXPECT_EQ(shared_load("u32", "%r6", stride(132)).wavefronts, 1u);
  EXPECT_EQ(shared_load("u32", "%r6", stride(0)).wavefronts, 1u);
  EXPECT_EQ(shared_load("u64", "%rd6", stride(8)).wavefronts, 2u);
  EXPECT_EQ(shared_load("u64", "%rd6", stride(8)).ideal, 2u);
  // Neighbours that share: twice as many lanes at a time, as on an H200.
  EXPECT_EQ(shared_load("u64", "%rd6", stride(0)).wavefronts, 1u);
  EXPECT_EQ(shared_load("v4.u32", "{%r6,%r7,%r8,%r9}", stride(0)).wavefronts, 2u);
  EXPECT_EQ(shared_load("v4.u32", "{%r6,%r7,%r8,%r9}", stride(0)).ideal, 2u);
  EXPECT_EQ(shared_load("v4.u32", "{%r6,%r7,%r8,%r9}", stride(16)).wavefronts, 4u);
  EXPECT_EQ(shared_load("v4.u32", "{%r6,%r7,%r8,%r9}", stride(32)).wavefronts, 8u);
  EXPECT_EQ(shared_load("v4.u32", "{%r6,%r7,%r8,%r9}", stride(128)).wavefronts, 32u);
  EXPECT_EQ(shared_load("v4.u32", "{%r6,%r7,%r8,%r9}", stride(128)).conflicts(), 28u);
  EXPECT_EQ(shared_load("u8", "%h6", stride(1)).wavefronts, 1u);
  EXPECT_EQ(shared_load("u16", "%h6", stride(2)).wavefronts, 1u);
  // XOR swizzle of 16-byte chunks in rows of 128 bytes: a column of chunks without conflicts.
  EXPECT_EQ(shared_load("v4.u32", "{%r6,%r7,%r8,%r9}",
                        "shl.b32 %r5, %r0, 7;\nand.b32 %r7, %r0, 7;\nshl.b32 %r7, %r7, 4;\n"
                        "xor.b32 %r5, %r5, %r7;\n")
                .wavefronts,
            4u);
}

TEST(Memory, PatternCacheKeepsPatternsApart) {
  // One instruction, 40 strides in a loop: each counts for itself, whatever came before.
  const Outcome o = run_kernel(
      kernel(".shared .align 16 .b8 s[16384];\nmov.u32 %r4, s;\nmov.u32 %r6, 0;\nmov.u32 %r9, 0;\n"
             "LOOP:\nrem.u32 %r8, %r6, 40;\nshl.b32 %r8, %r8, 2;\nmad.lo.u32 %r5, %r0, %r8, %r4;\n"
             "ld.shared.u32 %r7, [%r5];\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 400;\n@%p1 "
             "bra LOOP;\n"),
      32, 1);
  uint64_t expected = 0;
  for (int stride = 0; stride < 40; ++stride) {
    expected += stride == 0 ? 1 : static_cast<uint64_t>(std::gcd(stride, 32));
  }
  EXPECT_EQ(o.result.counts.shared_load.wavefronts, expected * 10);
  EXPECT_EQ(o.result.counts.shared_load.ideal, 400u);
}

TEST(Memory, VectorsBytesAndSigns) {
  const Outcome o = run_kernel(
      kernel("mul.wide.u32 %rd5, %r0, 16;\nadd.s64 %rd6, %rd0, %rd5;\nadd.s64 %rd7, %rd1, %rd5;\n"
             "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd6];\n"
             "ld.global.s8 %r9, [%rd6+3];\nld.global.u8 %h1, [%rd6+3];\ncvt.u32.u16 %r10, %h1;\n"
             "ld.global.v2.u16 {%h2, %h3}, [%rd6+4];\nmov.b32 %r11, {%h3, %h2};\n"
             "st.global.v4.u32 [%rd7], {%r8, %r9, %r10, %r11};\n"),
      32, 128, [] {
        std::vector<uint32_t> v;
        for (uint32_t i = 0; i < 128; ++i) v.push_back(0x81020304u + i * 0x01010101u);
        return v;
      }());
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t first = 0x81020304u + 4 * i * 0x01010101u, second = first + 0x01010101u;
    EXPECT_EQ(o.out[4 * i], first + 3 * 0x01010101u);
    EXPECT_EQ(o.out[4 * i + 1], static_cast<uint32_t>(static_cast<int8_t>(first >> 24)));
    EXPECT_EQ(o.out[4 * i + 2], first >> 24);
    EXPECT_EQ(o.out[4 * i + 3], second >> 16 | second << 16);
  }
}

TEST(Memory, LocalConstantParameterAndGeneric) {
  const std::string module =
      ".const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};\n"
      ".global .align 4 .u32 base = 1000;\n";
  const Outcome o = run_kernel(
      kernel(
          ".local .align 16 .b8 depot[64];\n.shared .align 4 .b8 s[256];\n"
          ".reg .b64 %SP, %SPL;\nmov.u64 %SPL, depot;\ncvta.local.u64 %SP, %SPL;\n"
          // local, by its own address and by the generic one, different a lane
          "st.local.u32 [%SPL+4], %r0;\nld.u32 %r5, [%SP+4];\n"
          // constant, indexed by lane
          "mov.u64 %rd5, table;\nand.b32 %r6, %r0, 3;\nmul.wide.u32 %rd6, %r6, 4;\n"
          "add.s64 %rd5, %rd5, %rd6;\nld.const.u32 %r7, [%rd5];\n"
          // global with initialiser; shared through a generic pointer
          "ld.global.u32 %r8, [base];\nmov.u64 %rd8, s;\ncvta.shared.u64 %rd9, %rd8;\n"
          "mul.wide.u32 %rd10, %r0, 4;\nadd.s64 %rd9, %rd9, %rd10;\nst.u32 [%rd9], %r8;\n"
          "cvta.to.shared.u64 %rd11, %rd9;\ncvt.u32.u64 %r9, %rd11;\nld.shared.u32 %r10, [%r9];\n"
          "add.u32 %r5, %r5, %r7;\nadd.u32 %r5, %r5, %r10;\n"
          "add.s64 %rd12, %rd1, %rd10;\nst.global.u32 [%rd12], %r5;\n",
          module),
      32, 32);
  ASSERT_FALSE(o.result.fault) << o.result.fault->message;
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(o.out[i], i + (i & 3) + 1 + 1000);
  EXPECT_EQ(o.result.counts.shared_store.requests, 1u);  // the generic store went to shared memory
  EXPECT_EQ(o.result.counts.global_load.requests, 1u);   // constant loads are none
}

TEST(Memory, ParametersOfAllKinds) {
  auto program = parse(
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param "
      ".u32 a,\n"
      ".param .align 2 .b8 h[2], .param .align 8 .b8 s[24], .param .f64 d)\n{\n"
      ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %h<3>; .reg .f64 %fd<3>;\n"
      "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [a];\nld.param.u16 %h1, [h];\n"
      "ld.param.u64 %rd2, [s+16];\nld.param.s8 %r2, [s+1];\nld.param.f64 %fd1, [d];\n"
      "mov.b64 %rd3, s;\nld.param.u32 %r3, [%rd3+8];\n"
      "st.global.u32 [%rd1], %r1;\nst.global.u16 [%rd1+4], %h1;\nst.global.u64 [%rd1+8], %rd2;\n"
      "st.global.u32 [%rd1+16], %r2;\nst.global.u32 [%rd1+20], %r3;\nst.global.f64 [%rd1+24], "
      "%fd1;\nret;\n}\n");
  ASSERT_TRUE(program);
  const EntryInfo* info = program->find("k");
  ASSERT_NE(info, nullptr);
  ASSERT_EQ(info->parameters.size(), 5u);
  EXPECT_EQ(info->parameters[2].offset, 12u);
  EXPECT_EQ(info->parameters[3].offset, 16u);
  EXPECT_EQ(info->parameter_bytes, 48u);
  Memory memory;
  const uint64_t out = memory.allocate("out", 32);
  std::vector<std::byte> block(48);
  auto put = [&](size_t at, auto v) { std::memcpy(block.data() + at, &v, sizeof v); };
  put(0, out);
  put(8, 7u);
  put(12, uint16_t{0x3c00});
  put(16, 0x0000f000u);
  put(24, 99u);
  put(32, 0x1122334455667788ull);
  put(40, 2.5);
  const RunResult r = run(*program, "k", {{1, 1, 1}, {1, 1, 1}, 0, block}, memory);
  ASSERT_FALSE(r.fault) << r.fault->message;
  const uint32_t* o = data<uint32_t>(memory, out);
  EXPECT_EQ(o[0], 7u);
  EXPECT_EQ(o[1], 0x3c00u);
  EXPECT_EQ(o[2], 0x55667788u);
  EXPECT_EQ(o[4], 0xfffffff0u);
  EXPECT_EQ(o[5], 99u);
  EXPECT_EQ(data<double>(memory, out)[3], 2.5);
}

TEST(Memory, CopiesAsyncWithZeroFill) {
  for (const int bytes : {4, 8, 16}) {
    const std::string b = std::to_string(bytes);
    // Lane l copies min(l, bytes) bytes: less than the width is filled with zeros.
    const std::string body = kernel(
        ".shared .align 16 .b8 s[512];\nmov.u32 %r4, s;\nmad.lo.u32 %r5, %r0, " + b +
        ", %r4;\n"
        "mov.u32 %r6, 0x55555555;\nshl.b32 %r20, %r0, 4;\nadd.u32 %r20, %r20, %r4;\n"
        "st.shared.v4.u32 [%r20], {%r6, %r6, %r6, %r6};\nbar.sync 0;\n"
        "mul.wide.u32 %rd5, %r0, " +
        b + ";\nadd.s64 %rd6, %rd0, %rd5;\nmin.u32 %r7, %r0, " + b +
        ";\n"
        "cp.async.ca.shared.global [%r5], [%rd6], " +
        b +
        ", %r7;\ncp.async.commit_group;\n"
        "cp.async.wait_group 0;\nbar.sync 0;\nld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r20];\n"
        "mul.wide.u32 %rd7, %r0, 16;\nadd.s64 %rd7, %rd1, %rd7;\n"
        "st.global.v4.u32 [%rd7], {%r10, %r11, %r12, %r13};\n");
    for (const bool check : {false, true}) {
      RunOptions options;
      options.check = check;
      const Outcome o = run_kernel(body, 32, 128, iota(128, 0x01020304), options);
      ASSERT_FALSE(o.result.fault) << o.result.fault->message;
      std::vector<uint32_t> in = iota(128, 0x01020304);
      std::vector<uint8_t> expected(512, 0x55);
      for (int l = 0; l < 32; ++l) {
        for (int i = 0; i < bytes; ++i) {
          expected[static_cast<size_t>(l * bytes + i)] =
              i < l ? reinterpret_cast<const uint8_t*>(in.data())[l * bytes + i] : 0;
        }
      }
      EXPECT_EQ(std::memcmp(o.out.data(), expected.data(), 512), 0) << bytes << check;
      uint64_t asked = 0;
      for (int l = 0; l < 32; ++l) asked += static_cast<uint64_t>(std::min(l, bytes));
      EXPECT_EQ(o.result.counts.global_load.bytes, asked);
      EXPECT_EQ(o.result.counts.shared_copy.requests, 1u);
      EXPECT_EQ(o.result.counts.shared_copy.wavefronts, static_cast<uint64_t>(bytes) / 4);
    }
  }
}

// A host of 32 bits has no room for it, and says so; it is never a part of it.
TEST(Memory, BuffersBeyondFourGigabytes) {
  Memory memory;
  const uint64_t bytes = (uint64_t{1} << 32) + 512;
  try {
    const uint64_t at = memory.allocate("large", bytes);
    EXPECT_EQ(memory.bytes(at).size(), bytes);
    memory.bytes(at)[static_cast<size_t>(bytes - 1)] = std::byte{1};  // the last of them is there
    EXPECT_EQ(memory.locate(at + bytes - 1).offset, bytes - 1);
  } catch (const std::bad_alloc&) {
    EXPECT_FALSE(memory.locate((uint64_t{1} << 40) + 8).buffer >= 0);
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::memory_file
