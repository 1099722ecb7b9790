// Machine code: what nvdisasm prints, read; what it refuses; and, where it is installed, that each
// kernel's comes with its lines.
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "engine_support.h"
#include "kernels/registry.h"
#include "tests/every_kernel.h"
#include "tests/sampled.h"
#include "worker/engine/error.h"
#include "worker/engine/sass/assemble.h"
#include "worker/engine/sass/disassemble.h"

namespace tilescope::worker {
namespace {

std::string fixture(const char* name) {
  return TILESCOPE_SOURCE_DIR "/tests/fixtures/tools/" + std::string(name);
}

const SassLine* find_line(const SassListing& listing, const std::string& part) {
  for (const SassLine& line : listing.lines) {
    if (line.text.find(part) != line.text.npos) return &line;
  }
  return nullptr;
}

// tests/fixtures/tools/naive.sass: nvdisasm 13.2 of the naive kernel, sm_90.
TEST(Sass, LinesAreLinkedToSourceAndPtx) {
  const SassListing listing = parse_sass(file_text(fixture("naive.sass")), "01_naive.cuh");
  EXPECT_EQ(listing.instructions, 152);
  ASSERT_EQ(listing.lines[0].text, "tilescope_gemm:");
  EXPECT_EQ(listing.lines[1], (SassLine{"  0000        LDC R1, c[0x0][0x28]", 0, 35, false}))
      << "of the entry's own file, not of the kernel's";
  EXPECT_EQ(listing.lines[2], (SassLine{"  0010        S2R R3, SR_TID.X", 53, 54, false}));
  const SassLine* branch = find_line(listing, "BRA");
  ASSERT_NE(branch, nullptr);
  EXPECT_EQ(branch->text, "  0140  @!P0 BRA .L_x_0") << "without the marks of the assembler";
  ASSERT_NE(find_line(listing, ".L_x_0:"), nullptr);
  const SassLine* load = find_line(listing, "LDG.E R22, desc[UR8][R4.64+-0x10]");
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->line, 62);
  EXPECT_EQ(load->ptx_line, 112);
  // A remark of the PTX line alone keeps the source line.
  const SassLine* next = find_line(listing, "0340 ");
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(next->ptx_line, 123);
  for (const SassLine& line : listing.lines) {
    EXPECT_EQ(line.text.find("/*"), std::string::npos) << line.text;
    EXPECT_EQ(line.text.find(';'), std::string::npos) << line.text;
    EXPECT_FALSE(line.spill) << line.text;
    EXPECT_TRUE(line.line == 0 || (line.line > 40 && line.line < 80)) << line.line;
  }
}

TEST(Sass, OfAChainTheInnermostLineInTheKernelsFileCounts) {
  const SassListing listing = parse_sass(
      "\t.section\t.text.tilescope_gemm,\"ax\",@progbits\n"
      "\t//## File \"/src/core/layout/layout.h\", line 12 inlined at \"/src/kernels/9_a.cuh\", "
      "line 7\n"
      "\t//## File \"/src/kernels/9_a.cuh\", line 7 inlined at \"/src/kernels/9_a.cuh\", line 30\n"
      "\t//## File \"/src/kernels/9_a.cuh\", line 30\n"
      "\t//## File \".nv_debug_ptx_txt\", line 5\n"
      "        /*0000*/                   FFMA R1, R2, R3, R1 ;\n"
      "        /*0010*/              @P0  STL.64 [R1+0x8], R4 ;\n"
      "\t//## File \"/src/kernels/19_a.cuh\", line 3\n"
      "        /*0020*/                   LDL R5, [R1] ;\n"
      "        /*0030*/                   LDLX R5 ;\n"
      "\t.section\t.nv.info\n"
      "        /*0040*/                   NOP ;\n",
      "9_a.cuh");
  ASSERT_EQ(listing.instructions, 4) << "what is in no section of code is none";
  EXPECT_EQ(listing.lines[0].line, 7);
  EXPECT_EQ(listing.lines[1].line, 7) << "until another place is named";
  EXPECT_TRUE(listing.lines[1].spill);
  EXPECT_EQ(listing.lines[2].line, 0) << "a file whose name ends alike is another";
  EXPECT_EQ(listing.lines[2].ptx_line, 5);
  EXPECT_TRUE(listing.lines[2].spill);
  EXPECT_FALSE(listing.lines[3].spill);
}

TEST(Sass, OfSeveralKernelsOneAloneIsRead) {
  const std::string text =
      "\t.section\t.text._Z1aPf,\"ax\",@progbits\n        /*0000*/  NOP ;\n"
      "\t.section\t.text._Z1aPfi,\"ax\",@progbits\n        /*0000*/  EXIT ;\n"
      "        /*0010*/  EXIT ;\n";
  EXPECT_EQ(parse_sass(text, "a.cu").instructions, 3);
  EXPECT_EQ(parse_sass(text, "a.cu", "_Z1aPf").instructions, 1);
  EXPECT_EQ(parse_sass(text, "a.cu", "_Z1aPfi").instructions, 2);
  EXPECT_EQ(parse_sass(text, "a.cu", "_Z1a").instructions, 0);
}

// As of sm_80.
TEST(Sass, FiguresOfTheSectionAreNoOtherSection) {
  const std::string text =
      "\t.section\t.text.a,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=10\"\n"
      "        /*0000*/  NOP ;\n\t.section\t.nv.info\n        /*0010*/  NOP ;\n";
  EXPECT_EQ(parse_sass(text, "a.cu", "a").instructions, 1);
}

TEST(Sass, WhatIsNoDisassemblyHasNoInstructions) {
  for (const char* text : {"", "\n\n", "/*0000*/ NOP ;", ".section .text.a\n/*0000\n//## File \"",
                           ".section .text.a\n//## File \"a\", line x\n/**/\n"}) {
    EXPECT_EQ(parse_sass(text, "a").instructions, 0) << text;
  }
}

TEST(Sass, AListingSurvivesTheWire) {
  SassListing listing = parse_sass(file_text(fixture("naive.sass")), "01_naive.cuh");
  listing.arch = "sm_90", listing.tool = "nvdisasm 13.2", listing.registers = 32;
  listing.spill_bytes = 8;
  const auto back = nlohmann::json::parse(nlohmann::json(listing).dump()).get<SassListing>();
  EXPECT_EQ(back.lines, listing.lines);
  EXPECT_EQ(back.arch + back.tool, "sm_90nvdisasm 13.2");
  EXPECT_EQ(back.registers, 32);
  EXPECT_EQ(back.spill_bytes, 8);
  EXPECT_EQ(back.instructions, 152);
}

class FakeNvdisasm {
 public:
  explicit FakeNvdisasm(const char* way) {
    setenv("TILESCOPE_NVDISASM", fixture("fake_nvdisasm.sh").c_str(), 1);
    setenv("FAKE_NVDISASM", way, 1);
  }
  ~FakeNvdisasm() {
    unsetenv("TILESCOPE_NVDISASM");
    unsetenv("FAKE_NVDISASM");
  }
};
std::vector<std::byte> cubin() {
  std::vector<std::byte> bytes;
  for (const char c : {'\x7f', 'E', 'L', 'F'}) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

RpcError failure_of(const char* way) {
  const FakeNvdisasm fake(way);
  try {
    disassemble(cubin(), "01_naive.cuh");
  } catch (const RpcError& error) {
    return error;
  }
  ADD_FAILURE() << way << " is no failure";
  return {};
}

TEST(Assemble, MakesACubinForThePtxsTargetOrSaysWhatPtxasDoes) {
  const std::string ptx = ".version 8.0\n.target sm_90a, debug\n.address_size 64\n";
  setenv("TILESCOPE_PTXAS", fixture("fake_ptxas.sh").c_str(), 1);
  const Assembled made = assemble(ptx);
  EXPECT_EQ(made.arch, "sm_90a");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(made.cubin.data()), made.cubin.size()),
            "\x7f"
            "ELF sm_90a");
  EXPECT_EQ(assemble(".version 8.0\n").arch, "sm_75");
  try {
    assemble(ptx + "nonsense;");
    ADD_FAILURE() << "taken";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, kFailed);
    EXPECT_NE(error.message.find("ended with code 255 and made no sm_90a code, saying \"ptxas "),
              std::string::npos)
        << error.message;
    EXPECT_NE(error.message.find("'nonsense'"), std::string::npos) << error.message;
  }
  setenv("TILESCOPE_PTXAS", "/nowhere", 1);
  try {
    assemble(ptx);
    ADD_FAILURE() << "without ptxas";
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, kMissing);
    EXPECT_NE(error.message.find("install a CUDA toolkit"), std::string::npos) << error.message;
  }
  unsetenv("TILESCOPE_PTXAS");
}

