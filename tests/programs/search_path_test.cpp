// Where programs are looked for: in no folder that follows the one in which this was started.
#include "core/programs/search_path.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "core/programs/program.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// In a folder with a program in it, where somebody else may have put it.
class SearchPath : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "tilescope-path-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = fs::canonical(path);
    fs::create_directories(folder_ / "bin/folder-program");
    write("here-program", true);
    write("bin/bin-program", true);
    write("bin/text-program", false);
    fs::current_path(folder_);
  }
  void TearDown() override {
    fs::current_path(before_);
    setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }
  void write(const char* name, bool runs) const {
    std::ofstream(folder_ / name) << "#!/bin/sh\nexit 7\n";
    if (runs) fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  const fs::path before_ = fs::current_path();
  const std::string path_ = getenv("PATH");
  fs::path folder_;
};

TEST_F(SearchPath, HasAbsoluteFoldersAlone) {
  setenv("PATH", ":/one::.:bin:/two/bin:..:./three:", 1);
  EXPECT_EQ(search_path(), (std::vector<std::string>{"/one", "/two/bin"}));
  // An empty PATH is, to whoever is started with it, the folder in which that was.
  const std::vector<std::string> systems{"/bin", "/usr/bin"};
  for (const char* none : {"", ".", "::", "bin:./lib"}) {
    setenv("PATH", none, 1);
    EXPECT_EQ(search_path(), systems) << none;
  }
  unsetenv("PATH");
  EXPECT_EQ(search_path(), systems);
}

TEST_F(SearchPath, WhatLiesWhereThisWasStartedIsNotRun) {
  for (const char* path :
       {"", ".", ":/nowhere", "/nowhere:", "/nowhere::/nowhere", "./bin:bin:."}) {
    setenv("PATH", path, 1);
    for (const char* name : {"here-program", "bin-program"}) {
      EXPECT_EQ(program_file(name), "") << path;
      for (const bool bound : {false, true}) {
        Program program({.argv = {name}, .descriptors = {-1, -1, -1}, .bound = bound});
        EXPECT_EQ(program.error(), ENOENT) << path << " " << name;
        EXPECT_TRUE(program.ended());
      }
    }
  }
  // Who says the folder means it.
  Program named({.argv = {"./here-program"}, .descriptors = {-1, -1, -1}});
  EXPECT_EQ(named.error(), 0);
  EXPECT_EQ(named.wait().code, 7);
}

TEST_F(SearchPath, FindsWhatCanBeRun) {
  const std::string bin = (folder_ / "bin").string();
  setenv("PATH", ("/nowhere:" + bin + ":" + path_).c_str(), 1);
  EXPECT_EQ(program_file("bin-program"), bin + "/bin-program");
  EXPECT_EQ(program_file("text-program"), "");
  EXPECT_EQ(program_file("folder-program"), "");
  EXPECT_EQ(program_file(""), "");
  EXPECT_EQ(program_file("/nowhere/at-all"), "/nowhere/at-all") << "whoever starts it is told";
  Program program({.argv = {"bin-program"}, .descriptors = {-1, -1, -1}});
  EXPECT_EQ(program.wait().code, 7);
}

}  // namespace
}  // namespace tilescope
