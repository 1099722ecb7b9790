// Files that are whole or not there, whatever ends the process that writes them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/files/base64.h"
#include "core/files/json_file.h"
#include "core/files/locked_file.h"
#include "core/files/whole_file.h"

namespace tilescope::files {
namespace {

namespace fs = std::filesystem;
using Lock = LockedFile::Lock;

struct Files : ::testing::Test {
  Files() {
    std::string name = ::testing::TempDir() + "files-XXXXXX";
    folder = ::mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder); }
  std::string at(const std::string& name) const { return folder + "/" + name; }
  size_t count() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  std::string folder;
};

TEST_F(Files, AreReadWithinALimit) {
  ASSERT_EQ(replace_file(at("a"), std::string("12\0"
                                              "45",
                                              5)),
            "");
  EXPECT_EQ(read_file(at("a"), 5), std::string("12\0"
                                               "45",
                                               5));
  std::string why_not;
  EXPECT_FALSE(read_file(at("a"), 4, &why_not));
  EXPECT_EQ(why_not, at("a") + " has 5 bytes; at most 4 are read.");
  EXPECT_FALSE(read_file(at("none"), 4, &why_not));
  EXPECT_EQ(why_not, at("none") + " cannot be read: No such file or directory.");
  EXPECT_FALSE(read_file(folder, 4, &why_not));
  EXPECT_EQ(why_not, folder + " cannot be read: Is a directory.");
  // The kernel says of these that they are empty.
  EXPECT_TRUE(read_file("/proc/self/status")->starts_with("Name:"));
  EXPECT_FALSE(read_file("/proc/self/status", 10, &why_not));
  EXPECT_EQ(why_not, "/proc/self/status has more than 10 bytes; at most 10 are read.");
}

TEST_F(Files, APipeIsReadToItsEnd) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  const std::string text(200'000, 'x');
  const pid_t writer = ::fork();
  if (writer == 0) ::_exit(replace_file(at("pipe"), text).empty() ? 0 : 1);
  EXPECT_EQ(read_file(at("pipe")), text);
  int status = -1;
  ::waitpid(writer, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_fifo(at("pipe"))) << "nothing took its place";
}

TEST(FileLines, OneThatWasCutIsOneToo) {
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_EQ(lines_of("a\n\nb\n"), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\nb"), (std::vector<std::string_view>{"a", "b"}));
}

TEST_F(Files, AreReplacedWithWhatTheyWere) {
  ASSERT_EQ(replace_file(at("real"), "old"), "");
  ASSERT_EQ(::chmod(at("real").c_str(), 0604), 0);
  fs::create_symlink("real", at("link"));
  ASSERT_EQ(replace_file(at("link"), "new"), "");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read_file(at("real")), "new");
  struct stat now {};
  ASSERT_EQ(::stat(at("real").c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 0777, 0604u);
  EXPECT_EQ(replace_file("/dev/null", "gone"), "");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(replace_file(at("no/such/file"), ""),
            at("no/such/file") + " cannot be written (No such file or directory).");
  EXPECT_EQ(count(), 2u) << "nothing is left beside them";
}

TEST_F(Files, AKilledWriterLeavesTheOldOneOrTheNewOne) {
  const std::string even(100'000, 'e'), odd(150'000, 'o');
  ASSERT_EQ(replace_file(at("a"), even), "");
  for (int round = 0; round < 30; ++round) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t writer = ::fork();
    if (writer == 0) {
      for (int i = 0;; ++i) {
        if (!replace_file(at("a"), i % 2 == 0 ? odd : even).empty()) ::_exit(1);
        if (::write(told[1], "x", 1) != 1) ::_exit(1);
      }
    }
    // It is killed in the midst of its second or third file, or of a later one.
    char one = 0;
    for (int i = 0; i <= round % 3; ++i) ASSERT_EQ(::read(told[0], &one, 1), 1);
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    ::close(told[0]), ::close(told[1]);
    const auto text = read_file(at("a"));
    ASSERT_TRUE(text == even || text == odd) << "round " << round;
  }
  ASSERT_EQ(replace_file(at("a.new"), "another's"), "");
  ASSERT_EQ(replace_file(at("a.new-1-0"), "left by a killed one, whatever became of the others"),
            "");
  remove_unfinished(at("a"));
  EXPECT_EQ(count(), 2u);
  EXPECT_TRUE(fs::exists(at("a")) && fs::exists(at("a.new")));
}

TEST_F(Files, OnesThatAreDamagedAreSetAsideEachByItsName) {
  std::vector<std::string> kept;
  for (const char* text : {"1", "2", "3"}) {
    ASSERT_EQ(replace_file(at("a"), text), "");
    kept.push_back(set_aside(at("a"), "damaged"));
    EXPECT_TRUE(kept.back().starts_with(at("a.damaged-"))) << kept.back();
    EXPECT_FALSE(fs::exists(at("a")));
  }
  EXPECT_EQ(count(), 3u);
  EXPECT_EQ(read_file(kept[0]), "1");
  EXPECT_EQ(read_file(kept[2]), "3");
  EXPECT_EQ(set_aside(at("none"), "damaged"), "");
  ASSERT_EQ(replace_file(at("b"), "file"), "");
  ASSERT_EQ(replace_file(at("b-log"), "log"), "");
  const std::string both = set_aside(at("b"), "damaged", {"-log", "-none"});
  EXPECT_EQ(read_file(both + "-log"), "log");
  EXPECT_FALSE(fs::exists(at("b-log")));
}

std::string nested(int depth) {
  return std::string(static_cast<size_t>(depth), '[') +
         std::string(static_cast<size_t>(depth), ']');
}

TEST(Json, IsAsDeepAsItMayBe) {
  EXPECT_TRUE(parse_json(nested(3), 3));
  EXPECT_FALSE(parse_json(nested(4), 3));
  EXPECT_TRUE(parse_json(R"({"a": [1, 2, {"b": 3}]})", 3));
  EXPECT_FALSE(parse_json(R"({"a": [1, 2, {"b": 3}]})", 2));
  EXPECT_TRUE(parse_json(R"(["[[", "\"[[{", "\\", "{"])", 1)) << "in strings stands what may";
  EXPECT_FALSE(parse_json(R"(["\\", [1]])", 1)) << "behind a string that ends in a backslash";
  EXPECT_TRUE(parse_json("7", 0)) << "a plain value is in nothing";
  EXPECT_FALSE(parse_json(nested(1'000'000)));
  EXPECT_FALSE(parse_json("{\"a\": "));
  EXPECT_FALSE(parse_json(""));
}

TEST_F(Files, OfJsonSayWhatIsWrong) {
  std::string why_not;
  ASSERT_EQ(replace_file(at("j"), R"({"a": 1})"), "");
  EXPECT_EQ(read_json(at("j"), {.bytes = 100})->at("a"), 1);
  EXPECT_FALSE(read_json(at("j"), {.bytes = 7}, &why_not));
  EXPECT_EQ(why_not, at("j") + " has 8 bytes; at most 7 are read.");
  ASSERT_EQ(replace_file(at("j"), nested(9)), "");
  EXPECT_FALSE(read_json(at("j"), {.bytes = 100, .depth = 8}, &why_not));
  EXPECT_EQ(why_not, at("j") + " is no valid JSON, or is nested deeper than 8 levels.");
}

TEST_F(Files, AreLockedWhileTheyAreHeld) {
  std::string why_not;
  auto first = LockedFile::open(at("a"), Lock::alone, &why_not);
  ASSERT_TRUE(first) << why_not;
  EXPECT_TRUE(is_held(at("a")));
  EXPECT_FALSE(LockedFile::open(at("a"), Lock::alone_or_none, &why_not));
  EXPECT_EQ(why_not, "") << "somebody has it: that is no failure";
  EXPECT_FALSE(LockedFile::open(at("a"), Lock::shared, &why_not));
  first.reset();
  EXPECT_FALSE(is_held(at("a")));
  EXPECT_FALSE(is_held(at("none")));
  auto one = LockedFile::open(at("a"), Lock::shared, &why_not);
  auto other = LockedFile::open(at("a"), Lock::shared_in_turn, &why_not);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->append_line("1"), "");
  EXPECT_EQ(other->append_line("2"), "");
  EXPECT_EQ(one->read_from(0), "1\n2\n");
  EXPECT_EQ(one->read_from(2), "2\n");
  // A line that a kill cut short costs itself alone.
  ASSERT_EQ(replace_file(at("a"), "1\n2"), "");
  auto again = LockedFile::open(at("a"), Lock::shared, &why_not);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->append_line("3"), "");
  EXPECT_EQ(again->read_from(0), "1\n2\n3\n");
  EXPECT_EQ(again->clear(), "");
  EXPECT_EQ(again->read_from(0), "");
  EXPECT_FALSE(LockedFile::open(at("no/such/file"), Lock::alone, &why_not));
  EXPECT_EQ(why_not, at("no/such/file") + " cannot be written (No such file or directory).");
}

TEST(Base64, RoundTrips) {
  for (size_t size = 0; size < 20; ++size) {
    std::vector<std::byte> bytes;
    for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(i * 37 + 250));
    const auto back = from_base64(base64(bytes));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, bytes);
    const std::string url = base64url(bytes);
    EXPECT_EQ(url.find_first_of("+/="), url.npos);
    EXPECT_EQ(from_base64url(url), bytes);
  }
  EXPECT_EQ(base64(std::as_bytes(std::span("Man", 3))), "TWFu");
  EXPECT_EQ(base64(std::as_bytes(std::span("Ma", 2))), "TWE=");
  EXPECT_EQ(base64url(std::as_bytes(std::span("Ma", 2))), "TWE");
  EXPECT_EQ(base64url(std::as_bytes(std::span("\xff\xfe", 2))), "__4");
  for (const char* bad : {"TWF", "TW=u", "T\nFu", "T===", "__4="})
    EXPECT_FALSE(from_base64(bad)) << bad;
  for (const char* bad : {"TWF=", "T", "TW+u"}) EXPECT_FALSE(from_base64url(bad)) << bad;
}

}  // namespace
}  // namespace tilescope::files
