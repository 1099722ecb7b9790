// Where sheets are kept: beside the file, or where that cannot be, in the data folder.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/sheet/launch_sheet.h"
#include "core/sheet/sheet_error.h"

namespace tilescope::sheet {
namespace {
namespace fs = std::filesystem;

class Kept : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "tilescope-sheet-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
    fs::create_directory(folder_ / "kernels");
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string kernel() const { return (folder_ / "kernels" / "sgemm.cu").string(); }
  std::string data() const { return (folder_ / "data").string(); }
  LaunchSheet sheet(const char* entry) const {
    LaunchSheet s;
    s.entry = entry;
    return s;
  }
  fs::path folder_;
};

TEST_F(Kept, BesideTheFile) {
  EXPECT_EQ(saved_sheet(kernel(), data()), std::nullopt);
  const SavedSheet saved = save_sheet(kernel(), data(), sheet("f"));
  EXPECT_EQ(saved.file, (folder_ / "kernels" / "sgemm.sheet.json").string());
  EXPECT_TRUE(saved.remark.empty());
  EXPECT_EQ(saved_sheet(kernel(), data()), sheet("f"));
  EXPECT_FALSE(fs::exists(data()));
}

// A file in place of the folder keeps root from writing, too.
TEST_F(Kept, InTheDataFolderWhereThatCannotBe) {
  fs::remove_all(folder_ / "kernels");
  std::ofstream(folder_ / "kernels") << "a file";
  const SavedSheet saved = save_sheet(kernel(), data(), sheet("g"));
  EXPECT_TRUE(saved.file.starts_with(data())) << saved.file;
  EXPECT_NE(saved.remark.find("cannot be written"), std::string::npos) << saved.remark;
  EXPECT_NE(saved.remark.find("is kept in " + saved.file), std::string::npos) << saved.remark;
  EXPECT_EQ(saved_sheet(kernel(), data()), sheet("g"));
  // Another file of that name has another sheet.
  EXPECT_EQ(saved_sheet((folder_ / "other" / "sgemm.cu").string(), data()), std::nullopt);
  const SavedSheet nowhere = save_sheet(kernel(), "", sheet("g"));
  EXPECT_TRUE(nowhere.file.empty());
  EXPECT_FALSE(nowhere.remark.empty());
}

TEST_F(Kept, LosesTheFilesThatMayNotStay) {
  LaunchSheet s = sheet("f");
  s.args = {"in:mine.bin", "in:theirs.bin", "out:4", "no SPEC"};
  s.expect.emplace().files = {{2, "theirs.npy"}, {0, "mine.npy"}};
  s.expect->kernel.emplace().file = "theirs.cu";
  const LaunchSheet before = s;
  const auto all = [](const std::string&) { return true; };
  EXPECT_TRUE(leave_out_files(s, all).empty());
  EXPECT_EQ(s, before);
  const auto left_out =
      leave_out_files(s, [](const std::string& file) { return file.starts_with("mine"); });
  EXPECT_EQ(left_out, (std::vector<std::string>{"theirs.bin", "theirs.npy", "theirs.cu"}));
  EXPECT_EQ(s.args, (std::vector<std::string>{"in:mine.bin", "", "out:4", "no SPEC"}));
  ASSERT_EQ(s.expect->files.size(), 1u);
  EXPECT_EQ(s.expect->files[0].file, "mine.npy");
  EXPECT_FALSE(s.expect->kernel);
}

TEST_F(Kept, ADamagedOneIsNamed) {
  std::ofstream(folder_ / "kernels" / "sgemm.sheet.json") << "{\"grid\": [0]}";
  try {
    saved_sheet(kernel(), data());
    ADD_FAILURE();
  } catch (const SheetError& error) {
    EXPECT_NE(std::string(error.what()).find("sgemm.sheet.json: grid[0]"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tilescope::sheet
