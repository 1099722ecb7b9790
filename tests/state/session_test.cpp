#include "app/state/session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/session_place.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class Session : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("tilescope-session-" + std::to_string(getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    file_ = folder_ / "session.json";
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& text) { std::ofstream(file_) << text; }

  fs::path folder_, file_;
};

AppState edited() {
  AppState state = initial_state();
  set_tile_field(state, TileFieldId::stages, 4);
  set_kernel(state, "thread_tile_2d");
  set_tile_field(state, TileFieldId::block_n, 64);
  Problem p = state.edit.problem;
  p.m = 1000, p.n = 77, p.k = 3, p.alpha = 0.5f, p.beta = -2;
  set_problem(state, p);
  select_lane(state, 9);
  remember_result(state);
  pin(state, point_of(state), "before");
  return state;
}

TEST_F(Session, RoundTrip) {
  const AppState before = edited();
  std::string error;
  ASSERT_TRUE(save_session(before, file_, &error)) << error;
  AppState after = initial_state();
  ASSERT_TRUE(load_session(after, file_, &error)) << error;
  EXPECT_TRUE(same_request(before.edit, after.edit));
  EXPECT_EQ(after.edit.tiles.at("mma_multistage").stages, 4);
  EXPECT_EQ(after.selection.lane, 9);
  ASSERT_EQ(after.history.size(), 1u);
  ASSERT_EQ(after.pinned.size(), 1u);
  EXPECT_EQ(after.pinned[0].name, "before");
  EXPECT_EQ(to_json(before), to_json(after));
}

// Beside it stands the rung to go back to, which is all that versions before know.
TEST_F(Session, AKernelOfOnesOwnComesBackAndSoDoesTheWayFromIt) {
  const AppState rung = edited();
  AppState before = rung;
  open_own_kernel(before, {"/kernels/sgemm.cu", R"({"entry": "sgemm"})"});
  EXPECT_FALSE(before.derived.legal());
  std::string error;
  ASSERT_TRUE(save_session(before, file_, &error)) << error;
  AppState after = initial_state();
  ASSERT_TRUE(load_session(after, file_, &error)) << error;
  EXPECT_TRUE(same_request(before.edit, after.edit));
  ASSERT_TRUE(after.edit.own());
  EXPECT_EQ(name_of(*after.edit.own()), "sgemm.cu");
  EXPECT_EQ(to_json(before), to_json(after));
  leave_own_kernel(after);
  EXPECT_EQ(after.edit.rung(), rung.edit.rung());
  EXPECT_TRUE(after.derived.kernel);
  undo(after);
  EXPECT_TRUE(after.edit.own()) << "a step like any other";
}

// Types and the order of C come back; a parameter that the kernel has no more does not.
TEST_F(Session, TypesAndOrdersComeBackAndOldParametersDoNot) {
  for (const KernelEntry& kernel : kernel_table()) {
    for (int bit = 1; bit < 1 << kTypeSets; bit <<= 1) {
      if ((kernel.info.types & bit) == 0) continue;
      AppState before = initial_state();
      set_kernel(before, kernel.info.id);
      Problem p = before.edit.problem;
      set_types(p, types_of_bit(bit));
      p.order_c = Order::column_major;
      set_problem(before, p);
      before.edit.change_rung().tile.min_ctas = 4, before.edit.change_rung().tile.thread_n = 16;
      std::string error;
      ASSERT_TRUE(save_session(before, file_, &error)) << error;
      AppState after = initial_state();
      ASSERT_TRUE(load_session(after, file_, &error)) << error;
      EXPECT_EQ(after.edit.problem, p) << kernel.info.id;
      for (const TileField& field : kTileFields) {
        const bool own = kernel.sliders.find(field.id) != nullptr;
        EXPECT_EQ(get(after.edit.rung().tile, field.id),
                  own ? get(before.edit.rung().tile, field.id) : 0);
      }
    }
  }
}

TEST_F(Session, NoFileIsNoError) {
  AppState state = initial_state();
  std::string notice;
  EXPECT_TRUE(load_session(state, file_, &notice));
  EXPECT_TRUE(notice.empty());
}

TEST_F(Session, ADamagedFileIsKeptAsideAndSaidSo) {
  write("{\"tilescope\": 1, \"edit\": {");
  AppState state = initial_state();
  std::string notice;
  EXPECT_FALSE(load_session(state, file_, &notice));
  EXPECT_NE(notice.find("corrupt"), std::string::npos);
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_TRUE(same_request(state.edit, initial_state().edit));
}

TEST_F(Session, OneOfANewerVersionIsLeftAlone) {
  write("{\"tilescope\": 99, \"edit\": {}}");
  AppState state = initial_state();
  std::string notice;
  EXPECT_FALSE(load_session(state, file_, &notice));
  EXPECT_NE(notice.find("newer Tilescope (format 99, this one reads 1). It is left alone"),
            std::string::npos)
      << notice;
  EXPECT_TRUE(fs::exists(file_));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Session, AFolderThatCannotBeMadeIsSaidAtTheStart) {
  // A file where the folder should be: that stops even root.
  write("no folder");
  AppState state = initial_state();
  std::string notice;
  EXPECT_TRUE(load_session(state, file_ / "deeper/session.json", &notice));
  EXPECT_NE(notice.find("nothing of this session will be saved"), std::string::npos) << notice;
}

TEST_F(Session, ANewerFormatIsRefusedWithBothNumbers) {
  write("{\"tilescope\": 99}");
  AppState state = initial_state();
  std::string error;
  EXPECT_FALSE(open_state_file(state, file_, &error));
  EXPECT_NE(error.find("99"), std::string::npos);
  EXPECT_TRUE(fs::exists(file_));
}

