// What the checks offer as a cure is one: whoever follows it finds the line clean. And where lines
// are at fault, each is told of once, what warps do to each other first.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "changed_kernel.h"
#include "engine_support.h"
#include "tests/every_kernel.h"
#include "tests/sampled.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/emulate/check.h"
#include "worker/engine/emulate/cure.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/emulate/run_launch.h"
#include "worker/engine/error.h"
#include "worker/messages/findings.h"

namespace tilescope::worker {
namespace {

constexpr const char* kBarrier = "__syncthreads();";

/// The PTX as the sentence says that it should be; empty if it offers nothing that is known here.
std::string followed(const std::string& ptx, const std::string& sentence) {
  const auto matched = [&](const char* pattern, std::smatch& m) {
    return std::regex_search(sentence, m, std::regex(pattern));
  };
  std::vector<std::string> lines;
  std::istringstream in(ptx);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const auto line = [&](const std::string& number) -> std::string& {
    return lines.at(std::stoul(number) - 1);
  };
  std::smatch m;
  if (matched("put (bar\\.(?:warp\\.)?sync -?[0-9]+) .*before PTX line ([0-9]+).*: tried", m)) {
    line(m[2]) = m[1].str() + "; " + line(m[2]);
  } else if (matched("put bar.sync 0 .* behind the wait at PTX line ([0-9]+)( .*)?: tried", m) &&
             sentence.find("copies") == sentence.npos) {
    line(m[1]) += " bar.sync 0;";
  } else if (matched("make it (cp\\.async\\.wait_group [0-9]+) in place of [0-9]+ at PTX line "
                     "([0-9]+)",
                     m)) {
    line(m[2]) = m[1].str() + ";";
  } else {
    return {};
  }
  std::string text;
  for (const std::string& l : lines) text += l + "\n";
  return text;
}

/// Each `__syncthreads();` of a kernel's own file.
std::vector<size_t> barriers_of(const KernelEntry& kernel) {
  const std::string path = std::string(TILESCOPE_SOURCE_DIR "/kernels/") + kernel.file;
  std::vector<size_t> all;
  if (!std::filesystem::exists(path)) return all;
  const std::string text = file_text(path);
  for (size_t at = text.find(kBarrier); at != text.npos; at = text.find(kBarrier, at + 1)) {
    all.push_back(at);
  }
  return all;
}

/// What the checks say of a PTX whose entry k takes a buffer: the first error, its cure with it.
std::string error_of(const std::string& body) {
  const std::string ptx =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 data[2560];\n"
      ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<20>;\n"
      ".reg .f32 %f<8>;\n.reg .b64 %rd<10>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n" +
      body + "ret;\n}\n";
  const auto parsed = emulator::Program::parse(ptx);
  if (parsed.index() != 0) return "no PTX: " + std::get<1>(parsed).front().message;
  const auto run = [](const emulator::Program& program) {
    emulator::Memory memory;
    const uint64_t out = memory.allocate("out", 4096);
    emulator::Launch launch{{1, 1, 1}, {128, 1, 1}, 0, {}};
    launch.parameters.resize(8);
    std::memcpy(launch.parameters.data(), &out, sizeof out);
    emulator::RunOptions options;
    options.check = true;
    return emulator::run(program, "k", launch, memory, options);
  };
  const std::shared_ptr<const emulator::Program> program = std::get<0>(parsed);
  emulator::RunResult ran = run(*program);
  tell_cures(ran, *program, ptx, [&](const std::string& text, uint64_t) {
    return run(*std::get<0>(emulator::Program::parse(text)));
  });
  for (const emulator::Finding& f : ran.findings) {
    if (!f.remark) return f.fault.message;
  }
  return {};
}

const std::string kStoreAll =
    "mov.u32 %r2, %r1;\nmov.u32 %r3, data;\n"
    "more:\nshl.b32 %r4, %r2, 2;\nadd.s32 %r4, %r4, %r3;\nst.shared.u32 [%r4], %r2;\n"
    "add.s32 %r2, %r2, 128;\nsetp.lt.u32 %p0, %r2, 640;\n@%p0 bra more;\n";

TEST(Cures, AFenceIsPutBetweenStoresAndABulkCopy) {
  const auto body = [](const std::string& fence) {
    return kStoreAll + fence +
           "bar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra done;\n"
           "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [data], 2048;\n"
           "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\ndone:\n";
  };
  const std::string said = error_of(body(""));
  EXPECT_NE(said.find("put fence.proxy.async.shared::cta before PTX line "), said.npos) << said;
  EXPECT_NE(said.find(": tried, the checks find nothing here then."), said.npos) << said;
  EXPECT_EQ(error_of(body("fence.proxy.async.shared::cta;\n")), "");
}

TEST(Cures, AWaitIsPutBeforeSumsAreUsed) {
  const auto body = [](const std::string& wait) {
    return kStoreAll +
           "fence.proxy.async.shared::cta;\nbar.sync 0;\nmov.f32 %f0, 0f00000000;\n"
           "mov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\n"
           "mov.u32 %r5, data;\ncvt.u64.u32 %rd2, %r5;\nshr.u64 %rd2, %rd2, 4;\n"
           "add.s64 %rd3, %rd2, " +
           std::to_string(uint64_t{64} << 16 | uint64_t{8} << 32) + ";\nadd.s64 %rd4, %rd2, " +
           std::to_string(uint64_t{128} | uint64_t{8} << 16 | uint64_t{8} << 32) + ";\n" +
           "wgmma.fence.sync.aligned;\n"
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd3, %rd4, "
           "1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n" +
           wait +
           "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd5, %rd5, %rd1;\nst.global.f32 [%rd5], %f0;\n";
  };
  const std::string said = error_of(body(""));
  EXPECT_NE(said.find("put wgmma.wait_group.sync.aligned 0 before PTX line "), said.npos) << said;
  EXPECT_EQ(error_of(body("wgmma.wait_group.sync.aligned 0;\n")), "");
}

TEST(Cures, OfferedForAMissingBarrierTheyCure) {
  size_t offered = 0;
  for (const KernelEntry* entry : sampled(kernels_of_table(), 6)) {
    const KernelEntry& kernel = *entry;
    // The barrier behind an mbarrier's making has no cure that is offered.
    if (kernel.info.only_sm != 0) continue;
    for (const size_t at : sampled(barriers_of(kernel), 2, seed_of(kernel.info.id))) {
      const Changed changed(kernel.file, kBarrier, "", at);
      const KernelRequest request = default_request(kernel.info.id, 300, 290, 532);
      const std::string ptx = changed.ptx(request);
      std::set<std::pair<std::string, int>> lines;
      std::map<std::string, CheckResult> after;  // by the text of who followed
      bool lanes_came = false;
      for (const CodeFinding& f : check_classes(request, kernel, ptx, {}).findings) {
        SCOPED_TRACE(kernel.file + std::string(", line ") + std::to_string(changed.line()) + ": " +
                     f.message);
        EXPECT_TRUE(lines.emplace(f.kind, f.line).second) << "told of already";
        const bool lanes = f.message.find("race between lanes") != f.message.npos;
        EXPECT_TRUE(lanes || f.kind != "race" || !lanes_came) << "behind what is between lanes";
        lanes_came = lanes_came || lanes;
        if (f.kind == "cta_conflict") continue;
        EXPECT_NE(f.message.find(": tried, the checks find nothing here then."), f.message.npos);
        EXPECT_EQ(f.message.find("__syncwarp"), f.message.npos) << "warps wait for each other";
        const std::string text = followed(ptx, f.message);
        if (text.empty()) continue;
        ++offered;
        const auto [it, is_new] = after.try_emplace(text);
        if (is_new) it->second = check_classes(request, kernel, text, {});
        for (const CodeFinding& left : it->second.findings) {
          EXPECT_NE(left.line, f.line) << "still: " << left.message;
        }
      }
    }
  }
  EXPECT_GT(offered, std::getenv("TILESCOPE_ALL") ? 40u : 3u);
}

TEST(Cures, TheMissingBarrierOfRungFiveIsAllWarps) {
  const Changed changed("05_thread_tile_2d.cuh", "    }\n    __syncthreads();", "    }");
  const KernelRequest request = default_request("thread_tile_2d", 256, 256, 256);
  const std::string ptx = changed.ptx(request);
  const CheckResult checks = check_classes(request, kernel_of(request), ptx, {});
  EXPECT_EQ(checks.findings.size(), 4u) << "two copies, two loads";
  for (const CodeFinding& f : checks.findings) {
    EXPECT_NE(f.message.find("race: "), f.message.npos) << f.message;
    EXPECT_EQ(f.message.find("tilescope_gemm.cu"), f.message.npos) << f.message;
    EXPECT_GT(f.count, 1u);
  }
  // All that runs is looked at: the run's own sentence offers it, too.
  EmulateOptions options;
  options.check = true;
  try {
    emulate(request, kernel_of(request), ptx, options);
    FAIL() << "no fault";
  } catch (const RpcError& error) {
    EXPECT_NE(error.message.find("put bar.sync 0 (__syncthreads) before PTX line"),
              error.message.npos)
        << error.message;
    EXPECT_EQ(error.message, error.data.at("findings")[0].at("message"));
  }
}

TEST(Cures, AWaitThatIsTooLenientIsToldItsCount) {
  const Changed changed("11_mma_multistage.cuh", "cp_async_wait<kStages - 2>();",
                        "cp_async_wait<kStages - 1>();");
  const KernelRequest request = default_request("mma_multistage", 128, 128, 512);
  const std::string ptx = changed.ptx(request);
  const CheckResult checks = check_classes(request, kernel_of(request), ptx, {});
  ASSERT_FALSE(checks.findings.empty());
  for (const CodeFinding& f : checks.findings) {
    const std::string text = followed(ptx, f.message);
    ASSERT_NE(text, "") << f.message;
    EXPECT_NE(f.message.find("make it cp.async.wait_group 1 in place of 2"), f.message.npos)
        << f.message;
    for (const CodeFinding& left : check_classes(request, kernel_of(request), text, {}).findings) {
      EXPECT_NE(left.line, f.line) << left.message;
    }
  }
}

// Any PTX: %r0 is the thread, %r5 its word of shared memory, %r6 that of the lane beside it, %r7
// that of the other warp.
nlohmann::ordered_json findings_of(const std::string& body) {
  RunRequest request;
  request.check = true;
  request.launch.entry = "k";
  request.launch.block = {64, 1, 1};
  request.launch.ptx = body;
  return run_launch(request, nullptr).document.at("findings");
}
std::string kernel_text(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .pred "
         "%p<9>;\n.reg .b32 %r<20>;\n.shared .align 16 .b8 s[4096];\nmov.u32 %r0, %tid.x;\nmov.u32 "
         "%r4, s;\nshl.b32 %r5, %r0, 2;\nadd.u32 %r5, %r5, %r4;\nxor.b32 %r6, %r5, 4;\nxor.b32 "
         "%r7, "
         "%r5, 128;\nsetp.gt.u32 %p1, %r0, 31;\n" +
         body + "ret;\n}\n";
}
/// Follows each sentence's own offer, which must be there and have these words.
void expect_cured(const std::string& body, const std::string& words) {
  const std::string ptx = kernel_text(body);
  const auto findings = findings_of(ptx);
  EXPECT_FALSE(findings.empty()) << body;
  for (const auto& f : findings) {
    const std::string sentence = f.at("message");
    EXPECT_NE(sentence.find(words), sentence.npos) << body << sentence;
    const std::string text = followed(ptx, sentence);
    ASSERT_NE(text, "") << body << sentence;
    for (const auto& left : findings_of(text)) {
      EXPECT_NE(left.at("ptx_line"), f.at("ptx_line")) << left.at("message");
    }
  }
}

TEST(Cures, AreAsSmallAsTheyMayBe) {
  const std::string write = "st.shared.u32 [%r5], %r0;\n", load = "ld.shared.u32 %r9, ";
  expect_cured(write + load + "[%r6];\n", "put bar.warp.sync -1 (__syncwarp) before PTX line 17");
  expect_cured(write + load + "[%r7];\n", "put bar.sync 0 (__syncthreads) before PTX line 17");
}

TEST(Cures, StandWhereAllThreadsCome) {
  // One warp alone reads: a barrier in its branch would wait for ever.
  expect_cured("st.shared.u32 [%r5], %r0;\n@!%p1 bra END;\nld.shared.u32 %r9, [%r7];\nEND:\n",
               "put bar.sync 0 (__syncthreads) before PTX line 17");
}

TEST(Cures, AreNotOfferedWhereNoneHelps) {
  for (const char* body : {
           // Both warps store to one word in one instruction: none can stand between.
           "and.b32 %r8, %r5, 124;\nst.shared.u32 [%r8], %r0;\n",
           // The one warp has left.
           "@%p1 ret;\nst.shared.u32 [%r5], %r0;\nadd.u32 %r9, %r10, 1;\n",
       }) {
    const auto findings = findings_of(kernel_text(body));
    ASSERT_FALSE(findings.empty());
    for (const auto& f : findings) {
      const std::string sentence = f.at("message");
      EXPECT_EQ(sentence.find("put "), sentence.npos) << sentence;
      EXPECT_EQ(sentence.find("tried"), sentence.npos) << sentence;
    }
  }
}

}  // namespace
}  // namespace tilescope::worker
