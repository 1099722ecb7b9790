// Mistakes planted one by one into one lane (or warp) of one CTA of a clean kernel: each is found
// with its CTA, warp, lane, address, PTX line and source line, and nothing else is; without the
// mistake the same kernel shows nothing.
#include <algorithm>

#include "support.h"

namespace tilescope::emulator::test::planted_file {
namespace {

using Kind = Fault::Kind;
constexpr uint64_t kIn = uint64_t{1} << 40, kOut = uint64_t{2} << 40;
constexpr int kLine = 77;  // of the source, where the mistake is

struct Planted {
  const char* name;
  Kind kind;
  const char* before;   // clean instructions, source line 10
  const char* mistake;  // one instruction, source line 77; %p9: in the one lane
  const char* after;    // source line 80
  uint64_t address;
  // Lane 39 of CTA 1 is lane 7 of warp 1; mistakes of whole warps show at another.
  uint32_t warp = 1, lane = 7;
  bool outputs_unwritten = false;
};

/// %r4 = s, %r5 = s + 4 · thread, %r6 = the same of the other warp, %rd6 and %rd7 = in and out + 4
/// · the thread's number in the grid; %p9 in the one lane, %p8 in its whole CTA, if `planted`.
std::string text_of(const Planted& p, bool planted) {
  return kernel(
      std::string(".shared .align 16 .b8 s[2048];\n.local .align 8 .b8 d[16];\n.loc 1 10 0\n"
                  "mov.u32 %r4, s;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r5, %r5, %r4;\nxor.b32 %r6, "
                  "%r5, 128;\nmul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd0, %rd5;\nadd.s64 "
                  "%rd7, %rd1, %rd5;\nmov.u64 %rd8, d;\nmov.u32 %r7, 5;\nsetp.eq.u32 %p9, %r1, ") +
          (planted ? "103" : "1000") + ";\nsetp.eq.u32 %p8, %r2, " + (planted ? "1" : "9") + ";\n" +
          p.before + ".loc 1 77 0\n" + p.mistake + "\n.loc 1 80 0\n" + p.after,
      ".file 1 \"planted.cu\"\n");
}

std::vector<Finding> findings_of(const std::string& text, bool outputs_unwritten) {
  const auto program = parse(text);
  if (!program) return {};
  Memory memory;
  const uint64_t in = memory.allocate("in", 1024, true), out = memory.allocate("out", 1024);
  if (outputs_unwritten) memory.expect_written_first(out);
  RunOptions options;
  options.check = true;
  const Launch launch{{2, 1, 1}, {64, 1, 1}, 0, parameters(in, out)};
  std::vector<Finding> all = run(*program, "k", launch, memory, options).findings;
  std::erase_if(all, [](const Finding& f) { return f.remark; });
  return all;
}

const Planted kMistakes[] = {
    {"GlobalLoadOutOfBounds", Kind::out_of_bounds, "", "@%p9 ld.global.u32 %r9, [%rd0+1024];", "",
     kIn + 1024},
    {"GlobalStoreOutOfBounds", Kind::out_of_bounds, "", "@%p9 st.global.u32 [%rd1+-4], %r7;", "",
     kOut - 4},
    {"SharedLoadOutOfBounds", Kind::out_of_bounds, "", "@%p9 ld.shared.u32 %r9, [%r4+2048];", "",
     2048},
    {"SharedStoreOutOfBounds", Kind::out_of_bounds, "", "@%p9 st.shared.u32 [%r4+2046], %r7;", "",
     2046},
    {"LocalLoadOutOfBounds", Kind::out_of_bounds, "", "@%p9 ld.local.u32 %r9, [%rd8+16];", "", 16},
    {"LocalStoreOutOfBounds", Kind::out_of_bounds, "", "@%p9 st.local.u32 [%rd8+400], %r7;", "",
     400},
    {"GlobalMisaligned", Kind::misaligned, "", "@%p9 ld.global.v2.u32 {%r9, %r10}, [%rd6];", "",
     kIn + 412},
    {"SharedMisaligned", Kind::misaligned, "", "@%p9 st.shared.u32 [%r5+2], %r7;", "", 158},
    {"LocalMisaligned", Kind::misaligned, "", "@%p9 st.local.u64 [%rd8+4], %rd5;", "", 4},
    {"RegisterNeverWritten", Kind::unwritten, "@!%p9 mov.u32 %r20, 1;\n", "add.u32 %r9, %r20, 1;",
     "", 0},
    {"SharedNeverWritten", Kind::unwritten, "@!%p9 st.shared.u32 [%r5], %r7;\n",
     "ld.shared.u32 %r9, [%r5];", "add.u32 %r9, %r9, 1;\n", 156},
    {"LocalNeverWritten", Kind::unwritten, "@!%p9 st.local.u32 [%rd8+8], %r7;\n",
     "ld.local.u32 %r9, [%rd8+8];", "", 8},
    {.name = "OutputReadBeforeItIsWritten",
     .kind = Kind::unwritten,
     .before = "@!%p9 st.global.u32 [%rd7], %r7;\n",
     .mistake = "ld.global.u32 %r9, [%rd7];",
     .after = "",
     .address = kOut + 412,
     .warp = 1,
     .lane = 7,
     .outputs_unwritten = true},
    {"ReadOnlyBufferWritten", Kind::read_only, "", "@%p9 st.global.u32 [%rd6], %r7;", "",
     kIn + 412},
    {.name = "RaceBetweenWarps",
     .kind = Kind::race,
     .before = "setp.lt.u32 %p5, %r0, 32;\n@%p5 st.shared.u32 [%r5], %r7;\n@!%p8 bar.sync 0;\n",
     .mistake = "@!%p5 ld.shared.u32 %r9, [%r6];",
     .after = "",
     .address = 0,
     .warp = 1,
     .lane = 0},
    {"CopyReadBeforeItsWait", Kind::copy_pending,
     "shl.b32 %r8, %r0, 4;\nadd.u32 %r8, %r8, %r4;\nadd.s64 %rd9, %rd0, 64;\n"
     "cp.async.ca.shared.global [%r8], [%rd9], 16;\n@!%p9 cp.async.wait_all;\n",
     "ld.shared.u32 %r9, [%r8];", "", 39 * 16},
    {.name = "BarrierThatOneWarpNeverReaches",
     .kind = Kind::deadlock,
     .before = "shr.u32 %r8, %r0, 5;\nsetp.eq.and.u32 %p7, "
               "%r8, 1, %p8;\n@%p7 bra AWAY;\n",
     .mistake = "bar.sync 0;",
     .after = "AWAY:\n@%p7 bar.sync 1;\n",
     .address = 0,
     .warp = 0,
     .lane = 0},
    {"LanesOfOneStore", Kind::lane_conflict, "mov.u32 %r8, %r5;\n@%p9 sub.u32 %r8, %r8, 4;\n",
     "st.shared.u32 [%r8], %r0;", "", 152},
    {"TwoCtasOneElement", Kind::cta_conflict, "mov.u64 %rd9, %rd7;\n@%p9 mov.u64 %rd9, %rd1;\n",
     "st.global.u32 [%rd9], %r1;", "", kOut},
};

class PlantedMistake : public testing::TestWithParam<Planted> {};

TEST_P(PlantedMistake, IsFoundWithItsPlace) {
  const Planted& p = GetParam();
  const std::string text = text_of(p, true);
  const auto before = text.begin() + static_cast<long>(text.rfind(p.mistake));
  const int line = 1 + static_cast<int>(std::count(text.begin(), before, '\n'));
  const std::vector<Finding> all = findings_of(text, p.outputs_unwritten);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Finding& f) {
    return f.fault.kind == p.kind && f.fault.ptx_line == line;
  });
  ASSERT_NE(found, all.end()) << (all.empty() ? "nothing was found" : all[0].fault.message);
  for (const Finding& f : all) {
    EXPECT_TRUE(f.fault.kind == p.kind && f.fault.ptx_line == line) << f.fault.message;
  }
  const Fault& f = found->fault;
  EXPECT_EQ(f.cta.x, 1u) << f.message;
  EXPECT_EQ(f.warp, p.warp) << f.message;
  EXPECT_EQ(f.lane, p.lane) << f.message;
  EXPECT_EQ(f.address, p.address) << f.message;
  EXPECT_EQ(f.source.file, "planted.cu");
  EXPECT_EQ(f.source.line, kLine);
  for (const std::string& words :
       {std::string("CTA (1, 0, 0), warp ") + std::to_string(p.warp) + ", lane " +
            std::to_string(p.lane) + ":",
        "PTX line " + std::to_string(line), std::string("(planted.cu:77)")}) {
    EXPECT_NE(f.message.find(words), std::string::npos) << words << " is missing in: " << f.message;
  }
}