TEST_F(Session, WrongValuesAreNamedOrIgnored) {
  const std::pair<const char*, const char*> bad[] = {
      {R"({"tilescope":1,"edit":{"kernel":"nothing"}})", "nothing"},
      {R"({"tilescope":1,"edit":{"kernel":"naive","size":[0,1,1]}})", "0"},
      {R"({"tilescope":1,"edit":{"kernel":"naive","size":[1,1,4294967296]}})", "4294967296"},
      {R"({"tilescope":1})", "edit"},
      {R"([1,2])", "tilescope"},
  };
  for (const auto& [text, names] : bad) {
    write(text);
    AppState state = initial_state();
    std::string error;
    EXPECT_FALSE(open_state_file(state, file_, &error)) << text;
    EXPECT_NE(error.find(names), std::string::npos) << error;
  }
  write(R"({"tilescope":1,"edit":{"kernel":"naive","tile":{"block_m":"x","zzz":3}},)"
        R"("selection":{"lane":999999,"cta":[-5,1e99],"value":-3},"view":{"fragment_tab":77}})");
  AppState state = initial_state();
  std::string error;
  ASSERT_TRUE(open_state_file(state, file_, &error)) << error;
  EXPECT_LT(state.selection.lane, 32);
  EXPECT_GE(state.selection.cta.row, 0);
  EXPECT_FALSE(state.derived.legal());  // block_m is 0
}

TEST_F(Session, DeepNestingIsRefused) {
  write(std::string(100000, '[') + std::string(100000, ']'));
  AppState state = initial_state();
  std::string error;
  EXPECT_FALSE(open_state_file(state, file_, &error));
}

/// A point whose label takes so many bytes of the file.
HistoryPoint heavy(const AppState& state, size_t bytes) {
  HistoryPoint point = point_of(state);
  point.label = std::string(bytes, 'x');
  return point;
}

TEST_F(Session, OneThatIsTooLargeIsSavedWithoutItsOldestHistoryAndIsReadAgain) {
  AppState before = edited();
  before.history.clear();
  for (int i = 0; i < 100; ++i) before.history.push_back(heavy(before, 60'000));
  before.history.back().label = "the newest";
  std::string error;
  ASSERT_TRUE(save_session(before, file_, &error)) << error;
  EXPECT_LE(fs::file_size(file_), size_t{4} << 20);
  AppState after = initial_state();
  ASSERT_TRUE(load_session(after, file_, &error)) << error;
  ASSERT_FALSE(after.history.empty());
  EXPECT_LT(after.history.size(), 100u);
  EXPECT_EQ(after.history.back().label, "the newest");
  EXPECT_EQ(after.pinned.size(), before.pinned.size());
  // What is pinned is not given up: the file stays as it was, and a sentence says so.
  for (int i = 0; i < 100; ++i) pin(before, heavy(before, 60'000), "pin " + std::to_string(i));
  EXPECT_FALSE(save_session(before, file_, &error));
  EXPECT_NE(error.find("it is not saved"), std::string::npos) << error;
  AppState again = initial_state();
  ASSERT_TRUE(load_session(again, file_, &error)) << error;
  EXPECT_EQ(again.history.size(), after.history.size());
}

TEST_F(Session, EachWindowHasAFileOfItsOwn) {
  std::optional<SessionPlace> first = session_place(folder_);
  EXPECT_EQ(fs::path(first->file).filename(), "session.json");
  EXPECT_EQ(first->ending + first->notice, "");
  SessionPlace second = session_place(folder_);
  EXPECT_EQ(fs::path(second.file).filename(), "session-2.json");
  EXPECT_EQ(second.ending, "-2");
  EXPECT_NE(second.notice.find("session-2.json"), std::string::npos);
  first.reset();  // its window is closed
  EXPECT_EQ(fs::path(session_place(folder_).file).filename(), "session.json");
}

TEST_F(Session, OneThatMayNotBeReadIsLeftAlone) {
  fs::create_directories(file_);  // as one of somebody else's is to whoever may read all
  AppState state = initial_state();
  std::string notice;
  EXPECT_FALSE(load_session(state, file_, &notice));
  EXPECT_NE(notice.find("left alone"), std::string::npos) << notice;
  EXPECT_TRUE(fs::is_directory(file_));
}

TEST_F(Session, MutatedFilesNeverCrash) {
  const std::string good = to_json(edited()).dump();
  std::mt19937 random(5);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string text = good;
    for (int j = 0; j < 3; ++j) text[random() % text.size()] = static_cast<char>(random());
    write(text);
    AppState state = initial_state();
    std::string error;
    if (!open_state_file(state, file_, &error)) {
      ++refused;
      EXPECT_FALSE(error.empty());
    }
    EXPECT_NE(state.derived.kernel, nullptr);
  }
  EXPECT_GT(refused, 0);
}

TEST_F(Session, AStateTravelsAsText) {
  const AppState before = edited();
  AppState after = initial_state();
  std::string error;
  ASSERT_TRUE(open_state_text(after, to_json(before).dump(), &error)) << error;
  EXPECT_TRUE(same_request(before.edit, after.edit));
  EXPECT_FALSE(open_state_text(after, "no state", &error));
  EXPECT_TRUE(same_request(before.edit, after.edit));
}

TEST_F(Session, AFolderThatCannotBeWrittenIsSaid) {
  std::string error;
  EXPECT_FALSE(save_session(initial_state(), "/proc/nothing/session.json", &error));
  EXPECT_NE(error.find("goes on in memory"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