TEST(Disassemble, ReadsTheCubinAndNamesItsTool) {
  const FakeNvdisasm fake("");
  const SassListing listing = disassemble(cubin(), "01_naive.cuh");
  EXPECT_EQ(listing.instructions, 152);
  EXPECT_EQ(listing.tool, "nvdisasm 13.2");
}

TEST(Disassemble, ARefusalHasItsCauseAndFix) {
  struct Way {
    const char* name;
    int code;
    const char* part;
  };
  for (const Way& way :
       {Way{"older", 3, "Unrecognized ELF file version"},
        Way{"garbage", 4, "ended with code 0 and showed no code"},
        Way{"flood", 4, "wrote more than 64 MB"}, Way{"signal", 4, "was ended by signal 11"}}) {
    const RpcError error = failure_of(way.name);
    EXPECT_EQ(error.exit_code, way.code) << way.name;
    EXPECT_NE(error.message.find(way.part), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("TILESCOPE_NVDISASM"), std::string::npos) << error.message;
    EXPECT_LT(error.message.size(), 600u) << error.message;
  }
}

TEST(Disassemble, WithoutNvdisasmTheFixIsNamed) {
  setenv("TILESCOPE_NVDISASM", "/nowhere", 1);
  try {
    disassemble(cubin(), "01_naive.cuh");
    ADD_FAILURE();
  } catch (const RpcError& error) {
    EXPECT_EQ(error.exit_code, 3);
    EXPECT_NE(error.message.find("was not found in TILESCOPE_NVDISASM=/nowhere: install the wheel "
                                 "nvidia-cuda-nvdisasm"),
              std::string::npos)
        << error.message;
  }
  unsetenv("TILESCOPE_NVDISASM");
}

