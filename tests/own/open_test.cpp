// Files of somebody's own, opened: compiled, described, or refused in a sentence.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "core/sheet/guess_sheet.h"
#include "worker/engine/compile/nvrtc.h"
#include "worker/engine/error.h"
#include "worker/engine/own/open_own.h"

namespace tilescope::worker {
namespace {
namespace fs = std::filesystem;

bool has_nvrtc() {
  try {
    return Nvrtc::open() != nullptr;
  } catch (const RpcError&) {
    return false;
  }
}

/// A folder, and no nvcc that would help out.
class OpenOwn : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TILESCOPE_NVCC", "/nowhere/nvcc", 1);
    std::string path = (fs::temp_directory_path() / "tilescope-own-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override {
    fs::remove_all(folder_);
    unsetenv("TILESCOPE_NVCC");
  }
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path file = folder_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }
  static OpenAnswer open(const OpenRequest& request) { return open_own(request, nullptr); }
  static void refused(const OpenRequest& request, const std::string& part, int code = 2) {
    try {
      open(request);
      ADD_FAILURE() << request.file << " was taken";
    } catch (const RpcError& error) {
      EXPECT_EQ(error.exit_code, code) << error.message;
      EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
    }
  }
  fs::path folder_;
};
#define NEED_NVRTC() \
  if (!has_nvrtc()) GTEST_SKIP() << "needs NVRTC"

std::string source_file(const char* name) {
  return std::string(TILESCOPE_OWN_SOURCES) + "/" + name;
}

const OpenedKernel& kernel_of(const OpenAnswer& answer, const std::string& name) {
  std::vector<sheet::Signature> all;
  for (const OpenedKernel& k : answer.kernels) all.push_back(k.signature);
  return answer.kernels[sheet::find_kernel(all, name)];
}

TEST_F(OpenOwn, AnSgemmWithItsHeadersAndLaunches) {
  NEED_NVRTC();
  const OpenAnswer a = open({source_file("sgemm.cu")});
  EXPECT_EQ(a.kind, "cu");
  EXPECT_EQ(a.files.size(), 5u);
  EXPECT_EQ(a.launches.size(), 4u);
  EXPECT_EQ(a.kernels.size(), 4u) << "one plain, three instances that are launched";
  const OpenedKernel& k = kernel_of(a, "sgemm2DBlocktiling<128,128,8,8,8>");
  EXPECT_TRUE(k.in_the_way.empty());
  EXPECT_EQ(sheet::text_of(k.signature),
            "sgemm2DBlocktiling<128, 128, 8, 8, 8>(int M, int N, int K, float alpha, float const* "
            "A, float const* B, float beta, float* C)");
  EXPECT_EQ(k.signature.most_block, (sheet::Extent{256, 1, 1}));
  EXPECT_EQ(k.guess.block, (sheet::Extent{256, 1, 1}));
  EXPECT_NE(a.ptx.find("2d_blocktiling.cuh"), std::string::npos)
      << "lines are those of the headers";
}

TEST_F(OpenOwn, OthersInForeignStyles) {
  NEED_NVRTC();
  const OpenAnswer wmma = open({source_file("wmma.cu")});
  ASSERT_EQ(wmma.kernels.size(), 1u);
  EXPECT_TRUE(wmma.kernels[0].in_the_way.empty());
  EXPECT_EQ(wmma.kernels[0].signature.parameters[0].name, "d_A");
  const OpenAnswer globals = open({source_file("globals.cu")});
  ASSERT_EQ(globals.kernels.size(), 2u);
  const OpenedKernel& weigh = kernel_of(globals, "weigh");
  EXPECT_EQ(weigh.signature.parameters[1].name, "in");
  EXPECT_EQ(weigh.signature.parameters[1].cpp, "float const*");
  EXPECT_TRUE(weigh.signature.dynamic_shared);
  EXPECT_EQ(weigh.guess.shared, 512u);
  EXPECT_EQ(weigh.guess.grid, (sheet::Extent{4, 1, 1}));
  EXPECT_EQ(open({source_file("race.cu")}).kernels.size(), 1u);
}

