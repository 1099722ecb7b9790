// States and links of somebody else: which files they have opened, and what is said of the others.
#include "app/state/trusted_files.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/features/own/own_view.h"
#include "app/state/edit.h"
#include "app/state/history.h"
#include "app/state/session.h"
#include "app/state/state_link.h"
#include "core/sheet/launch_sheet.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A folder of a state file, and one that is none of its business.
class TrustedFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "tilescope-trusted-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = fs::canonical(path);
    for (const char* name : {"sent/a.cu", "sent/data.bin", "mine/b.cu", "mine/key", "rungs/c.cu"}) {
      fs::create_directories((folder_ / name).parent_path());
      std::ofstream(folder_ / name) << "x";
    }
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  static std::string sheet_of(const std::string& buffer) {
    return json{{"entry", "f"}, {"grid", {1, 1, 1}}, {"args", {"in:" + buffer, "out:4"}}}.dump();
  }
  /// A state in which a kernel of one's own is shown.
  static json state_of(const std::string& file, const std::string& sheet) {
    AppState sent = initial_state();
    open_own_kernel(sent, {file, sheet});
    return json::parse(to_json(sent).dump());
  }
  AppState opened(const json& file, AppState here = initial_state()) const {
    std::ofstream(folder_ / "sent/state.json") << file.dump();
    std::string error;
    EXPECT_TRUE(open_state_file(here, at("sent/state.json"), &error)) << error;
    return here;
  }
  static std::vector<std::string> args(const AppState& state) {
    return sheet::sheet_of_text(state.edit.own()->sheet).args;
  }
  fs::path folder_;
};

TEST_F(TrustedFilesTest, WhatLiesBesideTheStateIsOpened) {
  const std::string sheet = sheet_of("data.bin");
  const AppState here = opened(state_of(at("sent/a.cu"), sheet));
  ASSERT_TRUE(here.edit.own());
  EXPECT_EQ(here.edit.own()->file, at("sent/a.cu"));
  EXPECT_EQ(here.edit.own()->sheet, sheet) << "as it stood";
  EXPECT_EQ(here.said, "");
}

TEST_F(TrustedFilesTest, AnotherFileAwaitsThePersonWhoOpensIt) {
  const std::string sheet = sheet_of("data.bin");
  AppState here = opened(state_of(at("mine/b.cu"), sheet));
  EXPECT_FALSE(here.edit.own());
  EXPECT_NE(here.said.find(at("mine/b.cu")), std::string::npos) << here.said;
  EXPECT_NE(here.said.find("Open a kernel"), std::string::npos) << here.said;
  open_own_kernel(here, {at("mine/b.cu"), ""});
  EXPECT_EQ(here.edit.own()->sheet, sheet) << "its buffer lies beside it";
}

TEST_F(TrustedFilesTest, NoWayLeadsOutOfTheFolder) {
  fs::create_symlink(at("mine"), at("sent/link"));
  fs::create_symlink(at("mine/b.cu"), at("sent/b.cu"));
  for (const std::string& file :
       {at("sent/../mine/b.cu"), at("sent/link/b.cu"), at("sent/b.cu"),
        at("sent/link/../mine/b.cu"), at("mine/b.cu") + std::string(1, '\0') + "/../../sent/a.cu",
        at("sent2/a.cu"), at("sent"), std::string("/dev/zero"), std::string("a.cu")}) {
    EXPECT_FALSE(lies_below(file, at("sent"))) << file;
    EXPECT_FALSE(opened(state_of(file, "")).edit.own()) << file;
  }
  EXPECT_TRUE(lies_below(at("sent/a.cu"), at("sent/")));
  EXPECT_TRUE(lies_below(at("sent/none/none.cu"), at("sent")));
  EXPECT_FALSE(lies_below(at("sent/a.cu"), ""));
}

TEST_F(TrustedFilesTest, WhatThePersonHasOpenedIsOpenedAgain) {
  const json file = state_of(at("mine/b.cu"), "");
  AppState before = initial_state();
  before.of<OwnRecent>().files = {at("mine/b.cu")};
  EXPECT_TRUE(opened(file, std::move(before)).edit.own());
  AppState with_folder = initial_state();
  with_folder.kernel_dir = at("mine");
  EXPECT_TRUE(opened(file, std::move(with_folder)).edit.own());
  // Nobody else says what was.
  json lying = file;
  lying["own_files"] = json::array({at("mine/b.cu")});
  const AppState here = opened(lying);
  EXPECT_FALSE(here.edit.own());
  EXPECT_TRUE(here.of<OwnRecent>().files.empty());
}

