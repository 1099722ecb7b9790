// Messages in another language: whole, with their values, and English where a file lacks them.
#include "core/language/language.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "app/features/lessons/lesson.h"

namespace tilescope {
namespace {

/// Back to English after each test.
class LanguageTest : public testing::Test {
 protected:
  void TearDown() override {
    record_messages(nullptr);
    use_language("en");
  }
};

TEST_F(LanguageTest, EnglishComesFirstAndEachHasAName) {
  ASSERT_GE(languages().size(), 2u);
  EXPECT_EQ(languages().front().id, "en");
  for (const LanguageName& one : languages()) {
    EXPECT_FALSE(one.name.empty()) << one.id;
    EXPECT_TRUE(use_language(one.id));
    EXPECT_EQ(language().id, one.id);
  }
  const uint64_t before = language_changes();
  EXPECT_FALSE(use_language("xx"));
  EXPECT_EQ(language_changes(), before);
}

TEST_F(LanguageTest, AMessageIsSaidWithItsValuesInTheOrderOfTheLanguage) {
  teach_language("zh-CN", {{"{} of {} tests", "{1} 个测试中的 {0} 个"}, {"tests", "测试"}});
  EXPECT_EQ(wording("{} of {} tests", 3, 7), "3 of 7 tests");
  ASSERT_TRUE(use_language("zh-CN"));
  EXPECT_EQ(wording("{} of {} tests", 3, 7), "7 个测试中的 3 个");
  EXPECT_STREQ(tr("tests"), "测试");
  EXPECT_EQ(wording("only {} in English", "tests"), "only 测试 in English");
  // Somebody's kernel of that name keeps it.
  EXPECT_EQ(wording("only {} in English", std::string("tests")), "only tests in English");
  EXPECT_STREQ(tr("nothing of this is in any file"), "nothing of this is in any file");
}

TEST_F(LanguageTest, AFilesMistakeCostsTheTranslationAlone) {
  teach_language("zh-CN", {{"{} broken", "{} {} 坏"}, {"{:.1f} wrong", "{:d} 错"}});
  ASSERT_TRUE(use_language("zh-CN"));
  EXPECT_EQ(wording("{} broken", 1), "1 broken");
  EXPECT_EQ(wording("{:.1f} wrong", 1.25), "1.2 wrong");
}

TEST_F(LanguageTest, WhatImGuiKnowsByItsLabelKeepsItsName) {
  teach_language("zh-CN", {{"Press me", "按我"}});
  EXPECT_STREQ(tr_id("Press me"), "Press me");
  ASSERT_TRUE(use_language("zh-CN"));
  EXPECT_STREQ(tr_id("Press me"), "按我###Press me");
  EXPECT_STREQ(tr_id("Press me##here"), "按我##here");
  EXPECT_STREQ(tr_id("##here"), "##here");
}

TEST_F(LanguageTest, ItIsChangedWhileOthersSaySomething) {
  teach_language("zh-CN", {{"{} and {}", "{} 和 {}"}});
  std::atomic<bool> end = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!end) {
        const std::string said = wording("{} and {}", 1, 2);
        if (said != "1 and 2" && said != "1 和 2") ++wrong;
      }
    });
  }
  for (int i = 0; i < 2000; ++i) use_language(i % 2 ? "en" : "zh-CN");
  end = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(LanguageTest, LessonsAreSaidInEachLanguageThatHasFilesOfThem) {
  for (const Lesson& lesson : lessons()) {
    ASSERT_TRUE(use_language("zh-CN"));
    EXPECT_NE(translated(lesson.title), lesson.title) << lesson.id;
    for (const LessonStep& step : lesson.steps) {
      if (!step.prompt.empty()) {
        EXPECT_NE(translated(step.prompt), step.prompt) << lesson.id;
      }
    }
  }
}

TEST_F(LanguageTest, WhatIsLookedUpCanBeListed) {
  std::set<std::string> seen;
  record_messages(&seen);
  wording("{} is listed", 1);
  tr("so is this");
  record_messages(nullptr);
  tr("and this is not");
  EXPECT_EQ(seen, (std::set<std::string>{"{} is listed", "so is this"}));
}

}  // namespace
}  // namespace tilescope
