// step: places, motions and what is shown, of a PTX file; the commands of docs/stepping.md.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;

// Each thread adds up n words that lie 64 words apart, by way of shared memory.
constexpr const char* kSums = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry sums(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<5>;
  .shared .align 4 .b8 kept[256];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  shl.b32 %r4, %r2, 2;
  mov.u32 %r5, kept;
  add.s32 %r4, %r4, %r5;
  mov.u32 %r3, 0;
ROW:
  ld.global.u32 %r6, [%rd1];
  st.shared.u32 [%r4], %r6;
  bar.sync 0;
  ld.shared.u32 %r6, [%r4];
  add.u32 %r3, %r3, %r6;
  add.s64 %rd1, %rd1, 256;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra ROW;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";
constexpr int kLoad = 22, kBarrier = 24, kAdd = 26, kStore = 31;

class StepPtx : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(file_) << kSums;
    std::ofstream in(in_, std::ios::binary);
    for (uint32_t i = 0; i < 64 * 5; ++i) in.write(reinterpret_cast<const char*>(&i), 4);
  }
  CliResult run(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"step",      "--ptx",   file_,  "--grid",
                                          "1",         "--block", "64",   "--arg",
                                          "in:" + in_, "out:256", "u32:5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cli(arguments);
  }
  json shown(std::vector<std::string> more) const {
    more.push_back("--json");
    const CliResult r = run(more);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.json();
  }
  const std::string file_ = scratch_folder() + "/sums.ptx", in_ = scratch_folder() + "/sums.bin";
};

TEST_F(StepPtx, GoesThereAndBack) {
  const json at = shown({"--to", "ptx:" + std::to_string(kAdd), "--to", "k:3"});
  EXPECT_EQ(at["place"]["ptx_line"], kLoad);
  EXPECT_EQ(at["place"]["iteration"], 3);
  EXPECT_EQ(at["place"]["opcode"], "ld.global.u32");
  EXPECT_TRUE(at["found"]);
  const json back =
      shown({"--to", "ptx:" + std::to_string(kAdd), "--to", "k:3", "step:7", "back:step:7"});
  EXPECT_EQ(back, at);
  const json from = shown({"--from", std::to_string(at["place"]["tick"].get<int>())});
  EXPECT_EQ(from["place"], at["place"]);
  EXPECT_EQ(from["registers"], at["registers"]);
  EXPECT_EQ(shown({"--to", "end", "--back"})["place"]["tick"],
            shown({"--to", "end", "back:end"})["place"]["tick"]);
}

TEST_F(StepPtx, ShowsRegistersWarpsAndMemory) {
  // Before the sum is stored: 5 words that lie 64 apart, from the thread's number on.
  const json at = shown({"--to", "written:argument 1+12:4", "--registers", "%r3", "--memory",
                         "s+0:8", "argument 1+12:4"});
  EXPECT_EQ(at["place"]["ptx_line"], kStore);
  ASSERT_EQ(at["registers"].size(), 1u);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(at["registers"][0]["values"][static_cast<size_t>(lane)], 5 * lane + 64 * 10);
  }
  EXPECT_EQ(at["memory"][0]["bytes"], "0001000001010000");  // 256 and 257
  EXPECT_EQ(at["memory"][1]["bytes"], "00000000");
  const json after = shown({"--to", "written:1+12:4", "step", "--memory", "1+12:4"});
  EXPECT_EQ(after["memory"][0]["bytes"], "8f020000");  // 5 · 3 + 640
  // The first warp waits for the second at the barrier.
  const json waits = shown({"--to", "barrier", "barrier"});
  EXPECT_EQ(waits["place"]["warp"], 1);
  EXPECT_EQ(waits["warps"][0]["splits"][0]["state"], "at_barrier");
  EXPECT_EQ(waits["warps"][0]["splits"][0]["ptx_line"], kBarrier);
  EXPECT_EQ(waits["barriers"][0]["arrived"], json({0xffffffffu, 0}));
}

TEST_F(StepPtx, SaysWhoWroteSharedMemory) {
  constexpr int kShared = 23;
  const json none = shown({"--to", "ptx:" + std::to_string(kShared), "--writers"});
  EXPECT_EQ(none["writers"], json::array()) << "it is the next to run";
  EXPECT_TRUE(shown({})["writers"].is_null()) << "not asked for";
  const json at = shown({"--to", "written:1+12:4", "--writers"});
  ASSERT_EQ(at["writers"].size(), 2u);
  for (int warp = 0; warp < 2; ++warp) {
    const json& w = at["writers"][static_cast<size_t>(warp)];
    EXPECT_EQ(w["offset"], 128 * warp);
    EXPECT_EQ(w["bytes"], 128);
    EXPECT_EQ(w["warp"], warp);
    EXPECT_EQ(w["lanes"], 0xffffffffu);
    EXPECT_EQ(w["ptx_line"], kShared);
    // The last of its five rounds: the moment that it names is that store.
    const json there =
        shown({"--to", "at:" + std::to_string(warp) + "." + std::to_string(w["step"].get<int>())});
    EXPECT_EQ(there["place"]["ptx_line"], kShared);
    EXPECT_EQ(there["place"]["iteration"], 4);
  }
  const json part = shown({"--to", "written:1+12:4", "--writers", "--memory", "s+132:8"});
  ASSERT_EQ(part["writers"].size(), 1u);
  EXPECT_EQ(part["writers"][0]["offset"], 132);
  EXPECT_EQ(part["writers"][0]["bytes"], 8);
  EXPECT_EQ(part["writers"][0]["lanes"], 0b110);
  const CliResult words = run({"--to", "written:1+12:4", "--writers"});
  EXPECT_NE(words.out.find("s+128:128"), std::string::npos) << words.out;
}