TEST(Disassemble, ACancelledOneEnds) {
  const FakeNvdisasm fake("forever");
  std::atomic<bool> cancelled = false;
  std::thread other([&] { cancelled = true; });
  EXPECT_THROW(disassemble(cubin(), "01_naive.cuh", &cancelled), RpcError);
  other.join();
}

// The real one, where the build found it: every instruction of the tensor cores has its line.
TEST(Disassemble, EveryKernelsCodeIsLinked) {
  for (const KernelEntry* entry : sampled(kernels_of_table(), 4)) {
    const KernelEntry& kernel = *entry;
    const KernelRequest request = default_request(kernel.info.id, 256, 256, 256);
    SassListing listing;
    try {
      const auto compiled = test_compiler().compile(request, kDefaultArch);
      listing = disassemble(compiled->cubin, kernel.file);
    } catch (const RpcError& error) {
      if (error.exit_code == kMissing) GTEST_SKIP() << error.message;
      throw;
    }
    int linked = 0, from_ptx = 0, arithmetic = 0, arithmetic_linked = 0;
    for (const SassLine& line : listing.lines) {
      linked += line.line > 0;
      from_ptx += line.ptx_line > 0;
      const bool math = line.text.find(" FFMA ") != line.text.npos ||
                        line.text.find(" HMMA.") != line.text.npos ||
                        line.text.find(" HGMMA.") != line.text.npos;
      arithmetic += math;
      arithmetic_linked += math && line.line > 0 && line.ptx_line > 0;
    }
    EXPECT_GT(listing.instructions, 100) << kernel.info.id;
    EXPECT_GT(from_ptx, listing.instructions * 9 / 10) << kernel.info.id;
    EXPECT_GT(linked, listing.instructions / 3) << kernel.info.id;
    EXPECT_GT(arithmetic, 0) << kernel.info.id;
    EXPECT_GT(arithmetic_linked, arithmetic * 9 / 10) << kernel.info.id;
  }
}

}  // namespace
}  // namespace tilescope::worker