// For a card: with its code, and the registers of each kernel in it.
TEST_F(OpenOwn, ACubinIsMadeWhereItIsAskedFor) {
  NEED_NVRTC();
  OpenRequest request{source_file("sgemm.cu")};
  const OpenAnswer without = open(request);
  EXPECT_TRUE(without.cubin.empty());
  EXPECT_EQ(without.kernels[0].registers, 0);
  request.with_cubin = true;
  const OpenAnswer with = open(request);
  EXPECT_EQ(with.ptx, without.ptx) << "the same code";
  EXPECT_FALSE(with.cubin.empty());
  for (const OpenedKernel& k : with.kernels) {
    EXPECT_GT(k.registers, 0) << k.signature.entry;
    EXPECT_LE(k.registers, 255) << k.signature.entry;
  }
  EXPECT_NE(kernel_of(with, "sgemm_naive").registers,
            kernel_of(with, "sgemm2DBlocktiling<128, 128, 8, 8, 8>").registers)
      << "each its own";
  request.arch = "sm_99";  // that no NVRTC lists: the driver makes its code
  EXPECT_TRUE(open(request).cubin.empty());
}

TEST_F(OpenOwn, AnInstanceThatNoLaunchHas) {
  NEED_NVRTC();
  OpenRequest request{source_file("sgemm.cu")};
  request.entry = "sgemm_shared_block<16>";
  EXPECT_EQ(kernel_of(open(request), "sgemm_shared_block<16>").signature.demangled,
            "sgemm_shared_block<16>");
  refused({write("t.cu", "template <int N> __global__ void f(float* a) { a[0] = N; }")},
          "f<int N>");
}

TEST_F(OpenOwn, HeadersThatItSurvives) {
  NEED_NVRTC();
  std::string text;
  for (const char* name : {"iostream",
                           "vector",
                           "cstdio",
                           "cstdlib",
                           "cassert",
                           "cuda_runtime.h",
                           "cuda.h",
                           "cublas_v2.h",
                           "mma.h",
                           "cuda_fp16.h",
                           "cuda_bf16.h",
                           "cuda_pipeline.h",
                           "cooperative_groups.h",
                           "string",
                           "map",
                           "chrono",
                           "random",
                           "cstdint",
                           "cmath",
                           "algorithm",
                           "memory",
                           "thread",
                           "stdint.h",
                           "time.h",
                           "helper_cuda.h",
                           "omp.h"}) {
    text += std::string("#include <") + name + ">\n";
  }
  const OpenAnswer a =
      open({write("all.cu", text + "using namespace std;\n__global__ void f(uint32_t* a, __half b) "
                                   "{ assert(a); a[0] = 1; printf(\"%d\", 2); }\n")});
  ASSERT_EQ(a.kernels.size(), 1u);
  EXPECT_TRUE(a.kernels[0].in_the_way.empty()) << a.kernels[0].in_the_way[0].message;
}

TEST_F(OpenOwn, DefinesFoldersAndTextInPlaceOfTheFile) {
  NEED_NVRTC();
  write("include/size.cuh", "#define SIZE 7\n");
  OpenRequest request{write("d.cu", "nothing")};
  request.source = "#include <size.cuh>\n__global__ void f(float* a) { a[0] = SIZE + MORE; }\n";
  request.include_folders = {(folder_ / "include").string()};
  request.defines = {"MORE=2"};
  EXPECT_EQ(open(request).kernels.size(), 1u);
}

TEST_F(OpenOwn, ErrorsHaveTheUsersLine) {
  NEED_NVRTC();
  refused(
      {write(
          "e.cu",
          "#include <iostream>\nint main() {\n}\n__global__ void f(float* a) {\n  a[0] = b;\n}\n")},
      "e.cu(5): error: identifier \"b\" is undefined; nvcc, which takes host code too, is not on "
      "this machine",
      4);
  // What is not needed may be missing; it is said.
  const OpenAnswer without =
      open({write("h.cu", "#include \"in/h.cuh\"\n__global__ void g() {}\n")});
  EXPECT_NE(without.log.find("in/h.cuh"), std::string::npos) << without.log;
}

