// Sentences of the worker, the emulator and sheets in the window's language: every part of them is
// said in it, values stay, and what has no form stays as it is.
#include "core/language/retold.h"

#include <gtest/gtest.h>

#include <atomic>
#include <regex>
#include <thread>
#include <vector>

#include "core/language/language.h"
#include "core/language/told.h"
#include "core/workload/layer.h"
#include "worker/messages/findings.h"
#include "worker/messages/verification.h"

namespace tilescope {
namespace {

class RetoldTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(use_language("zh-CN")); }
  void TearDown() override { use_language("en"); }
};

/// English that a sentence has left: words that no name, instruction or option is.
bool has_english(const std::string& text) {
  static const std::regex kWords(
      R"(\b(the|of|is|are|with|which|and|that|at|to|follows|between|line|has|have|its|was|not)\b)");
  return std::regex_search(text, kWords);
}

TEST_F(RetoldTest, WholeSentencesAreSaidInTheLanguageWithTheirValues) {
  struct Case {
    const char* english;
    std::vector<const char*> values;
  };
  const Case cases[] = {
      {"CTA (0, 0, 0), warp 1, lane 3: race: a write of shared memory at 0x40 follows warp 2's "
       "read "
       "with no barrier between that both pass, at PTX line 60 (sgemm.cu:52).",
       {"CTA (0, 0, 0)", "0x40", "warp 2", "60 (sgemm.cu:52)"}},
      {"CTA (0, 0, 0), warp 1, lane 3: race: a read of shared memory at 0x40 of CTA (1, 0, 0) "
       "follows the products of warps 4 to 7 of CTA (1, 0, 0)'s write at PTX line 61 with no "
       "barrier between that both pass, at PTX line 60; put bar.sync 0 (__syncthreads) before PTX "
       "line 12 (k.cu:3): tried, the checks find nothing here then.",
       {"CTA (1, 0, 0)", "61", "60", "bar.sync 0 (__syncthreads)", "12 (k.cu:3)"}},
      {"CTA (0, 0, 0), warp 0, lane 0: an 8-byte load from global memory at 0x100000010 ('A' + 16, "
       "which has 1024 bytes) is out of bounds, at PTX line 5.",
       {"8", "0x100000010", "'A' + 16", "1024"}},
      {"CTA (0, 0, 0), warp 0, lane 0: waits at a barrier that can never complete (deadlock): warp "
       "0 waits at barrier 0 at PTX line 12, where 32 of 64 threads have arrived; warp 1 has left; "
       "let all that are counted reach one barrier, at PTX line 12.",
       {"warp 0", "32", "64", "warp 1"}},
      {"Lanes 0, 8, 16, 24 hit bank 3 with different words: 4 wavefronts where 1 would do (4,096 "
       "where 1,024 in all); XOR the chunk with the row, or pad each row by one word, at PTX line "
       "88 (k.cu:9).",
       {"0, 8, 16, 24", "4,096", "1,024", "88 (k.cu:9)"}},
      {"C[3, 4] is wrong: Row 3 of A belongs here, and it is row 5. A came by 12; B came by 13. "
       "Followed to k = 16 of 64.",
       {"C[3, 4]", "3", "5", "12", "13", "16", "64"}},
      {"Kernel faulted: illegal address in mma_sync. GPU process restarted; your session is "
       "intact.",
       {"mma_sync"}},
      {"The emulator needs 6.0 GB of memory for A, B and C, and it may take 2.0 GB; choose a "
       "smaller problem, or allow more with --max-memory GB.",
       {"6.0 GB", "2.0 GB", "--max-memory GB"}},
      {"Argument 2 (i32:4): has 4 bytes; the parameter float a has 8; write f32:VALUE.",
       {"i32:4", "float a", "f32:VALUE"}},
  };
  for (const Case& one : cases) {
    const std::string said = retold(one.english);
    EXPECT_NE(said, one.english);
    EXPECT_FALSE(has_english(said)) << said;
    for (const char* value : one.values) {
      EXPECT_NE(said.find(value), said.npos) << value << " is not in " << said;
    }
  }
}

TEST_F(RetoldTest, AStopBelongsToTheSentenceNotToItsForm) {
  const std::string why = "tokens 0 is out of range; choose 1 to 1,048,576";
  EXPECT_NE(retold(why), why);
  EXPECT_EQ(retold(why + "."), retold(why) + "。");
}

TEST_F(RetoldTest, WhatHasNoFormStays) {
  for (const char* text : {"", "sgemm.cu", "my kernel of 2025", "x.cu(12): error: expected a ;",
                           "0 of 64", "名字 of somebody", "...", "."}) {
    EXPECT_EQ(retold(text), text);
  }
  // A name is nobody's sentence, whatever stands around it.
  EXPECT_NE(retold("The PTX has no kernel a_read_of_it.").find("a_read_of_it"), std::string::npos);
  use_language("en");
  EXPECT_EQ(retold("The PTX could not be read."), "The PTX could not be read.");
}

