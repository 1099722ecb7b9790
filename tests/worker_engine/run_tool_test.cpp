// Programs as children: what they say, how they end, and that nothing of them is left.
#include "worker/engine/tools/run_tool.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace tilescope::worker {
namespace {

namespace fs = std::filesystem;
using End = ToolResult::End;

fs::path fresh_folder() {
  fs::path folder =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

ToolRun shell(const std::string& script) { return {{"/bin/sh", "-c", script}}; }

std::vector<int> pids_in(const fs::path& file) {
  std::vector<int> pids;
  std::ifstream in(file);
  for (int pid; in >> pid;) pids.push_back(pid);
  return pids;
}

/// Yields until all are gone; false where one of them stays.
bool all_end(const std::vector<int>& pids) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (const int pid : pids) {
    while (true) {
      std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
      std::string number, name, state;
      if (!(in >> number >> name >> state) || state == "Z") break;
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::yield();
    }
  }
  return true;
}

/// Two processes that never end, one of them deaf to hints; their pids in `file`.
std::string forever(const fs::path& file) {
  return "(trap '' TERM HUP INT; exec tail -f /dev/null) & echo $! $$ > " + file.string() +
         ".tmp && mv " + file.string() + ".tmp " + file.string() + "; wait";
}

TEST(RunTool, BothOutputsAndTheCodeComeBack) {
  const ToolResult result = run_tool(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.end, End::exited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
}

TEST(RunTool, LongOutputsAreWhole) {
  const ToolResult result = run_tool(shell("head -c 3000000 /dev/zero | tr '\\0' x"));
  EXPECT_EQ(result.out, std::string(3000000, 'x'));
  EXPECT_TRUE(result.ok());
}

TEST(RunTool, NumbersAreNotWrittenAsHere) {
  setenv("LC_NUMERIC", "de_DE.UTF-8", 1);
  const ToolResult result = run_tool(shell("env"));
  unsetenv("LC_NUMERIC");
  EXPECT_NE(result.out.find("LC_ALL=C\n"), std::string::npos);
  EXPECT_EQ(result.out.find("de_DE"), std::string::npos);
  EXPECT_NE(result.out.find("PATH="), std::string::npos);
}

TEST(RunTool, WhatItStartsIsNotLookedForWhereThisWasStarted) {
  const fs::path folder = fresh_folder(), before = fs::current_path();
  std::ofstream(folder / "here-program") << "#!/bin/sh\n";
  fs::permissions(folder / "here-program", fs::perms::owner_all);
  const std::string path = getenv("PATH");
  fs::current_path(folder);
  for (const char* relative : {"", ".", ":/nowhere:"}) {
    setenv("PATH", relative, 1);
    EXPECT_EQ(run_tool(shell("here-program")).code, 127) << relative;
  }
  fs::current_path(before);
  setenv("PATH", path.c_str(), 1);
}

// As a compiler that nvcc starts, it would write into a folder of its own.
TEST(RunTool, ACompilersCacheIsLeftOut) {
  EXPECT_EQ(run_tool(shell("echo $CCACHE_DISABLE")).out, "1\n");
}

TEST(RunTool, WhatIsNoProgramSaysSo) {
  const ToolRun run{{"/nowhere/ncu"}};
  const ToolResult result = run_tool(run);
  EXPECT_EQ(result.end, End::not_started);
  EXPECT_EQ(end_of(result, run), "could not be started (No such file or directory)");
}

TEST(RunTool, ASignalIsNamed) {
  const ToolRun run = shell("kill -SEGV $$");
  EXPECT_EQ(end_of(run_tool(run), run), "was ended by signal 11 (Segmentation fault)");
}

TEST(RunTool, WhatNeverEndsIsEndedWithAllThatItStarted) {
  const fs::path pids = fresh_folder() / "pids";
  ToolRun run = shell(forever(pids));
  run.seconds = 1;
  const ToolResult result = run_tool(run);
  EXPECT_EQ(result.end, End::too_long);
  EXPECT_EQ(end_of(result, run), "was stopped after 1 s");
  ASSERT_EQ(pids_in(pids).size(), 2u);
  EXPECT_TRUE(all_end(pids_in(pids)));
}

TEST(RunTool, WhatWritesWithoutEndIsEnded) {
  ToolRun run{{"/bin/sh", "-c", "exec cat /dev/zero >&2"}};
  run.max_bytes = 1 << 20;
  const ToolResult result = run_tool(run);
  EXPECT_EQ(result.end, End::too_much);
  EXPECT_LT(result.err.size(), 8u << 20);
}

TEST(RunTool, ACancelledOneIsEnded) {
  const fs::path pids = fresh_folder() / "pids";
  std::atomic<bool> cancelled = false;
  ToolRun run = shell(forever(pids));
  run.cancelled = &cancelled;
  std::thread other([&] {
    while (!fs::exists(pids)) std::this_thread::yield();
    cancelled = true;
  });
  const ToolResult result = run_tool(run);
  other.join();
  EXPECT_EQ(result.end, End::cancelled);
  EXPECT_TRUE(all_end(pids_in(pids)));
}

TEST(RunTool, WhatIsLeftBehindIsEnded) {
  const fs::path pids = fresh_folder() / "pids";
  const ToolResult result =
      run_tool(shell("tail -f /dev/null & echo $! > " + pids.string() + "; echo done"));
  EXPECT_EQ(result.out, "done\n");
  EXPECT_TRUE(result.ok());
  ASSERT_EQ(pids_in(pids).size(), 1u);
  EXPECT_TRUE(all_end(pids_in(pids)));
}

TEST(RunTool, NothingOutlivesTheOneWhoAsked) {
  const fs::path pids = fresh_folder() / "pids";
  const pid_t asker = fork();
  if (asker == 0) {
    run_tool(shell(forever(pids)));
    _exit(0);
  }
  while (!fs::exists(pids)) std::this_thread::yield();
  kill(asker, SIGKILL);
  waitpid(asker, nullptr, 0);
  EXPECT_TRUE(all_end(pids_in(pids)));
}

TEST(FindTool, TheVariableCountsAlone) {
  const fs::path folder = fresh_folder();
  const std::string file = folder / "some-tool";
  std::ofstream(file) << "#!/bin/sh\n";
  const ToolSearch search{"some-tool", "TILESCOPE_SOME_TOOL", {folder.string()}};
  EXPECT_EQ(find_tool(search).file, "") << "it cannot be run";
  fs::permissions(file, fs::perms::owner_all);
  EXPECT_EQ(find_tool(search).file, file);
  EXPECT_EQ(find_tool({"some-tool", "TILESCOPE_SOME_TOOL", {}}).file, "");
  setenv("TILESCOPE_SOME_TOOL", folder.c_str(), 1);
  EXPECT_EQ(find_tool({"some-tool", "TILESCOPE_SOME_TOOL", {}}).file, file) << "its folder";
  setenv("TILESCOPE_SOME_TOOL", "/nowhere", 1);
  const FoundTool none = find_tool(search);
  unsetenv("TILESCOPE_SOME_TOOL");
  EXPECT_EQ(none.file, "");
  EXPECT_EQ(none.searched, "TILESCOPE_SOME_TOOL=/nowhere");
}

TEST(FindTool, LooksInTheToolkitAndInThePath) {
  const fs::path root = fresh_folder();
  fs::create_directories(root / "bin");
  const std::string file = root / "bin/some-tool";
  std::ofstream(file) << "#!/bin/sh\n";
  fs::permissions(file, fs::perms::owner_all);
  setenv("CUDA_HOME", root.c_str(), 1);
  EXPECT_EQ(find_tool({"some-tool", "TILESCOPE_SOME_TOOL", {}}).file, file);
  unsetenv("CUDA_HOME");
  const std::string path = getenv("PATH");
  setenv("PATH", ((root / "bin").string() + ":" + path).c_str(), 1);
  EXPECT_EQ(find_tool({"some-tool", "TILESCOPE_SOME_TOOL", {}}).file, file);
  // Not where this was started, whatever PATH says.
  const fs::path before = fs::current_path();
  fs::current_path(root / "bin");
  for (const char* relative : {"", ".", "../bin", ":/nowhere:"}) {
    setenv("PATH", relative, 1);
    EXPECT_EQ(find_tool({"some-tool", "TILESCOPE_SOME_TOOL", {}}).file, "") << relative;
  }
  fs::current_path(before);
  setenv("PATH", path.c_str(), 1);
  EXPECT_NE(find_tool({"some-tool", "TILESCOPE_SOME_TOOL", {}}).searched.find("$PATH"),
            std::string::npos);
}

TEST(LastLine, IsHarmless) {
  EXPECT_EQ(last_line("one\ntwo\x1b[1m \n\n"), "two [1m");
  EXPECT_EQ(last_line("\n \n"), "");
  EXPECT_EQ(last_line(""), "");
  EXPECT_EQ(last_line("only"), "only");
}

}  // namespace
}  // namespace tilescope::worker