TEST_F(OpenOwn, TexturesHaveASentenceOfTheirOwn) {
  const std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f(.param .u64 t)\n{\n"
      ".reg .b64 %rd<2>;\n.reg .f32 %f<5>;\n.reg .b32 %r<3>;\nld.param.u64 %rd1, [t];\n"
      "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r2}];\nret;\n}\n";
  const OpenAnswer a = open({write("t.ptx", text)});
  ASSERT_EQ(a.kernels.size(), 1u);
  ASSERT_FALSE(a.kernels[0].in_the_way.empty());
  const std::string& why = a.kernels[0].in_the_way[0].message;
  EXPECT_NE(why.find("is of a texture or a surface"), std::string::npos) << why;
}

TEST_F(OpenOwn, HostileFilesEndInASentence) {
  refused({(folder_ / "none.cu").string()}, "cannot be read");
  refused({write("empty.cu", "")}, "is empty");
  refused({write("host.cu", "int main() { return 0; }")}, "has no kernel");
  refused({write("x.cubin", std::string("\x7f"
                                        "ELF\x02\x01\x01\0\0",
                                        9))},
          "is machine code");
  refused({write("x.bin", std::string("ab\0cd", 5))}, "is no text");
  write("circle.cu", "#include \"a.cuh\"\n__global__ void f() {}");
  write("a.cuh", "#include \"b.cuh\"\n");
  write("b.cuh", "#include \"a.cuh\"\n");
  refused({(folder_ / "circle.cu").string()}, "a.cuh includes b.cuh includes a.cuh again");
  // With a guard it is no circle.
  write("b.cuh", "#pragma once\n#include \"a.cuh\"\n");
  if (has_nvrtc()) {
    EXPECT_EQ(open({(folder_ / "circle.cu").string()}).kernels.size(), 1u);
  }
  OpenRequest cu{write("really.ptx", "#include <x>\n__global__ void f() {}\n")};
  cu.only = "ptx";
  refused(cu, "is CUDA C++, not PTX; give it with --cu");
}

TEST_F(OpenOwn, ManyAndLargeFilesAreRefused) {
  std::string all = "__global__ void f() {}\n";
  for (int i = 0; i < 4100; ++i) {
    write("many/h" + std::to_string(i) + ".cuh", "#pragma once\n");
    all += "#include \"many/h" + std::to_string(i) + ".cuh\"\n";
  }
  refused({write("many.cu", all)}, "more than 4000 files");
  for (int i = 0; i < 70; ++i) {
    write("deep/h" + std::to_string(i) + ".cuh",
          "#include \"h" + std::to_string(i + 1) + ".cuh\"\n");
  }
  refused({write("deep.cu", "#include \"deep/h0.cuh\"\n__global__ void f() {}")}, "deeper than 60");
  std::string large = "__global__ void f() {}\n";
  large.resize(100'000'000, ' ');
  refused({write("large.cu", large)}, "at most 8388608 are read");
}

// What the emulator does not know of a PTX is told all at once.
TEST_F(OpenOwn, AllThatIsInTheWay) {
  const std::string ptx = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry good(.param .f32 a, .param .u64 .ptr .global .align 16 b)
.maxntid 64, 2, 1
{
  ret;
}
.visible .entry bad(.param .align 8 .b8 s[24])
{
  tcgen05.wait::ld.sync.aligned;
  fizzle.f32 1;
  multimem.red.add.global.u32 [s], 1;
  ret;
}
)";
  const OpenAnswer a = open({write("two.ptx", ptx)});
  ASSERT_EQ(a.kernels.size(), 2u);
  EXPECT_EQ(a.kernels[0].signature.parameters[0].ptx, ".f32");
  EXPECT_EQ(a.kernels[0].signature.parameters[1].ptx, ".u64");
  EXPECT_EQ(a.kernels[0].signature.most_block, (sheet::Extent{64, 2, 1}));
  EXPECT_EQ(a.kernels[1].signature.parameters[0].ptx, ".b8");
  const auto& way = a.kernels[1].in_the_way;
  ASSERT_EQ(way.size(), 3u);
  EXPECT_EQ(way[0].opcode, "tcgen05.wait::ld.sync.aligned");
  EXPECT_EQ(way[0].ptx_line, 11);
  EXPECT_NE(way[0].message.find("Blackwell's tcgen05, which the emulator does not have yet"),
            std::string::npos);
  EXPECT_EQ(way[1].opcode, "fizzle.f32");
  EXPECT_NE(way[2].message.find("several GPUs"), std::string::npos);
}

}  // namespace
}  // namespace tilescope::worker
