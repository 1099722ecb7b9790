// Request → source → PTX and cubin.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine_support.h"
#include "tests/every_kernel.h"
#include "tests/sampled.h"
#include "worker/engine/compile/cubin.h"
#include "worker/engine/compile/included_headers.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/compile/revision.h"
#include "worker/engine/error.h"

namespace tilescope::worker {
namespace {

TEST(Source, EmbeddedSourcesEqualTheFiles) {
  int count = 0;
  for (const KernelSource& source : kernel_sources()) {
    // The kernel of the tests lies among their fixtures.
    std::string text = file_text(std::string(TILESCOPE_SOURCE_DIR "/") + source.name);
    if (text.empty()) {
      text = file_text(std::string(TILESCOPE_SOURCE_DIR "/tests/fixtures/") + source.name);
    }
    EXPECT_EQ(source.text, text.substr(0, text.find("\n/* Mistakes that tests plant")))
        << source.name;
    ++count;
  }
  EXPECT_GE(count, 15);
}

TEST(Source, EntryHoldsNoLogic) {
  const KernelRequest request = default_request("mma_multistage", 256, 192, 320);
  const std::string text = entry_source(request, *find_kernel("mma_multistage"));
  EXPECT_NE(text.find("#include \"kernels/11_mma_multistage.cuh\""), text.npos);
  EXPECT_NE(text.find(".block_m = 128,"), text.npos);
  EXPECT_NE(text.find(".type_a = ElementType::f16,"), text.npos);
  EXPECT_NE(text.find("__launch_bounds__(128, 1)"), text.npos);
  EXPECT_NE(text.find("mma_multistage<kTile, kSpec>(args);"), text.npos);
}

TEST(Source, ProblemsOfOneSpecializationShareTheirSource) {
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  KernelRequest other = default_request("mma_multistage", 1024, 2048, 4096);
  other.problem.alpha = 2.0f;
  EXPECT_EQ(entry_source(default_request("mma_multistage", 256, 256, 256), kernel),
            entry_source(other, kernel));
  EXPECT_NE(entry_source(default_request("mma_multistage", 256, 256, 257), kernel),
            entry_source(other, kernel));
}

TEST(Source, EveryFieldOfTheSpecializationIsWritten) {
  // Compiled and compared in layout_on_device_test; here only that none is left out.
  KernelRequest request = default_request("mma_multistage", 100, 100, 100);
  request.problem.beta = 0.5f;
  const std::string text = entry_source(request, *find_kernel("mma_multistage"));
  EXPECT_NE(text.find(".reads_c = true,"), text.npos);
  EXPECT_NE(text.find(".edge_k = true,"), text.npos);
  EXPECT_NE(text.find(".order_b = Order::column_major,"), text.npos);
}

TEST(Source, KernelDirOverridesOneFile) {
  TemporaryFolder folder;
  const std::string file = file_text(TILESCOPE_SOURCE_DIR "/kernels/01_naive.cuh");
  std::ofstream(folder.path() + "/01_naive.cuh") << file << "// changed\n";
  const auto headers = included_headers("#include \"kernels/01_naive.cuh\"\n", folder.path());
  ASSERT_FALSE(headers.empty());
  // Of the mistakes that tests plant the compiler sees nothing; of what stands behind them it does.
  EXPECT_EQ(headers[0].text,
            file.substr(0, file.find("\n/* Mistakes that tests plant")) + "// changed\n");
  const SourceRequest with{"#include \"kernels/01_naive.cuh\"\n", folder.path(), kDefaultArch};
  const SourceRequest without{"#include \"kernels/01_naive.cuh\"\n", {}, kDefaultArch};
  EXPECT_NE(test_compiler().key(with), test_compiler().key(without));
}

// Files of one's own beside a kernel's, in folders below it and above those: a change of any is a
// new kernel.
TEST(Source, EveryIncludedFileIsPartOfTheKey) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() + "/part");
  const auto write = [&](int near_value, int far_value, int farther_value) {
    std::ofstream(folder.path() + "/near.h")
        << "#include \"part/far.h\"\nconstexpr int kNear = " << near_value << ";\n";
    std::ofstream(folder.path() + "/part/far.h")
        << "#pragma once\n#include \"../farther.h\"\n#include \"of_the_folder.h\"\n"
        << "constexpr int kFar = " << far_value << ";\n";
    std::ofstream(folder.path() + "/farther.h")
        << "#pragma once\nconstexpr int kFarther = " << farther_value << ";\n";
  };
  std::ofstream(folder.path() + "/of_the_folder.h") << "constexpr int kNone = 0;\n";
  std::ofstream(folder.path() + "/mine.cuh")
      << "#include \"near.h\"\n"
      << "extern \"C\" __global__ void k(int* p) { *p = kNear + kFar + kFarther + kNone; }\n";
  const SourceRequest source{"#include \"kernels/mine.cuh\"\n", folder.path(), kDefaultArch};
  const auto holds = [&](int value) {
    return test_compiler().compile(source)->result.ptx.find(std::to_string(value)) !=
           std::string::npos;
  };
  write(10000, 2000, 300);
  EXPECT_TRUE(holds(12300));
  write(20000, 2000, 300);
  EXPECT_TRUE(holds(22300));
  write(20000, 5000, 300);
  EXPECT_TRUE(holds(25300));
  write(20000, 5000, 700);
  EXPECT_TRUE(holds(25700));
}