TEST_P(PlantedMistake, CleanWithoutIt) {
  const auto all = findings_of(text_of(GetParam(), false), GetParam().outputs_unwritten);
  EXPECT_TRUE(all.empty()) << all[0].fault.message;
}

INSTANTIATE_TEST_SUITE_P(All, PlantedMistake, testing::ValuesIn(kMistakes),
                         [](const auto& info) { return std::string(info.param.name); });

// A matrix that two lanes of one stmatrix or wmma.store put to one place.
std::vector<Finding> matrix_findings(const std::string& body) {
  return findings_of(
      kernel(".shared .align 128 .b8 s[2048];\nmov.u32 %r4, s;\nshr.u32 %r40, %r0, 5;\nshl.b32 "
             "%r40, %r40, 10;\nadd.u32 %r4, %r4, %r40;\nand.b32 %r5, %r0, 31;\nmul.lo.u32 %r6, "
             "%r5, 16;\nadd.u32 %r6, %r6, %r4;\nmov.u32 %r7, 3;\n" +
             body),
      false);
}

TEST(LaneConflicts, OfStmatrix) {
  const std::string store = "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6], {%r5, %r7};\n";
  EXPECT_TRUE(matrix_findings(store).empty());
  // Rows 3 and 6 of the first matrix to one place: their eight lanes' words differ.
  const std::string same = "setp.eq.u32 %p1, %r5, 6;\n@%p1 sub.u32 %r6, %r6, 48;\n";
  const auto all = matrix_findings(same + store);
  ASSERT_EQ(all.size(), 1u);
  const Fault& f = all[0].fault;
  EXPECT_EQ(f.kind, Kind::lane_conflict);
  EXPECT_EQ(f.lane, 6u);
  EXPECT_EQ(f.address, 48u);
  EXPECT_NE(f.message.find("lanes 3 and 6"), std::string::npos) << f.message;
  EXPECT_EQ(all[0].count, 4u);  // warps of both CTAs
  // Equal rows may meet; transposed, rows of a register that holds the lane's number differ.
  EXPECT_TRUE(
      matrix_findings(same + "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6], {%r7};\n").empty());
  const std::string columns = "shr.u32 %r5, %r5, 2;\nmul.lo.u32 %r5, %r5, 65537;\n";
  EXPECT_TRUE(matrix_findings(same + columns +
                              "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r6], {%r5};\n")
                  .empty());
  EXPECT_EQ(
      matrix_findings(same + columns + "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6], {%r5};\n")
          .size(),
      1u);
}

