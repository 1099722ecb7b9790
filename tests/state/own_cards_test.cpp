// The cards that somebody has added: a file that comes back as it was, whoever wrote it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "app/common/own_cards.h"
#include "app/state/device.h"
#include "app/state/edit.h"
#include "core/files/whole_file.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class OwnCards : public testing::Test {
 protected:
  OwnCards() { fs::create_directories(folder_); }
  ~OwnCards() override {
    model::set_own_devices({});
    fs::remove_all(folder_);
  }
  static model::OwnDevice card(const std::string& name, int sms) {
    model::OwnDevice one = model::device_like(model::known_devices()[2]);
    one.name = name;
    model::device_fields()[1].set(one.row, sms);
    return one;
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("tilescope-cards-" + std::to_string(getpid()));
  const std::string file_ = (folder_ / kCardsFile).string();
};

TEST_F(OwnCards, ComeBackFromTheirFile) {
  EXPECT_EQ(read_own_cards(file_), "") << "none is there yet";
  EXPECT_EQ(add_own_card(card("One", 10), file_), "");
  EXPECT_EQ(add_own_card(card("Two", 20), file_), "");
  EXPECT_EQ(add_own_card(card("One", 30), file_), "") << "in place of the one of its name";
  model::set_own_devices({});
  EXPECT_EQ(read_own_cards(file_), "");
  ASSERT_EQ(model::own_devices().size(), size_t{2});
  EXPECT_EQ(model::find_device("One")->limits.sm_count, 30);
  EXPECT_EQ(model::find_device("Two")->limits.sm_count, 20);
  EXPECT_STREQ(model::own_devices()[0].like.c_str(), model::known_devices()[2].name);
  EXPECT_EQ(forget_own_card("One", file_), "");
  model::set_own_devices({});
  EXPECT_EQ(read_own_cards(file_), "");
  EXPECT_EQ(model::own_devices().size(), size_t{1});
}

TEST_F(OwnCards, WhatCannotBeWrittenChangesNothing) {
  EXPECT_EQ(add_own_card(card("", 10), file_), "The card needs a name.");
  const std::string nowhere = (folder_ / "none" / kCardsFile).string();
  EXPECT_NE(add_own_card(card("One", 10), nowhere).find("cannot be written"), std::string::npos);
  EXPECT_TRUE(model::own_devices().empty());
}

TEST_F(OwnCards, AFileThatCouldNotBeReadIsKept) {
  for (const char* text :
       {"[{\"name\": \"half", "{}", "[{\"name\": \"X\", \"like\": \"a card to come\"}]"}) {
    ASSERT_EQ(files::replace_file(file_, text), "");
    EXPECT_NE(read_own_cards(file_), "") << text;
    ASSERT_EQ(add_own_card(card("One", 10), file_), "");
    size_t kept = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      kept += files::read_file(entry.path().string()).value_or("") == text ? 1u : 0u;
    }
    EXPECT_EQ(kept, 1u) << text;
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    model::set_own_devices({});
  }
}

TEST_F(OwnCards, TheEmulatorHasTheLimitsOfTheChosenOne) {
  AppState state = initial_state();
  ASSERT_EQ(add_own_card(card("Small one", 7), ""), "");
  choose_gpu_of_emulator(state, "Small one");
  EXPECT_EQ(state.limits.sm_count, 7);
  // Gone, it is the usual one again.
  EXPECT_EQ(forget_own_card("Small one", ""), "");
  derive(state);
  EXPECT_EQ(state.view.gpu, model::device_table().front().name);
}

// Any text in the file: a sentence or fewer cards, never an end of the program.
TEST_F(OwnCards, AnyFileIsTakenOrTold) {
  ASSERT_EQ(add_own_card(card("One", 10), file_), "");
  const std::string whole = files::read_file(file_).value_or("");
  std::mt19937 random(3);
  const char* numbers[] = {"1e308", "-1", "0.5", "\"x\"",
                           "null",  "[]", "{}",  "99999999999999999999"};
  const int files = std::getenv("TILESCOPE_ALL") ? 2000 : 400;  // each is synced
  for (int i = 0; i < files; ++i) {
    std::string text = whole;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
      const size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text[at] = static_cast<char>(random() % 128);
      } else if (const size_t colon = text.find(": ", at); colon != std::string::npos) {
        const size_t end = text.find_first_of(",\n", colon);
        text.replace(colon + 2, end - colon - 2, numbers[random() % std::size(numbers)]);
      }
    }
    ASSERT_EQ(files::replace_file(file_, text), "");
    model::set_own_devices({});
    const std::string said = read_own_cards(file_);
    for (const model::OwnDevice& one : model::own_devices()) {
      ASSERT_EQ(model::why_no_device(one), "") << text;
    }
    ASSERT_TRUE(!said.empty() || model::own_devices().size() <= 1) << text;
  }
}

}  // namespace
}  // namespace tilescope