TEST(Source, TwoFilesOfOneNameAreRefused) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() + "/part");
  std::ofstream(folder.path() + "/same.h") << "#include \"part/more.h\"\n";
  std::ofstream(folder.path() + "/part/more.h") << "#include \"same.h\"\n";
  std::ofstream(folder.path() + "/part/same.h") << "constexpr int kOther = 1;\n";
  std::ofstream(folder.path() + "/mine.cuh") << "#include \"same.h\"\n";
  try {
    included_headers("#include \"kernels/mine.cuh\"\n", folder.path());
    FAIL();
  } catch (const RpcError& error) {
    EXPECT_NE(error.message.find("included as \"same.h\""), std::string::npos) << error.message;
  }
}

TEST(Compile, EveryKernelFoldsToRegisters) {
  for (const KernelEntry& kernel : kernel_table()) {
    const auto compiled =
        test_compiler().compile(default_request(kernel.info.id, 1024, 1024, 1024), "sm_90");
    const CompileResult& result = compiled->result;
    EXPECT_NE(result.ptx.find(std::string(".visible .entry ") + kEntryName), std::string::npos);
    // A layout function that did not fold leaves an array in local memory, or a table in global.
    EXPECT_EQ(result.ptx.find(".local"), std::string::npos) << kernel.info.id;
    EXPECT_EQ(normalized_ptx(result.ptx).find("\n.global"), std::string::npos) << kernel.info.id;
    EXPECT_GT(result.registers, 8) << kernel.info.id;
    EXPECT_LE(result.registers, 255) << kernel.info.id;
    EXPECT_EQ(result.spill_bytes, 0) << kernel.info.id;
    EXPECT_EQ(result.arch, arch_of(kernel, "sm_90"));
    EXPECT_EQ(result.revision.size(), 32u);
    EXPECT_GT(result.compile_ms, 0);
    EXPECT_FALSE(compiled->cubin.empty());
    RecordProperty(std::string("compile_ms_") + kernel.info.id, std::to_string(result.compile_ms));
  }
}

TEST(Compile, LocalMemoryIsSeenWithoutAGpu) {
  const auto compiled = test_compiler().compile(
      SourceRequest{"extern \"C\" __global__ void __launch_bounds__(1024) k(float* p, int* at) {\n"
                    "  float v[96];\n"
                    "  for (int i = 0; i < 96; ++i) v[i] = p[i * 7];\n"
                    "  p[0] = v[at[0]] + v[at[1]];\n}\n",
                    {},
                    kDefaultArch});
  EXPECT_LE(compiled->result.registers, 64);
  EXPECT_GE(compiled->result.spill_bytes, 96 * 4);
}

TEST(Compile, ErrorsCarryTheUsersOwnLineNumbers) {
  TemporaryFolder folder;
  std::string text = file_text(TILESCOPE_SOURCE_DIR "/kernels/01_naive.cuh");
  const size_t at = text.find("float sum[1] = {};");
  ASSERT_NE(at, text.npos);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
  text.insert(at, "nonsense ");
  std::ofstream(folder.path() + "/01_naive.cuh") << text;
  try {
    test_compiler().compile(default_request("naive", 64, 64, 64), "sm_90", folder.path());
    FAIL() << "compiled";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, 4);
    const std::string place = "01_naive.cuh(" + std::to_string(line) + ")";
    EXPECT_NE(error.message.find(place), std::string::npos) << error.message;
    EXPECT_NE(error.data.at("log").get<std::string>().find(place), std::string::npos);
  }
}

TEST(Compile, CanBeCancelled) {
  const std::atomic<bool> cancelled = true;
  KernelRequest request = default_request("thread_tile_2d", 96, 96, 96);
  Compiler fresh({"", 0, 4});
  try {
    fresh.compile(request, "sm_90", {}, &cancelled);
    FAIL() << "not cancelled";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.code, kCancelled);
  }
}

TEST(Compile, IsStoppedAtItsLimitOfTime) {
  Compiler hurried({"", 0, 4, 1e-3});
  try {
    hurried.compile(default_request("thread_tile_2d", 96, 96, 96), "sm_90");
    FAIL() << "not stopped";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, 4);
    EXPECT_NE(error.message.find("does not compile within 0.001 s"), std::string::npos)
        << error.message;
  }
}

TEST(Compile, MissingLibraryIsOneSentence) {
  setenv("TILESCOPE_NVRTC", "/nonexistent/libnvrtc.so", 1);
  try {
    Nvrtc::open();
    FAIL() << "opened";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, 3);
    EXPECT_NE(error.message.find("/nonexistent/libnvrtc.so"), std::string::npos);
    EXPECT_NE(error.message.find("install"), std::string::npos);
  }
  unsetenv("TILESCOPE_NVRTC");
}