TEST(LaneConflicts, OfWmmaStore) {
  // Sums 0 … 7 of lane l are 8 l + i.
  std::string values;
  for (int i = 0; i < 8; ++i) {
    values += "mad.lo.u32 %r" + std::to_string(10 + i) + ", %r5, 8, " + std::to_string(i) + ";\n";
  }
  const std::string store = "wmma.store.d.sync.aligned.row.m16n16k16.",
                    sums = ", {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}";
  EXPECT_TRUE(matrix_findings(values + store + "shared.s32 [%r4]" + sums + ";\n").empty());
  // Lines eight elements apart: the right half of each is the left half of the next.
  for (const bool global : {false, true}) {
    const std::string to = global ? "mul.wide.u32 %rd5, %r40, 1;\nmov.u64 %rd9, %rd1;\n" : "";
    const auto all = matrix_findings(
        values + to +
        "setp.eq.u32 %p1, %r2, 0;\nsetp.lt.and.u32 %p1, %r0, 32, %p1;\n@!%p1 bra "
        "END;\n" +
        store + (global ? "global.s32 [%rd9]" : "shared.s32 [%r4]") + sums + ", 8;\nEND:\n");
    ASSERT_EQ(all.size(), 1u) << all[1].fault.message;
    const Fault& f = all[0].fault;
    EXPECT_EQ(f.kind, Kind::lane_conflict);
    // Row 0's column 8 (lane 0, sums 4 and 5) lies where row 1's column 0 (lane 4) does.
    EXPECT_EQ(f.address, (global ? kOut : 0) + 32);
    EXPECT_NE(f.message.find("lanes 4 and 0"), std::string::npos) << f.message;
    if (global) {
      EXPECT_NE(f.message.find("'out'"), std::string::npos) << f.message;
    }
  }
  // One value everywhere: any may stay.
  std::string alike;
  for (int i = 0; i < 8; ++i) alike += "mov.u32 %r" + std::to_string(10 + i) + ", 5;\n";
  EXPECT_TRUE(matrix_findings(alike + store + "shared.s32 [%r4]" + sums + ", 8;\n").empty());
}

}  // namespace
}  // namespace tilescope::emulator::test::planted_file
