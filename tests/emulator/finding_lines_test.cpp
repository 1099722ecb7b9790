// One finding a source line, however often the line was unrolled, and what warps do to each other
// before what lanes of one do.
#include <map>

#include "support.h"

namespace tilescope::emulator::test::finding_lines_file {
namespace {

using Kind = Fault::Kind;

/// 64 threads in two warps; %r5 = the thread's word of shared memory, %r6 = that of the lane beside
/// it, %r7 = that of the other warp.
std::vector<Finding> findings_of(const std::string& body) {
  const std::string before =
      ".shared .align 16 .b8 s[4096];\nmov.u32 %r4, s;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r5, %r5, "
      "%r4;\nxor.b32 %r6, %r5, 4;\nxor.b32 %r7, %r5, 128;\n";
  RunOptions options;
  options.check = true;
  auto all = run_kernel(kernel(before + body, ".file 1 \"a.cu\"\n.file 2 \"b.cuh\"\n"), 64, 16, {1},
                        options)
                 .result.findings;
  std::erase_if(all, [](const Finding& f) { return f.remark; });
  return all;
}

/// What was found, by line of the source: the store is at fault, too, where the other warp has read
/// before it.
std::map<int, Finding> by_line(const std::vector<Finding>& all) {
  std::map<int, Finding> lines;
  for (const Finding& f : all) {
    EXPECT_TRUE(lines.emplace(f.fault.source.line, f).second) << f.fault.message;
  }
  return lines;
}

TEST(FindingLines, CopiesOfOneLineAreOneFinding) {
  const std::string store = "st.shared.u32 [%r5], %r0;\nst.shared.u32 [%r5+256], %r0;\n",
                    load = "ld.shared.u32 %r9, [%r7];\n", next = "ld.shared.u32 %r9, [%r7+256];\n";
  auto all = by_line(findings_of(".loc 1 5 0\n" + store + ".loc 1 7 0\n" + load + ".loc 1 7 0\n" +
                                 next + ".loc 1 8 0\n" + load));
  ASSERT_EQ(all.size(), 3u);
  const Finding& copies = all.at(7);
  EXPECT_EQ(copies.count, 64u) << "two loads of the lanes of the warp that comes later";
  ASSERT_EQ(copies.ptx_lines.size(), 2u);
  EXPECT_EQ(copies.ptx_lines[0], copies.fault.ptx_line);
  EXPECT_EQ(copies.other_ptx_lines, all.at(5).ptx_lines) << "both stores";
  EXPECT_EQ(all.at(8).count, 32u);
  // Without source lines each PTX line is one.
  EXPECT_EQ(findings_of(store + load + next).size(), 4u);
}

// A helper's line is another thing at each place where the helper was inlined.
TEST(FindingLines, OfInlinedCodeTheCallCounts) {
  const auto inlined = [](int line) {
    return ".loc 2 3 0, function_name $L_f, inlined_at 1 " + std::to_string(line) + " 0\n";
  };
  const std::string load = "ld.shared.u32 %r9, [%r7];\n", call = ".loc 1 ";
  auto all = by_line(findings_of("st.shared.u32 [%r5], %r0;\n" + call + "20 0\n" + inlined(20) +
                                 load + inlined(20) + load + call + "21 0\n" + inlined(21) + load));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at(20).count, 64u);
  EXPECT_EQ(all.at(21).count, 32u);
}

TEST(FindingLines, ConflictsBetweenWarpsComeFirst) {
  const std::string store = ".loc 1 5 0\nst.shared.u32 [%r5], %r0;\n",
                    lanes = "ld.shared.u32 %r9, [%r6];\n", warps = "ld.shared.u32 %r9, [%r7];\n";
  // Line 7 reads what the lane beside it wrote; line 9 what the other warp did.
  const auto all = findings_of(store + ".loc 1 7 0\n" + lanes + ".loc 1 9 0\n" + warps);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_FALSE(all[0].between_lanes);
  EXPECT_FALSE(all[1].between_lanes);
  EXPECT_EQ(all[2].fault.source.line, 7);
  EXPECT_TRUE(all[2].between_lanes);
  // Where both are at one line, it is told of the warps, though lanes were seen first.
  const auto both = by_line(findings_of(store + ".loc 1 7 0\n" + lanes + warps));
  ASSERT_EQ(both.size(), 2u);
  const Finding& line = both.at(7);
  EXPECT_FALSE(line.between_lanes);
  EXPECT_NE(line.fault.message.find("warp 0's write"), std::string::npos) << line.fault.message;
  EXPECT_EQ(line.count, 96u);
}

TEST(FindingLines, RemarksOnCopiesOfOneLineAreOne) {
  RunOptions options;
  options.remarks = true;
  const std::string far = "mul.wide.u32 %rd8, %r0, 64;\nadd.s64 %rd8, %rd1, %rd8;\n",
                    store = "st.global.u32 [%rd8], %r0;\n";
  const auto all =
      run_kernel(kernel(far + ".loc 1 5 0\n" + store + store +
                            ".loc 1 6 0\nst.global.u64 [%rd8], %rd0;\n.loc 1 5 0\n" + store,
                        ".file 1 \"a.cu\"\n"),
                 32, 1024, {1}, options)
          .result.findings;
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].fault.source.line, 5);
  EXPECT_EQ(all[0].ptx_lines.size(), 3u);
  EXPECT_EQ(all[0].count, 3u);
  EXPECT_NE(all[0].fault.message.find("(96 where 12 in all)"), std::string::npos)
      << all[0].fault.message;
  EXPECT_EQ(all[1].fault.source.line, 6);
}

// Which thread of the host has met which CTA differs from run to run, and a site remembers few.
TEST(FindingLines, RemarksTellTheWorstWhicheverThreadHasMetIt) {
  RunOptions options;
  options.remarks = true;
  options.threads = 4;
  const std::string ptx = kernel(
      "mov.u32 %r9, %ctaid.x;\nadd.u32 %r9, %r9, 4;\nmul.lo.u32 %r8, %r0, %r9;\n"
      "shl.b32 %r8, %r8, 2;\ncvt.u64.u32 %rd8, %r8;\nadd.s64 %rd8, %rd0, %rd8;\n"
      "ld.global.u32 %r7, [%rd8];\n");
  for (int run = 0; run < 200; ++run) {
    const Outcome o = run_kernel(ptx, 32, 64, std::vector<uint32_t>(2048), options, 24);
    ASSERT_EQ(o.result.findings.size(), 1u);
    // 32 sectors from CTA 4 on: of these equals the least distance, 32 bytes.
    ASSERT_NE(o.result.findings[0].fault.message.find("touch 32 sectors for 128 bytes"),
              std::string::npos)
        << run << ": " << o.result.findings[0].fault.message;
    ASSERT_NE(o.result.findings[0].fault.message.find("they are 32 bytes apart"), std::string::npos)
        << run << ": " << o.result.findings[0].fault.message;
  }
}

}  // namespace
}  // namespace tilescope::emulator::test::finding_lines_file
