// ldmatrix, stmatrix and movmatrix. PTX ISA: lanes 8q … 8q+7 address the rows of matrix q; lane l
// holds elements 2(l % 4) and 2(l % 4) + 1 of row l / 4, or of column l / 4 with .trans.
#include <algorithm>
#include <random>

#include "support.h"

namespace tilescope::emulator::test::matrix_file {
namespace {

// Row r of the 32 rows in shared memory belongs to matrix r / 8; rows lie in no order.
uint32_t place_of_row(uint32_t r) { return (r * 13 + 5) % 32; }
uint16_t element(uint32_t q, uint32_t row, uint32_t col) {
  return static_cast<uint16_t>(q * 1000 + row * 10 + col + 1);
}
uint16_t held(uint32_t q, uint32_t lane, uint32_t half, bool trans) {
  const uint32_t major = lane / 4, minor = 2 * (lane % 4) + half;
  return trans ? element(q, minor, major) : element(q, major, minor);
}

struct Space {
  const char* text;
  const char* convert;  // of the address in %rd7, a shared offset
};
const Space kSpaces[] = {
    {".shared", ""}, {".shared::cta", ""}, {"", "cvta.shared.u64 %rd7, %rd7;\n"}};

// %rd7: this lane's row address; 512 bytes at s.
std::string prologue(const Space& space) {
  return ".shared .align 16 .b8 s[512];\nmad.lo.u32 %r4, %r0, 13, 5;\nand.b32 %r4, %r4, 31;\n"
         "shl.b32 %r4, %r4, 4;\nmov.u32 %r5, s;\nadd.u32 %r4, %r4, %r5;\ncvt.u64.u32 %rd7, %r4;\n" +
         std::string(space.convert);
}
std::string registers(int n) {
  return n == 1 ? "{%r10}" : n == 2 ? "{%r10, %r11}" : "{%r10, %r11, %r12, %r13}";
}

TEST(Matrix, Loads) {
  std::vector<uint32_t> in(128);
  for (uint32_t row = 0; row < 32; ++row) {
    for (uint32_t col = 0; col < 8; col += 2) {
      in[place_of_row(row) * 4 + col / 2] =
          element(row / 8, row % 8, col) | uint32_t{element(row / 8, row % 8, col + 1)} << 16;
    }
  }
  for (const Space& space : kSpaces) {
    for (const int n : {1, 2, 4}) {
      for (const bool trans : {false, true}) {
        const std::string text = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(n) +
                                 (trans ? ".trans" : "") + space.text + ".b16";
        const Outcome o = run_kernel(
            kernel(prologue(space) +
                   "mul.wide.u32 %rd5, %r0, 16;\nadd.s64 %rd6, %rd0, %rd5;\nshl.b32 %r6, %r0, 4;\n"
                   "add.u32 %r6, %r6, %r5;\nld.global.v4.u32 {%r20,%r21,%r22,%r23}, [%rd6];\n"
                   "st.shared.v4.u32 [%r6], {%r20,%r21,%r22,%r23};\nbar.warp.sync -1;\n" +
                   text + " " + registers(n) +
                   ", [%rd7];\nadd.s64 %rd6, %rd1, %rd5;\n"
                   "st.global.v4.u32 [%rd6], {%r10,%r11,%r12,%r13};\n"),
            32, 128, in);
        ASSERT_FALSE(o.result.fault) << text << o.result.fault->message;
        for (uint32_t lane = 0; lane < 32; ++lane) {
          for (uint32_t q = 0; q < static_cast<uint32_t>(n); ++q) {
            const uint32_t word = o.out[lane * 4 + q];
            ASSERT_EQ(word & 0xffff, held(q, lane, 0, trans)) << text << ' ' << lane;
            ASSERT_EQ(word >> 16, held(q, lane, 1, trans)) << text << ' ' << lane;
          }
        }
        EXPECT_EQ(o.result.counts.shared_load.wavefronts, static_cast<uint64_t>(n)) << text;
        EXPECT_EQ(o.result.counts.shared_load.ideal, static_cast<uint64_t>(n)) << text;
      }
    }
  }
}

TEST(Matrix, Stores) {
  for (const Space& space : kSpaces) {
    for (const int n : {1, 2, 4}) {
      for (const bool trans : {false, true}) {
        const std::string text = "stmatrix.sync.aligned.m8n8.x" + std::to_string(n) +
                                 (trans ? ".trans" : "") + space.text + ".b16";
        std::vector<uint32_t> in(128);
        for (uint32_t lane = 0; lane < 32; ++lane) {
          for (uint32_t q = 0; q < 4; ++q) {
            in[lane * 4 + q] = held(q, lane, 0, trans) | uint32_t{held(q, lane, 1, trans)} << 16;
          }
        }
        const Outcome o = run_kernel(
            kernel(prologue(space) +
                   "mul.wide.u32 %rd5, %r0, 16;\nadd.s64 %rd6, %rd0, %rd5;\nshl.b32 %r6, %r0, 4;\n"
                   "add.u32 %r6, %r6, %r5;\nld.global.v4.u32 {%r10,%r11,%r12,%r13}, [%rd6];\n" +
                   text + " [%rd7], " + registers(n) +
                   ";\nbar.warp.sync -1;\n"
                   "ld.shared.v4.u32 {%r20,%r21,%r22,%r23}, [%r6];\nadd.s64 %rd6, %rd1, %rd5;\n"
                   "st.global.v4.u32 [%rd6], {%r20,%r21,%r22,%r23};\n"),
            32, 128, in);
        ASSERT_FALSE(o.result.fault) << text << o.result.fault->message;
        for (uint32_t row = 0; row < 32; ++row) {
          for (uint32_t col = 0; col < 8; ++col) {
            const uint32_t word = o.out[place_of_row(row) * 4 + col / 2];
            const uint32_t expected =
                row / 8 < static_cast<uint32_t>(n) ? element(row / 8, row % 8, col) : 0;
            ASSERT_EQ((word >> (16 * (col % 2))) & 0xffff, expected) << text << ' ' << row;
          }
        }
      }
    }
  }
}

TEST(Matrix, MoveTransposes) {
  std::vector<uint32_t> in(32);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    in[lane] = held(0, lane, 0, false) | uint32_t{held(0, lane, 1, false)} << 16;
  }
  const std::string at =
      "mul.wide.u32 %rd5, %r0, 4;\nadd.s64 %rd6, %rd0, %rd5;\n"
      "ld.global.u32 %r10, [%rd6];\nadd.s64 %rd6, %rd1, %rd5;\n";
  const std::string move = "movmatrix.sync.aligned.m8n8.trans.b16 ";
  const Outcome once =
      run_kernel(kernel(at + move + "%r11, %r10;\nst.global.u32 [%rd6], %r11;\n"), 32, 32, in);
  const Outcome twice = run_kernel(
      kernel(at + move + "%r10, %r10;\n" + move + "%r10, %r10;\nst.global.u32 [%rd6], %r10;\n"), 32,
      32, in);
  ASSERT_FALSE(once.result.fault || twice.result.fault);
  EXPECT_EQ(twice.out, in);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(once.out[lane] & 0xffff, held(0, lane, 0, true));
    EXPECT_EQ(once.out[lane] >> 16, held(0, lane, 1, true));
  }
}

TEST(Matrix, GenericAddressesHaveToPointIntoSharedMemory) {
  const Outcome o = run_kernel(
      kernel("ldmatrix.sync.aligned.m8n8.x4.b16 {%r10,%r11,%r12,%r13}, [%rd1];\n"), 32, 128);
  ASSERT_TRUE(o.result.fault);
  EXPECT_EQ(o.result.fault->kind, Fault::Kind::out_of_bounds);
}

}  // namespace
}  // namespace tilescope::emulator::test::matrix_file