TEST_F(TrustedFilesTest, ASheetLosesTheFilesThatItMayNotName) {
  for (const std::string& buffer : {at("mine/key"), std::string("../mine/key")}) {
    const AppState here = opened(state_of(at("sent/a.cu"), sheet_of(buffer)));
    ASSERT_TRUE(here.edit.own());
    EXPECT_EQ(args(here), (std::vector<std::string>{"", "out:4"}));
    EXPECT_NE(here.said.find("mine/key"), std::string::npos) << here.said;
    EXPECT_NE(here.said.find("type that name"), std::string::npos) << here.said;
  }
  const json expecting = {{"entry", "f"},
                          {"args", {"out:4"}},
                          {"expect",
                           {{"files", {{"0", at("mine/key")}}},
                            {"kernel", {{"file", at("mine/b.cu")}, {"entry", "g"}}}}}};
  const AppState here = opened(state_of(at("sent/a.cu"), expecting.dump()));
  ASSERT_TRUE(here.edit.own());
  EXPECT_FALSE(sheet::sheet_of_text(here.edit.own()->sheet).expect);
}

TEST_F(TrustedFilesTest, NorDoPointsOfTheHistoryOpenOthers) {
  json file = state_of(at("sent/a.cu"), "");
  const auto point = [&](const std::string& path) {
    json one = file["edit"];
    one["own"] = {{"file", path}, {"sheet", ""}};
    return json{{"edit", one}, {"label", path}};
  };
  file["history"] = json::array({point(at("mine/b.cu")), point(at("sent/a.cu"))});
  file["pinned"] = json::array();
  file["pinned"].push_back({{"name", "theirs"}, {"point", point(at("mine/b.cu"))}});
  file["compare"] = {{"edit", point(at("mine/b.cu"))["edit"]}, {"name", "B"}};
  const AppState here = opened(file);
  ASSERT_EQ(here.history.size(), 1u);
  EXPECT_EQ(here.history[0].label, at("sent/a.cu"));
  EXPECT_TRUE(here.pinned.empty());
  const std::string whole = to_json(here).dump();
  EXPECT_EQ(whole.find("mine/b.cu"), whole.npos) << whole;
}

TEST_F(TrustedFilesTest, ATextAndALinkHaveNoFolder) {
  AppState here = initial_state();
  std::string error;
  ASSERT_TRUE(open_state_text(here, state_of(at("sent/a.cu"), "").dump(), &error)) << error;
  EXPECT_FALSE(here.edit.own());
  EXPECT_EQ(here.awaited.file, "a.cu");
  // A link of the kernel that is open: its launch becomes the sender's, but for others' files.
  AppState sent = initial_state();
  open_own_kernel(sent, {"/theirs/b.cu", sheet_of(at("sent/data.bin"))});
  AppState open = initial_state();
  open_own_kernel(open, {at("mine/b.cu"), ""});
  ASSERT_TRUE(open_link(open, link_of(sent, &error), &error)) << error;
  EXPECT_EQ(args(open)[0], "");
  EXPECT_NE(open.said.find("sent/data.bin"), std::string::npos) << open.said;
  // One that is awaited loses them when its file is opened.
  AppState later = initial_state();
  ASSERT_TRUE(open_link(later, link_of(sent, &error), &error)) << error;
  open_own_kernel(later, {at("mine/b.cu"), ""});
  EXPECT_EQ(args(later)[0], "");
  EXPECT_NE(later.said.find("sent/data.bin"), std::string::npos) << later.said;
}

TEST_F(TrustedFilesTest, ASessionIsThePersonsOwn) {
  const json file = state_of(at("mine/b.cu"), sheet_of(at("sent/data.bin")));
  std::ofstream(folder_ / "sent/session.json") << file.dump();
  std::string error;
  AppState session = initial_state(), kept = initial_state();
  ASSERT_TRUE(load_session(session, at("sent/session.json"), &error)) << error;
  ASSERT_TRUE(open_state_file(kept, at("sent/session.json"), &error, true)) << error;
  for (const AppState* state : {&session, &kept}) {
    ASSERT_TRUE(state->edit.own());
    EXPECT_EQ(args(*state)[0], "in:" + at("sent/data.bin"));
  }
}

}  // namespace
}  // namespace tilescope
