// What ncu writes, read: its CSV with all the ways in which it writes numbers, and its messages.
#include "worker/engine/counters/ncu_report.h"

#include <gtest/gtest.h>

#include <set>

#include "worker/engine/compile/source.h"
#include "worker/messages/counters.h"

namespace tilescope::worker {
namespace {

constexpr const char* kHeads =
    R"("ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value")"
    "\n";

std::string row(const std::string& id, const std::string& metric, const std::string& unit,
                const std::string& value) {
  return "\"" + id + "\",\"7\",\"tilescope_gemm\",\"x, \"\"y\"\"\",\"" + metric + "\",\"" + unit +
         "\",\"" + value + "\"\r\n";
}

TEST(NcuReport, NumbersAreReadAsTheyAreWritten) {
  const auto values = parse_ncu_csv(
      "==PROF== Connected to process 7\nmma_multistage launched once\n" + std::string(kHeads) +
      row("0", "plain", "sector", "1107296256") + row("0", "thousands", "byte", "1,107,296,256") +
      row("0", "scaled", "Mbyte", "4.22") + row("0", "tera", "Tbyte", "1.5") +
      row("0", "percent", "%", "77.91") + row("0", "zero", "inst", "0") +
      row("0", "missing", "", "n/a") + row("0", "empty", "byte", "") +
      row("0", "infinite", "", "inf") + row("0", "word", "", "(!) nan") +
      row("1", "plain", "sector", "5") + "==PROF== Disconnected\n");
  const std::map<std::string, double> expected = {{"plain", 1107296256}, {"thousands", 1107296256},
                                                  {"scaled", 4.22e6},    {"tera", 1.5e12},
                                                  {"percent", 77.91},    {"zero", 0}};
  EXPECT_EQ(values, expected) << "of the first kernel alone; what is no number is not there";
}

TEST(NcuReport, WhatIsNoReportHasNoValues) {
  for (const std::string& text :
       {std::string(), std::string("==WARNING== No kernels were profiled.\n"), std::string(kHeads),
        std::string("\"\n\"\"\"\n\"a\",\"b\"\n"),
        "\"ID\",\"Metric Name\"\n" + row("0", "a", "", "1"),
        kHeads + std::string("\"0\",\"7\",\"cut")}) {
    EXPECT_TRUE(parse_ncu_csv(text).empty()) << text;
  }
}

TEST(NcuReport, UnknownMetricsAreNamed) {
  const std::vector<std::string> asked = {"dram__bytes_read.sum", "l1tex__data.sum",
                                          "l1tex__data_pipe.sum"};
  using Names = std::vector<std::string>;
  EXPECT_EQ(unknown_metrics(
                "==ERROR== Failed to find metric regex:^dram__bytes_read\\.(sum|min)$\n", asked),
            Names{"dram__bytes_read.sum"});
  EXPECT_EQ(unknown_metrics("==ERROR== Failed to find metric l1tex__data_pipe.sum\n", asked),
            Names{"l1tex__data_pipe.sum"})
      << "a name that begins alike is not meant";
  EXPECT_EQ(unknown_metrics("Failed to find metric dram__bytes_read.sum", {"dram__bytes.sum"}),
            Names{});
  EXPECT_EQ(unknown_metrics("==PROF== dram__bytes_read.sum is fine\n", asked), Names{});
}

TEST(NcuReport, CausesHaveTheirFix) {
  for (const auto& [message, part] : std::map<std::string, std::string>{
           {"==ERROR== ERR_NVGPUCTRPERM - The user does not have permission",
            "NVreg_RestrictProfilingToAdminUsers=0"},
           {"==ERROR== Cuda driver is not compatible with Nsight Compute.", "update the driver"},
           {"==ERROR== Profiling failed because a driver resource was unavailable.", "DCGM"},
           {"==ERROR== unrecognised option '--print-units'", "2022.3 or later"},
           {"==ERROR== Profiling is not supported on device 0", "does not know this card"}}) {
    const std::string sentence = ncu_failure("==PROF== Connected\n" + message + "\n", "ncu 2025.1");
    EXPECT_NE(sentence.find(part), sentence.npos) << sentence;
    EXPECT_EQ(sentence.back(), '.') << sentence;
  }
  EXPECT_EQ(ncu_failure("==WARNING== No kernels were profiled.", "ncu"), "");
}

TEST(NcuReport, VersionsAreCompared) {
  EXPECT_EQ(ncu_version("Copyright 2018\nVersion 2025.3.1.0 (build 1) (public-release)\n"),
            "2025.3.1");
  EXPECT_EQ(ncu_version("Version 2022.3 (x)"), "2022.3");
  EXPECT_EQ(ncu_version("no such thing"), "");
  for (const char* good : {"2022.3", "2022.3.0", "2022.10", "2025.1.1"}) {
    EXPECT_FALSE(is_too_old(good)) << good;
  }
  for (const char* old : {"2022.2.1", "2021.10", "2019.5"}) EXPECT_TRUE(is_too_old(old)) << old;
}

TEST(CounterList, EachFigureHasOneCounter) {
  std::set<std::string> names;
  std::map<std::string, double> values;
  for (const Counter& counter : counter_list()) {
    EXPECT_TRUE(names.insert(counter.metric).second) << counter.metric;
    if (counter.instead) {
      EXPECT_TRUE(names.insert(counter.instead).second);
    }
    EXPECT_NE(std::string(counter.what), "");
    values[counter.metric] = 10;
  }
  const MeasuredTraffic all = measured_traffic(values);
  EXPECT_EQ(all.dram_read, 10);
  EXPECT_EQ(all.l2_read, 10);
  for (const auto& counter : counter_list()) {
    if (!counter.figure) continue;
    EXPECT_TRUE((all.*counter.figure).has_value()) << counter.metric;
    auto others = values;
    others.erase(counter.metric);
    EXPECT_FALSE((measured_traffic(others).*counter.figure).has_value())
        << counter.metric << " is not the only one of its figure";
  }
  EXPECT_EQ(measured_traffic({}), MeasuredTraffic{});
}

TEST(CounterList, WhatWasNotMeasuredIsNull) {
  const auto levels = measured_levels_json(
      measured_traffic({{"dram__bytes_read.sum", 4220000},
                        {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 7}}));
  EXPECT_EQ(levels["dram"]["read"], 4220000);
  EXPECT_TRUE(levels["dram"]["write"].is_null());
  EXPECT_EQ(levels["shared"]["load_wavefronts"], 7);
  EXPECT_TRUE(levels["shared"]["wavefronts"].is_null()) << "a part is no sum";
  EXPECT_TRUE(levels["registers"].is_null());
}

TEST(CounterList, TheCommandNamesOurKernelAlone) {
  const auto options = ncu_options({"a.sum", "b.sum"});
  const auto at = std::find(options.begin(), options.end(), "--kernel-name");
  ASSERT_NE(at, options.end());
  EXPECT_EQ(*(at + 1), kEntryName);
  EXPECT_EQ(options.back(), "a.sum,b.sum");
}

TEST(ShellLine, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_line({"ncu", "--metrics", "a.sum,b.sum", "/x y/tilescope-cli", "it's", ""}),
            R"(ncu --metrics a.sum,b.sum '/x y/tilescope-cli' 'it'\''s' '')");
}

}  // namespace
}  // namespace tilescope::worker