TEST_F(StepPtx, SaysWhatTheChecksHaveFoundUpToThere) {
  const json clean = shown({"--to", "end", "--check"});
  EXPECT_EQ(clean["checks"]["findings"], json::array());
  EXPECT_EQ(clean["checks"]["later"], 0);
  EXPECT_TRUE(shown({})["checks"].is_null()) << "not asked for";
  // Without its barrier a warp reads its neighbour's words.
  std::string racy = kSums;
  racy.replace(racy.find("bar.sync 0;"), 11, "xor.b32 %r4, %r4, 128;");
  std::ofstream(file_) << racy;
  const json before = shown({"--check"});
  EXPECT_EQ(before["checks"]["findings"], json::array());
  EXPECT_GT(before["checks"]["later"], 0);
  const json after = shown({"--to", "end", "--check"});
  ASSERT_FALSE(after["checks"]["findings"].empty());
  EXPECT_EQ(after["checks"]["later"], 0);
  const json& first = after["checks"]["findings"][0];
  const json there = shown({"--to",
                            "at:" + std::to_string(first["warp"].get<int>()) + "." +
                                std::to_string(first["step"].get<int>()),
                            "--check"});
  EXPECT_EQ(there["place"]["ptx_line"], first["ptx_line"]);
  EXPECT_LT(there["checks"]["findings"].size(), after["checks"]["findings"].size());
  const CliResult words = run({"--to", "end", "--check"});
  EXPECT_NE(words.out.find("have found up to here"), std::string::npos) << words.out;
}

TEST_F(StepPtx, PrintsForPeople) {
  const CliResult r = run({"--to", "barrier", "--lanes", "2"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("sums: CTA 0,0,0, warp 0 before bar.sync at PTX line 24"), std::string::npos)
      << r.out;
  EXPECT_NE(r.out.find("Registers of warp 0"), std::string::npos);
  const CliResult end = run({"--to", "end", "step"});
  EXPECT_NE(end.out.find("the run has ended"), std::string::npos) << end.out;
  EXPECT_NE(end.out.find("No further stop that way."), std::string::npos);
}

TEST_F(StepPtx, RefusesWithTheWayOut) {
  const auto refused = [&](const std::vector<std::string>& flags, const std::string& words) {
    const CliResult r = run(flags);
    EXPECT_EQ(r.code, 2) << r.out;
    EXPECT_NE(r.err.find(words), std::string::npos) << r.err;
  };
  refused({"--to", "jump"}, "the words are step, any, line");
  refused({"--to", "step:x"}, "how often must be a number");
  refused({"--to", "event:tea"}, "the events are copy, wait");
  refused({"--to", "ptx:1"}, "the nearest that have one: ");
  refused({"--to", "line"}, "compile it with -lineinfo");
  refused({"--to", "written:9+0"}, "has no buffer '9'");
  refused({"--to", "written:1+256:4"}, "lie outside of it");
  refused({"--to", "written:1[0,0]"}, "name bytes");
  refused({"--to", "register:%r77"}, "writes a register '%r77'");
  refused({"--warp", "7", "--to", "barrier"}, "warp 7 does not exist: the CTA has 2");
  refused({"--registers-of", "7"}, "warp 7 does not exist");
  refused({"--registers", "%r77"}, "--registers %r77 is none of");
  refused({"--cta", "3"}, "lies outside of the grid");
  refused({"--memory", "s+250:9"}, "256 bytes of shared memory");
}

TEST(StepDocs, NameEveryMotion) {
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) + "/docs/stepping.md");
  std::stringstream text;
  text << file.rdbuf();
  const json motions = run_cli({"step", "--list-motions", "--json"}).json();
  ASSERT_GT(motions.size(), 10u);
  for (const json& m : motions) {
    const std::string row =
        "| `" + m["form"].get<std::string>() + "` | " + m["what"].get<std::string>() + " |";
    EXPECT_NE(text.str().find(row), std::string::npos) << row;
  }
}

// "    $ ./run …": words, some of them in single quotes.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : line + " ") {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      if (!word.empty()) words.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  return words;
}

TEST(StepDocs, CommandsRun) {
  TILESCOPE_NEED_NVRTC();
  std::ifstream file(std::string(TILESCOPE_SOURCE_DIR) + "/docs/stepping.md");
  const std::string begin = "    $ ./run ";
  int commands = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(begin)) continue;
    const CliResult r = run_cli(words_of(line.substr(begin.size())));
    EXPECT_EQ(r.code, 0) << line << "\n" << r.err;
    EXPECT_FALSE(r.out.empty()) << line;
    EXPECT_EQ(r.out.find("No further stop"), std::string::npos) << line << "\n" << r.out;
    ++commands;
  }
  EXPECT_GE(commands, 6);
}

}  // namespace
}  // namespace tilescope