TEST_F(RetoldTest, AMessageIsSaidAsEver) {
  teach_language("zh-CN", {{"this is taught", "学"}});
  EXPECT_EQ(retold("this is taught"), "学");
}

TEST_F(RetoldTest, EveryFormFitsItself) {
  for (const ToldList& list : {told_by_emulator(), told_by_origins(), told_by_worker(),
                               told_by_card(), told_by_files(), told_by_sheets()}) {
    for (const Told& told : list.sentences) {
      std::string sentence = told.english;
      for (size_t at = sentence.find("{}"); at != sentence.npos; at = sentence.find("{}")) {
        sentence.replace(at, 2, "7");
      }
      EXPECT_NE(retold(sentence), sentence);
    }
  }
}

TEST_F(RetoldTest, OddTextsHarmNothing) {
  // Braces are a value's own, and what separates values may stand in one.
  for (const char* name :
       {"{}", "{0}{", "}{1:d}{", "a; b; c", "x; y: z, w", "%s%n", "\x80\xff", "'"}) {
    const std::string sentence = std::string("The PTX has no kernel ") + name + ".";
    const std::string said = retold(sentence);
    EXPECT_NE(said, sentence);
    EXPECT_NE(said.find(name), said.npos) << said;
  }
  EXPECT_EQ(retold("{} {0} {:d} }{"), "{} {0} {:d} }{");
  EXPECT_EQ(retold(std::string("a \0 b", 5)), std::string("a \0 b", 5));
  // Many values: what is deeper than sentences are nested stays in English.
  std::string many = "No CTA can go on (deadlock): nobody";
  for (int i = 0; i < 200; ++i) many += "; warp " + std::to_string(i) + " has left";
  many += "; let somebody set what is waited for.";
  const std::string said = retold(many);
  EXPECT_NE(said, many);
  EXPECT_NE(said.find("warp 199"), said.npos);
  // A log is no sentence.
  std::string log;
  while (log.size() < 64u << 10) log += "a read of shared memory at {}; ";
  EXPECT_EQ(retold(log), log);
  EXPECT_EQ(retold("The PTX has no kernel " + log + "."), "The PTX has no kernel " + log + ".");
}

TEST_F(RetoldTest, WhatStaysAsItIsIsNotCopied) {
  const std::string form = "The PTX has no kernel sgemm.", name = "my kernel of a long, long year";
  std::string room;
  EXPECT_NE(retold(form, room), form);
  EXPECT_EQ(retold(form, room), retold(form));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(retold(name, room).data(), name.data());
  use_language("en");
  std::string none;
  EXPECT_EQ(retold(form, none).data(), form.data());
  EXPECT_TRUE(none.empty());
}

TEST_F(RetoldTest, WhatWasKeptIsOfTheLanguageThatIsChosen) {
  const std::string form = "The PTX has no kernel sgemm.", said = retold(form);
  use_language("en");
  EXPECT_EQ(retold(form), form);
  use_language("zh-CN");
  EXPECT_EQ(retold(form), said);
  // More of them than are kept.
  for (int i = 0; i < 1'500; ++i) {
    const std::string name = std::string(1000, 'k') + std::to_string(i);
    ASSERT_NE(retold("The PTX has no kernel " + name + ".").find(name), std::string::npos);
  }
  EXPECT_EQ(retold(form), said);
}

TEST_F(RetoldTest, AWhyNotOfALayerIsSaid) {
  workload::Layer layer;
  layer.tokens = 0;
  const std::string why = why_not(layer);
  ASSERT_FALSE(why.empty());
  EXPECT_FALSE(has_english(retold(why))) << retold(why);
}

TEST_F(RetoldTest, WordsOfDataAreMadeInTheLanguage) {
  worker::Verification v{.ok = true, .elements = 128, .of = 1024, .ctas = 4, .of_ctas = 1024};
  EXPECT_FALSE(has_english(right_words(v))) << right_words(v);
  EXPECT_NE(right_words(v).find("1,024"), std::string::npos);
  v.none = {.nan = 1, .infinite = 2, .untouched = 3, .row = 8, .col = 9};
  EXPECT_FALSE(has_english(error_words(v))) << error_words(v);
  EXPECT_NE(worker::finding_word("race"), "racy");
  EXPECT_NE(worker::finding_word("partial_warp"), "partial warp");
  EXPECT_EQ(worker::finding_word("never_heard_of"), "never heard of");
  use_language("en");
  EXPECT_EQ(right_words(v), "4 of 1,024 CTAs right so far");
}

TEST_F(RetoldTest, SeveralThreadsMaySayItWhileTheLanguageChanges) {
  std::atomic<bool> end = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      // New ones, too, which are matched with all forms.
      for (int n = 0; !end; ++n) {
        EXPECT_FALSE(retold("The run was cancelled.").empty());
        const std::string name = std::to_string(n);
        EXPECT_NE(retold("The PTX has no kernel " + name + ".").find(name), std::string::npos);
      }
    });
  }
  for (int i = 0; i < 500; ++i) use_language(i % 2 ? "en" : "zh-CN");
  end = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tilescope
