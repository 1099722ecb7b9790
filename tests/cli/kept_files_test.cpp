// doctor about the files that the window and the command line keep: what is damaged is named, and
// mended by --repair; what is not ours to change stays.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;

/// A folder of the configuration, in which files are as no program leaves them.
class KeptFiles : public testing::Test {
 protected:
  KeptFiles() : folder_(scratch_folder() + "/config") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/tilescope/states");
    std::filesystem::create_directories(folder_ + "/tilescope/results");
    setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  }
  ~KeptFiles() override {
    unsetenv("XDG_CONFIG_HOME");
    std::filesystem::remove_all(folder_);
  }
  std::string path(const std::string& name) const { return folder_ + "/tilescope/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string text(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// file (or what it is, where all of its kind are whole) → its row
  static std::map<std::string, json> rows(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"doctor", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::map<std::string, json> found;
    for (const json& row : run_cli(arguments).json()) {
      found[row["state"] == "ok" ? row["what"].get<std::string>()
                                 : std::filesystem::path(row["version"].is_string()
                                                             ? row["version"].get<std::string>()
                                                             : row["what"].get<std::string>())
                                       .filename()
                                       .string()] = row;
    }
    return found;
  }
  std::string folder_;
};

TEST_F(KeptFiles, DamagedOnesAreNamedAndSetAsideAlone) {
  write("session.json", "{\"tilescope\": 1, \"edit\": {");
  write("window.json", R"({"version": 1, "theme": "light"})");
  write("cards.json", "{}");
  write("states/newer.json", R"({"tilescope": 99})");
  write("states/mine.json", R"({"tilescope": 1})");
  write("states/none.json", R"({"shapes": 1})");
  write("session.json.new-1-1", "half");
  write("crash-1.txt", "signal 11");
  write("results/store.sqlite", "no database");
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(30);
  std::filesystem::last_write_time(path("session.json.new-1-1"), long_ago);

  std::map<std::string, json> found = rows();
  for (const char* name :
       {"session.json", "cards.json", "none.json", "session.json.new-1-1", "store.sqlite"}) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_EQ(found[name]["state"], "degraded");
    const std::string fix = found[name]["fix"];
    EXPECT_NE(fix.find("tilescope-cli doctor --repair mends it."), fix.npos) << fix;
  }
  EXPECT_NE(found["newer.json"]["fix"].get<std::string>().find("newer"), std::string::npos);
  EXPECT_NE(found["crash-1.txt"]["fix"].get<std::string>().find("report"), std::string::npos);
  EXPECT_EQ(found["settings"]["state"], "ok");
  EXPECT_EQ(found["state"]["version"], "1 file in " + folder_ + "/tilescope");
  EXPECT_EQ(text("session.json"), "{\"tilescope\": 1, \"edit\": {")
      << "doctor alone changes nothing";

  found = rows({"--repair"});
  const std::string session = found["session.json"]["fix"];
  EXPECT_NE(session.find("It is set aside as session.json.corrupt-"), session.npos) << session;
  const std::string store = found["store.sqlite"]["fix"];
  EXPECT_NE(store.find("it is kept as store.sqlite.damaged-"), store.npos) << store;
  EXPECT_FALSE(std::filesystem::exists(path("session.json")));
  EXPECT_FALSE(std::filesystem::exists(path("session.json.new-1-1")));
  EXPECT_EQ(text("window.json"), R"({"version": 1, "theme": "light"})");
  EXPECT_EQ(text("states/newer.json"), R"({"tilescope": 99})") << "not ours to change";
  EXPECT_EQ(text("states/mine.json"), R"({"tilescope": 1})");

  found = rows();
  EXPECT_FALSE(found.contains("session.json"));
  EXPECT_FALSE(found.contains("cards.json"));
  EXPECT_FALSE(found.contains("store.sqlite"));
  EXPECT_EQ(found["own results"]["state"], "ok");
}

// Whatever a disk makes of a file, it is whole, damaged or newer; and what is damaged goes at once.
TEST_F(KeptFiles, ChangedAtRandomAreReadOrSetAside) {
  std::mt19937 random(32);
  const std::string whole =
      R"({"tilescope": 1, "edit": {"kernel": "naive", "size": [64, 64, 64]}})";
  constexpr int kFiles = 300;
  for (int i = 0; i < kFiles; ++i) {
    std::string text = whole;
    for (unsigned n = random() % 4; n > 0; --n) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) text.resize(random() % text.size());
    write("states/" + std::to_string(i) + ".json", text);
  }
  rows({"--repair"});
  const std::map<std::string, json> found = rows();
  size_t left = 0, aside = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("states"))) {
    const std::string name = entry.path().filename().string();
    left += name.ends_with(".json"), aside += name.find(".corrupt-") != std::string::npos;
  }
  EXPECT_EQ(left + aside, static_cast<size_t>(kFiles)) << "nothing is lost";
  EXPECT_GT(aside, 20u);
  EXPECT_GT(left, 20u);
  for (const auto& [name, row] : found) {
    if (row["what"] != "state" || row["state"] == "ok") continue;
    EXPECT_NE(row["fix"].get<std::string>().find("newer"), std::string::npos) << row;
  }
}

TEST_F(KeptFiles, OfAnotherMachineAreNotMendedFromHere) {
  const CliResult r = run_cli({"doctor", "--repair", "--device", "ssh:gpu1"});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("gpu1 is another one"), std::string::npos) << r.err;
}

}  // namespace
}  // namespace tilescope
