// A rung's text that somebody changed: where it lies, and what is never touched.
#include "app/state/private_copy.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "app/state/compile_errors.h"
#include "app/state/edit.h"
#include "core/files/whole_file.h"
#include "tests/every_kernel.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class PrivateCopy : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("copies-" + std::to_string(getpid()));
    state.private_copies.folder = (folder / "changed").string();
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path folder;
  AppState state = initial_state();
};

TEST_F(PrivateCopy, EachRungHasItsOwnAndTheLadderStaysAsItIs) {
  for (const KernelEntry& kernel : kernel_table()) {
    set_kernel(state, kernel.info.id);
    ASSERT_FALSE(has_private_copy(state)) << kernel.info.id;
    const std::string before = original_text(state), changed = before + "// mine\n";
    EXPECT_EQ(sources_folder(state), "");
    EXPECT_EQ(saved_text(state), before);
    ASSERT_EQ(save_text(state, changed), "");
    EXPECT_TRUE(has_private_copy(state));
    EXPECT_EQ(saved_text(state), changed);
    EXPECT_EQ(original_text(state), before);
  }
  for (const KernelEntry& kernel : kernel_table()) {
    set_kernel(state, kernel.info.id);
    EXPECT_TRUE(has_private_copy(state)) << kernel.info.id;
    leave_private_copy(state);
    EXPECT_FALSE(has_private_copy(state));
    EXPECT_EQ(saved_text(state), original_text(state));
  }
}

TEST_F(PrivateCopy, TheOriginalsOwnTextEndsIt) {
  const std::string before = original_text(state);
  ASSERT_EQ(save_text(state, before + "\n"), "");
  const uint64_t saved = state.private_copies.saved;
  ASSERT_EQ(save_text(state, before), "");
  EXPECT_FALSE(has_private_copy(state));
  EXPECT_GT(state.private_copies.saved, saved) << "what runs is another text";
}

TEST_F(PrivateCopy, AFileOfOnesOwnIsSavedAsAnotherWithItsSheet) {
  EXPECT_NE(save_text_as(state, "x", "a.cu"), "") << "of a rung";
  fs::create_directories(folder);
  const std::string first = (folder / "first.cu").string(),
                    second = (folder / "second.cu").string();
  ASSERT_EQ(files::replace_file(first, "__global__ void k() {}\n"), "");
  open_own_kernel(state, {first, "{\"entry\": \"k\"}"});
  const std::string changed = "__global__ void k() { }\n";
  for (const char* wrong : {"", "name", "name.ptx", "name.txt"}) {
    EXPECT_NE(save_text_as(state, changed, wrong), "") << wrong;
  }
  EXPECT_NE(save_text_as(state, changed, (folder / "none" / "x.cu").string()), "");
  ASSERT_EQ(state.edit.own()->file, first);
  ASSERT_EQ(save_text_as(state, changed, second), "");
  ASSERT_NE(state.edit.own(), nullptr);
  EXPECT_EQ(state.edit.own()->file, second);
  EXPECT_EQ(state.edit.own()->sheet, "{\"entry\": \"k\"}");
  EXPECT_EQ(saved_text(state), changed);
  EXPECT_EQ(files::read_file(first).value_or(""), "__global__ void k() {}\n");
  // What is there already is nobody's to write over; its own name is a save.
  EXPECT_EQ(save_text_as(state, "", first), first + " is there already: choose another name.");
  EXPECT_EQ(save_text_as(state, changed + "\n", second), "");
  EXPECT_EQ(saved_text(state), changed + "\n");
  // Undo goes back to the file that it came from.
  undo(state);
  EXPECT_EQ(state.edit.own()->file, first);
}

TEST_F(PrivateCopy, AFileOfOnesOwnIsWrittenItself) {
  fs::create_directories(folder);
  const std::string file = (folder / "sgemm.cu").string();
  ASSERT_EQ(files::replace_file(file, "one\n"), "");
  open_own_kernel(state, {file, ""});
  EXPECT_EQ(saved_text(state), "one\n");
  ASSERT_EQ(save_text(state, "two\n"), "");
  EXPECT_EQ(files::read_file(file).value_or(""), "two\n");
  EXPECT_FALSE(has_private_copy(state));
  EXPECT_TRUE(is_as_written(state.private_copies, file));
  ASSERT_EQ(files::replace_file(file, "three\n"), "");
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(2));
  EXPECT_FALSE(is_as_written(state.private_copies, file));
}

TEST_F(PrivateCopy, AFolderOfKernelsIsWrittenInItself) {
  fs::create_directories(folder / "kernels");
  state.kernel_dir = (folder / "kernels").string();
  const std::string file = state.kernel_dir + "/" + state.derived.kernel->file;
  ASSERT_EQ(save_text(state, "// mine\n"), "");
  EXPECT_EQ(files::read_file(file).value_or(""), "// mine\n");
  EXPECT_EQ(sources_folder(state), state.kernel_dir);
}

TEST_F(PrivateCopy, WhatCannotBeWrittenIsSaid) {
  fs::create_directories(folder);
  std::ofstream(folder / "changed") << "a file where the folder would be";
  const std::string why = save_text(state, "// mine\n");
  EXPECT_NE(why.find("cannot be made"), std::string::npos) << why;
  EXPECT_FALSE(has_private_copy(state));
}

TEST_F(PrivateCopy, WithoutASessionItLastsAsLongAsTheWindow) {
  state.private_copies = {};
  ASSERT_EQ(save_text(state, "// mine\n"), "");
  EXPECT_TRUE(state.private_copies.temporary);
  EXPECT_TRUE(has_private_copy(state));
  fs::remove_all(state.private_copies.folder);
}

TEST(CompileErrors, LinesOfTheFileAlone) {
  const std::string log =
      "kernels/03_block_tile.cuh(2): error: expected an expression\n"
      "  int planted = ;\n"
      "                ^\n\n"
      "kernels/common/args.h(9): error: of another file\n"
      "/a/03_block_tile.cuh(40): warning #177-D: variable \"x\" was declared\n"
      "(nonsense): error: no\n12): error: no\n1 error detected\n";
  const auto errors = compile_errors(log, "03_block_tile.cuh");
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].line, 2);
  EXPECT_EQ(errors[0].message, "expected an expression");
  EXPECT_FALSE(errors[0].remark);
  EXPECT_EQ(errors[1].line, 40);
  EXPECT_TRUE(errors[1].remark);
  EXPECT_TRUE(compile_errors("", "a.cu").empty());
}

}  // namespace
}  // namespace tilescope
