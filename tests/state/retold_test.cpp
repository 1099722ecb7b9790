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

TEST_F(RetoldTest, DetailsInsideOfThemAreSaidToo) {
  struct Case {
    const char *english, *said;
  };
  const Case cases[] = {
      {"There is no tensor map of A: the stride of 24 bytes of dimension 1 is no multiple of 16 "
       "below 2^40; choose another tile or layout.",
       "无法为 A 建立张量映射(tensor map)：第 1 维的步长 24 字节不是小于 2^40 的 16 "
       "的倍数；请选其他分块或布局。"},
      {"Argument 3 (tensormap:0:f16:64x64:64x64): the tensor map cannot be: the box's first "
       "dimension has 256 bytes, above the swizzle's 128.",
       "参数 3（tensormap:0:f16:64x64:64x64）：张量映射(tensor map)不成立：box 的第一维为 256 "
       "字节，超过混洗(swizzle)的 128 字节。"},
      {"CTA (0, 0, 0), warp 0, lane 0: the tensor map that lies there is illegal: the box's size "
       "300 of dimension 0 is not within 1 to 256, at PTX line 9.",
       "CTA (0, 0, 0)，warp 0，lane 0：该处的张量映射(tensor map)不合法：box 在第 0 维的大小 300 "
       "不在 1 至 256 之内，位于 PTX 第 9 行。"},
      {"CTA (0, 0, 0), warp 0, lane 0: a bulk copy to shared memory at 0x40 is misaligned; align "
       "the box in shared memory to 128 bytes, at PTX line 9.",
       "CTA (0, 0, 0)，warp 0，lane 0：到共享内存的批量拷贝未对齐，地址 0x40；请将共享内存中的 box "
       "按 128 字节对齐，位于 PTX 第 9 行。"},
      {"PTX line 7: expected a register name, found the end of the text.",
       "PTX 第 7 行：应为寄存器名，却是文本末尾。"},
      {"PTX line 7: expected '}', found ';'.", "PTX 第 7 行：应为'}'，却是';'。"},
      {"PTX line 3: the initialiser 'x' of 'table' is neither a number nor an address.",
       "PTX 第 3 行：'table' 的初始值 'x' 既不是数字也不是地址。"},
      {"PTX line 4: operand 2 of 'add.u32' is the 64-bit register %rd1, which fits no form of it "
       "that the emulator knows: the nearest is 'add.u32 r32, r32, r32'.",
       "PTX 第 4 行：'add.u32' 的第 2 个操作数是 64 位寄存器 "
       "%rd1，与模拟器所知的任何形式都不符：最接近的是 'add.u32 r32, r32, r32'。"},
      {"PTX line 4: the instruction 'mul.wide.f32' is not known to the emulator; the nearest that "
       "it knows is 'mul.f32', without .wide.",
       "PTX 第 4 行：模拟器不认识指令 'mul.wide.f32'；它认识的最接近的是 'mul.f32'，去掉 .wide。"},
      {"The motion 'ptx:x' is not one: a PTX line must be a number from 0 to 100000000.",
       "'ptx:x' 不是一种步进：PTX 行号必须是 0 至 100000000 的数字。"},
      {"The motion 'touched:' is not one: it needs a place: BUFFER+OFFSET:BYTES, s+OFFSET:BYTES or "
       "C[ROW,COLUMN].",
       "'touched:' 不是一种步进：需要一个位置：BUFFER+OFFSET:BYTES、s+OFFSET:BYTES 或 "
       "C[ROW,COLUMN]。"},
      {"There is nowhere to stop: line 12 of k.cu has no instruction of this kernel; the nearest "
       "that have one: 9 and 14.",
       "无处可停：k.cu 第 12 行没有此 kernel 的指令；最近的有指令的行：9 和 14。"},
      {"There is nowhere to stop: no instruction of this kernel, at that PTX line, touches shared "
       "memory.",
       "无处可停：此 kernel 在该 PTX 行没有指令访问共享内存。"},
      {"There is nowhere to stop: the kernel has no loop.", "无处可停：kernel 没有循环。"},
      {"The search for devices had no answer of NVIDIA's driver within 20 s and was ended: the "
       "driver or the card hangs. See whether nvidia-smi answers; if it does not, reset the card "
       "or reboot. Meanwhile take --device emulator, which needs neither; "
       "TILESCOPE_DRIVER_LIMIT=SECONDS allows a slow driver more.",
       "搜索设备时 NVIDIA 驱动在 20 秒内没有应答，已被结束：驱动或显卡挂起。请查看 nvidia-smi "
       "是否有应答；若没有，请重置显卡或重启。其间可用 --device "
       "emulator，它两者都不需要；TILESCOPE_DRIVER_LIMIT=SECONDS 可让较慢的驱动有更多时间。"},
      {"The driver, which supports CUDA 12.0, does not compile it for NVIDIA H200: "
       "CUDA_ERROR_UNSUPPORTED_PTX_VERSION; update the driver.",
       "驱动支持 CUDA 12.0，无法为 NVIDIA H200 "
       "编译：CUDA_ERROR_UNSUPPORTED_PTX_VERSION；请更新驱动。"},
      {"The driver failed to launch the probe: CUDA_ERROR_UNKNOWN; nvidia-smi shows how the card "
       "is.",
       "驱动启动探测程序失败：CUDA_ERROR_UNKNOWN；nvidia-smi 可显示显卡状态。"},
      {"Thread 3, value 1, by the map D[0,1], holds D[8,1]; expected D[0,1]",
       "线程 3，值 1，按映射为 D[0,1]，其值为 D[8,1]；应为 D[0,1]"},
  };
  for (const Case& c : cases) EXPECT_EQ(retold(c.english), c.said);
}

TEST_F(RetoldTest, AStopBelongsToTheSentenceNotToItsForm) {
  const std::string why = "tokens 0 is out of range; choose 1 to 1,048,576";
  EXPECT_NE(retold(why), why);
  EXPECT_EQ(retold(why + "."), retold(why) + "。");
}

// What a program has printed is not ours to say otherwise, whatever it looks like.
TEST_F(RetoldTest, WordsInQuotationMarksStayAsTheyAre) {
  for (const char* words : {"terminate called, with 3 threads", "cancelled", "a list of x"}) {
    const std::string english =
        std::string("The emulator was ended by signal 6 (Aborted) during ") +
        "\"trace\", saying \"" + words + "\". It was restarted; your session is intact.";
    const std::string said = retold(english);
    EXPECT_NE(said, english);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  }
}

TEST_F(RetoldTest, ARanksOwnSentenceIsSaidInsideOfItsName) {
  EXPECT_EQ(retold("Rank 1 of 2 (cuda:1) failed: The worker is closing."),
            "2 个 rank 中的 rank 1（cuda:1）失败：" + retold("The worker is closing."));
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
                               told_by_card(), told_by_files(), told_by_sheets(), told_by_ptx(),
                               told_by_tensor_maps(), told_by_steps(), told_by_probes()}) {
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
