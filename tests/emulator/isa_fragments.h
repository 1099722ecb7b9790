// "Matrix Fragments for mma.…" of the PTX ISA 9.0, section by section as its text has them: the
// reference of the tests. Nothing here is shared with the emulator, which has formulas of its own.
#pragma once
#include <functional>

namespace tilescope::emulator::test::isa {

struct Place {
  int row, col;
  int product = 0;  // of m8n8k4 with f16: one of four
};
using Map = std::function<Place(int laneid, int i)>;

inline int groupID(int laneid) { return laneid >> 2; }
inline int threadID_in_group(int laneid) { return laneid % 4; }

// m8n8k4, f16: computation p has lanes 4p … 4p+3 and 16+4p … 16+4p+3.
namespace m8n8k4_f16 {
inline int computation(int laneid) { return (laneid % 16) / 4; }
inline Place a_row(int laneid, int i) {
  return {laneid < 16 ? laneid % 4 : laneid % 4 + 4, i, computation(laneid)};
}
inline Place a_col(int laneid, int i) {
  return {laneid < 16 ? i % 4 : i % 4 + 4, laneid % 4, computation(laneid)};
}
inline Place b_row(int laneid, int i) {
  return {laneid % 4, laneid < 16 ? i : i + 4, computation(laneid)};
}
inline Place b_col(int laneid, int i) {
  return {i, laneid < 16 ? laneid % 4 : laneid % 4 + 4, computation(laneid)};
}
inline Place c_f16(int laneid, int i) {
  return {laneid < 16 ? laneid % 4 : laneid % 4 + 4, i, computation(laneid)};
}
inline Place c_f32(int laneid, int i) {
  const int X = (laneid & 0b1) + (i & 0b10);
  return {laneid < 16 ? X : X + 4, (i & 0b100) + (laneid & 0b10) + (i & 0b1), computation(laneid)};
}
}  // namespace m8n8k4_f16

namespace m8n8k4_f64 {
inline Place a(int laneid, int) { return {groupID(laneid), threadID_in_group(laneid)}; }
inline Place b(int laneid, int) { return {threadID_in_group(laneid), groupID(laneid)}; }
}  // namespace m8n8k4_f64

namespace m8n8k16 {
inline Place a(int laneid, int i) { return {groupID(laneid), (threadID_in_group(laneid) * 4) + i}; }
inline Place b(int laneid, int i) { return {(threadID_in_group(laneid) * 4) + i, groupID(laneid)}; }
}  // namespace m8n8k16

namespace m8n8k32 {
inline Place a(int laneid, int i) { return {groupID(laneid), (threadID_in_group(laneid) * 8) + i}; }
inline Place b(int laneid, int i) { return {(threadID_in_group(laneid) * 8) + i, groupID(laneid)}; }
}  // namespace m8n8k32

namespace m8n8k128 {
inline Place a(int laneid, int i) { return {groupID(laneid), threadID_in_group(laneid) * 32 + i}; }
inline Place b(int laneid, int i) { return {threadID_in_group(laneid) * 32 + i, groupID(laneid)}; }
}  // namespace m8n8k128

/// Accumulators of every m8n8 above but that of f16.
inline Place c_m8n8(int laneid, int i) {
  return {groupID(laneid), (threadID_in_group(laneid) * 2) + i};
}
/// Accumulators of every m16n8.
inline Place c_m16n8(int laneid, int i) {
  return {i < 2 ? groupID(laneid) : groupID(laneid) + 8,
          (threadID_in_group(laneid) * 2) + (i & 0x1)};
}

namespace m16n8k4 {  // tf32, f64
inline Place a(int laneid, int i) {
  return {i == 0 ? groupID(laneid) : groupID(laneid) + 8, threadID_in_group(laneid)};
}
inline Place b(int laneid, int) { return {threadID_in_group(laneid), groupID(laneid)}; }
}  // namespace m16n8k4

namespace m16n8k8_f16 {  // and bf16
inline Place a(int laneid, int i) {
  return {i < 2 ? groupID(laneid) : groupID(laneid) + 8, threadID_in_group(laneid) * 2 + (i & 0x1)};
}
inline Place b(int laneid, int i) { return {(threadID_in_group(laneid) * 2) + i, groupID(laneid)}; }
}  // namespace m16n8k8_f16

namespace m16n8k8_tf32 {  // and f64
inline Place a(int laneid, int i) {
  return {i == 0 || i == 2 ? groupID(laneid) : groupID(laneid) + 8,
          i < 2 ? threadID_in_group(laneid) : threadID_in_group(laneid) + 4};
}
inline Place b(int laneid, int i) {
  return {i == 0 ? threadID_in_group(laneid) : threadID_in_group(laneid) + 4, groupID(laneid)};
}
}  // namespace m16n8k8_tf32

namespace m16n8k16_f16 {  // and bf16
inline Place a(int laneid, int i) {
  return {(0 <= i && i < 2) || (4 <= i && i < 6) ? groupID(laneid) : groupID(laneid) + 8,
          i < 4 ? (threadID_in_group(laneid) * 2) + (i & 0x1)
                : (threadID_in_group(laneid) * 2) + (i & 0x1) + 8};
}
inline Place b(int laneid, int i) {
  return {i < 2 ? (threadID_in_group(laneid) * 2) + (i & 0x1)
                : (threadID_in_group(laneid) * 2) + (i & 0x1) + 8,
          groupID(laneid)};
}
}  // namespace m16n8k16_f16

namespace m16n8k16_f64 {
inline Place a(int laneid, int i) {
  return {
      i % 2 == 0 ? groupID(laneid) : groupID(laneid) + 8,
      i % 2 == 0 ? (i * 2) + threadID_in_group(laneid) : (i * 2) - 2 + threadID_in_group(laneid)};
}
inline Place b(int laneid, int i) { return {threadID_in_group(laneid) + (i * 4), groupID(laneid)}; }
}  // namespace m16n8k16_f64

namespace m16n8k16_s8 {  // u8, e4m3, e5m2
inline Place a(int laneid, int i) {
  return {i < 4 ? groupID(laneid) : groupID(laneid) + 8,
          (threadID_in_group(laneid) * 4) + (i & 0x3)};
}
inline Place b(int laneid, int i) { return {(threadID_in_group(laneid) * 4) + i, groupID(laneid)}; }
}  // namespace m16n8k16_s8

namespace m16n8k32_s4 {  // u4
inline Place a(int laneid, int i) {
  return {i < 8 ? groupID(laneid) : groupID(laneid) + 8,
          (threadID_in_group(laneid) * 8) + (i & 0x7)};
}
inline Place b(int laneid, int i) {
  return {(threadID_in_group(laneid) * 8) + (i & 0x7), groupID(laneid)};
}
}  // namespace m16n8k32_s4

namespace m16n8k32_s8 {  // u8, e4m3, e5m2
inline Place a(int laneid, int i) {
  return {(0 <= i && i < 4) || (8 <= i && i < 12) ? groupID(laneid) : groupID(laneid) + 8,
          i < 8 ? (threadID_in_group(laneid) * 4) + (i & 0x3)
                : (threadID_in_group(laneid) * 4) + (i & 0x3) + 16};
}
inline Place b(int laneid, int i) {
  return {i < 4 ? (threadID_in_group(laneid) * 4) + (i & 0x3)
                : (threadID_in_group(laneid) * 4) + (i & 0x3) + 16,
          groupID(laneid)};
}
}  // namespace m16n8k32_s8

namespace m16n8k64 {
inline Place a(int laneid, int i) {
  return {(0 <= i && i < 8) || (16 <= i && i < 24) ? groupID(laneid) : groupID(laneid) + 8,
          i < 16 ? (threadID_in_group(laneid) * 8) + (i & 0x7)
                 : (threadID_in_group(laneid) * 8) + (i & 0x7) + 32};
}
inline Place b(int laneid, int i) {
  return {i < 8 ? (threadID_in_group(laneid) * 8) + (i & 0x7)
                : (threadID_in_group(laneid) * 8) + (i & 0x7) + 32,
          groupID(laneid)};
}
}  // namespace m16n8k64

namespace m16n8k128 {
inline Place a(int laneid, int i) {
  return {i < 32 ? groupID(laneid) : groupID(laneid) + 8,
          (threadID_in_group(laneid) * 32) + (i & 0x1F)};
}
inline Place b(int laneid, int i) {
  return {(threadID_in_group(laneid) * 32) + i, groupID(laneid)};
}
}  // namespace m16n8k128

namespace m16n8k256 {  // the text's "+ i" read as "+ (i & 0x1F)": columns end at 255
inline Place a(int laneid, int i) {
  return {(0 <= i && i < 32) || (64 <= i && i < 96) ? groupID(laneid) : groupID(laneid) + 8,
          i < 64 ? (threadID_in_group(laneid) * 32) + (i & 0x1F)
                 : (threadID_in_group(laneid) * 32) + (i & 0x1F) + 128};
}
inline Place b(int laneid, int i) {
  return {i < 32 ? (threadID_in_group(laneid) * 32) + (i & 0x1F)
                 : (threadID_in_group(laneid) * 32) + (i & 0x1F) + 128,
          groupID(laneid)};
}
}  // namespace m16n8k256

}  // namespace tilescope::emulator::test::isa