TEST(Compile, TargetsThatNvrtcDoesNotList) {
  const std::vector<int> listed = {75, 80, 90, 120};
  EXPECT_EQ(choose_target("sm_90", listed, "13.0").arch, "sm_90");
  EXPECT_TRUE(choose_target("sm_90", listed, "13.0").cubin);
  EXPECT_EQ(choose_target("sm_89", listed, "13.0").arch, "compute_80");
  EXPECT_EQ(choose_target("sm_130", listed, "13.0").arch, "compute_120");
  EXPECT_FALSE(choose_target("sm_130", listed, "13.0").cubin);
  EXPECT_THROW(choose_target("sm_60", listed, "13.0"), RpcError);
  EXPECT_THROW(choose_target("ninety", listed, "13.0"), RpcError);
}

TEST(Compile, IllegalTilesAreRefusedWithASentence) {
  KernelRequest request = default_request("mma_multistage", 1024, 1024, 1024);
  request.tile.warp_m = 0;  // would divide by zero in the plan
  try {
    require_legal(request, DeviceLimits{});
    FAIL() << "admitted";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, 2);
    EXPECT_EQ(error.data.at("field"), "warp_m");
    EXPECT_TRUE(error.message.ends_with(".")) << error.message;
  }
  request.kernel = "none";
  EXPECT_THROW(require_legal(request, DeviceLimits{}), RpcError);
}

TEST(Revision, IgnoresDebugInformation) {
  const std::string bare = ".version 9.0\n.target sm_90\n.entry k() {\n\tret;\n}\n";
  const std::string with =
      "// comment\n.version 9.0\n.target sm_90, debug\n.entry k() {\n\t.loc 1 2 0\n$L__tmp0:\n"
      "  ret;  // done\n}\n\t.file 1 \"/elsewhere/k.cu\"\n\t.section .debug_str\n\t{\n"
      "$L__info_string0:\n.b8 1,2\n\t}\n";
  EXPECT_EQ(normalized_ptx(bare), normalized_ptx(with));
  EXPECT_EQ(ptx_revision(bare), ptx_revision(with));
  EXPECT_NE(ptx_revision(bare), ptx_revision(".entry k() {\n\texit;\n}\n"));
}

TEST(Revision, IsTheSameWithAndWithoutLineInformation) {
  const auto nvrtc = test_compiler().nvrtc();
  for (const KernelEntry* entry : sampled(kernels_of_table(), 4)) {
    const KernelEntry& kernel = *entry;
    Nvrtc::Input input;
    input.text = entry_source(default_request(kernel.info.id, 96, 96, 96), kernel);
    input.headers = included_headers(input.text, {});
    input.cubin = false;
    input.options = {"-std=c++20", "-default-device", "-arch=compute_90"};
    const auto bare = nvrtc->compile(input);
    input.options.push_back("-lineinfo");
    const auto with = nvrtc->compile(input);
    ASSERT_TRUE(bare.ok && with.ok);
    EXPECT_NE(bare.ptx, with.ptx);
    EXPECT_EQ(normalized_ptx(bare.ptx), normalized_ptx(with.ptx)) << kernel.info.id;
  }
}

TEST(Cubin, RejectsWhatIsNone) {
  EXPECT_FALSE(read_cubin({}));
  std::vector<std::byte> noise(4096, std::byte{0x7f});
  EXPECT_FALSE(read_cubin(noise));
  // Every prefix of a real one is read without a fault.
  const auto compiled = test_compiler().compile(default_request("naive", 64, 64, 64), "sm_90");
  for (size_t size = 0; size < compiled->cubin.size(); size += 97) {
    read_cubin(std::span(compiled->cubin).first(size));
  }
  EXPECT_TRUE(read_cubin(compiled->cubin));
}

// The packing pass stands in the same cubin, and wants more registers than a kernel of 1,024
// threads may have.
TEST(Cubin, ResourcesAreThoseOfTheGemm) {
  KernelRequest request = default_request("mma_multistage", 127, 129, 65);
  request.tile = {.block_m = 64, .block_n = 256, .block_k = 16, .warp_m = 16, .warp_n = 32};
  request.tile.stages = 2, request.tile.swizzle = true;
  const KernelEntry& kernel = *find_kernel("mma_multistage");
  ASSERT_TRUE(packs_any(kernel.specialization(request.tile, request.problem)));
  const Launch launch = kernel.launch(request.tile, request.problem);
  ASSERT_EQ(launch.threads, 1024);
  // Once compiled, once from the disk.
  for (int i = 0; i < 2; ++i) {
    const auto compiled =
        Compiler({.cache_folder = TILESCOPE_TEST_CACHE}).compile(request, "sm_90");
    EXPECT_LE(compiled->result.registers * launch.threads, DeviceLimits{}.registers_per_sm);
    EXPECT_GT(read_cubin(compiled->cubin)->registers, compiled->result.registers);
    EXPECT_EQ(read_cubin(compiled->cubin, kEntryName)->registers, compiled->result.registers);
    EXPECT_EQ(read_cubin(compiled->cubin, "nobody")->registers,
              read_cubin(compiled->cubin)->registers);
  }
}

}  // namespace
}  // namespace tilescope::worker
