// bench and sweep as tables; what a card says is in tests/driver.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

TEST(BenchTables, CsvHasAHeadingAndARowAResult) {
  const CliResult result = run_cli({"bench", "--device", "recorded", "--kernel", "mma_sync",
                                    "--size", "1024", "--size", "2048", "--format", "csv"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 3u) << result.out;
  EXPECT_TRUE(lines[0].starts_with("kernel,m,n,k,layout,types,tile,device,standing,date,right,"));
  EXPECT_TRUE(lines[1].starts_with("mma_sync,1024,1024,1024,TN,f16 f16 f32,block_m="));
  const auto commas = [](const std::string& s) { return std::ranges::count(s, ','); };
  for (const std::string& line : lines) EXPECT_EQ(commas(line), commas(lines[0])) << line;
}

TEST(BenchTables, MarkdownHasARuleBelowItsHeading) {
  const CliResult result = run_cli({"bench", "--device", "recorded", "--kernel", "mma_sync",
                                    "--size", "1024", "--format", "markdown"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::vector<std::string> lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 3u) << result.out;
  EXPECT_TRUE(lines[0].starts_with("| kernel | m | n | k |"));
  EXPECT_TRUE(lines[1].starts_with("| --- | --- |"));
  EXPECT_TRUE(lines[2].starts_with("| mma_sync | 1024 |"));
}

TEST(BenchTables, AnUnknownFormatIsRefused) {
  const CliResult result = run_cli({"bench", "--format", "xml"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("xml"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace tilescope
