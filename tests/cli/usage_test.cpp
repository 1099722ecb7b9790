// Bad input: one sentence on stderr, exit code 2, and with --json an error document.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

void expect_refused(const std::vector<std::string>& arguments, const char* part, int code = 2) {
  const CliResult plain = run_cli(arguments);
  EXPECT_EQ(plain.code, code) << plain.err;
  EXPECT_NE(plain.err.find(part), std::string::npos) << plain.err;
  EXPECT_EQ(std::count(plain.err.begin(), plain.err.end(), '\n'), 1) << plain.err;
  EXPECT_EQ(plain.out, "");
  std::vector<std::string> with_json = arguments;
  with_json.push_back("--json");
  const CliResult json = run_cli(with_json);
  EXPECT_EQ(json.code, code);
  const nlohmann::json error = json.json();
  ASSERT_TRUE(error.is_object()) << json.out;
  EXPECT_EQ(error["error"]["code"], code);
  EXPECT_NE(error["error"]["message"].get<std::string>().find(part), std::string::npos);
}

TEST(Usage, Sizes) {
  for (const char* command : {"model", "emulate", "trace", "bench", "sweep"}) {
    expect_refused({command, "--size", "0"}, "--size is 0; choose 1 to 1,048,576");
    expect_refused({command, "--size", "-1"}, "--size is -1; choose 1 to 1,048,576");
  }
  expect_refused({"model", "--size", "2147483648"}, "2,147,483,648; choose 1 to 1,048,576");
  expect_refused({"model", "--size", "99999999999999999999"}, "too large");
  expect_refused({"model", "--size", "1024x0x1024"}, "--size N is 0");
  expect_refused({"sweep", "--kernel", "naive", "--axis", "block_m=32", "--axis", "block_m=64",
                  "--out", "/nowhere/x"},
                 "--axis: block_m is given twice");
  expect_refused({"model", "--size", "abc"}, "'abc' is not a whole number");
  expect_refused({"model", "--size", "1024x1024"}, "MxNxK");
  expect_refused({"model", "--size", "1.5"}, "not a whole number");
  expect_refused({"model", "--size", ""}, "");
}

TEST(Usage, CommandsAndFlags) {
  expect_refused({"nonsense"}, "there is no command 'nonsense'; choose doctor");
  expect_refused({"nonsense", "--help"}, "there is no command 'nonsense'; choose doctor");
  expect_refused({"model", "--nonsense"}, "--nonsense; see tilescope-cli model --help");
  expect_refused({}, "which command?");
  expect_refused({"banks", "--stride", "4"}, "--access is required");
}

TEST(Usage, AFolderThatIsMissingIsNamedBeforeAnyWork) {
  const std::string words = "there is no folder /nowhere/here; make it first (mkdir -p)";
  for (const char* file : {"/nowhere/here/a.svg", "/nowhere/here/a.png"}) {
    expect_refused({"render", "--panel", "tiling", "--out", file}, words.c_str());
  }
  expect_refused({"sweep", "--out", "/nowhere/here/a.jsonl"}, words.c_str());
  expect_refused({"fragments", "--prove", "--device", "emulator", "--search", "m16n8k8", "--record",
                  "/nowhere/here/a.json"},
                 words.c_str());
}

TEST(Usage, NamesThatDoNotExist) {
  expect_refused({"model", "--kernel", "nope"}, "there is no 'nope'; choose naive");
  expect_refused({"model", "--layout", "XY"}, "NN, NT, TN or TT");
  expect_refused({"model", "--types", "f16,f16"}, "f16,f16,f32");
  expect_refused({"model", "--c", "diagonal"}, "row nor col");
  expect_refused({"model", "--alpha", "much"}, "not a finite number");
  expect_refused({"model", "--beta", "nan"}, "not a finite number");
  expect_refused({"model", "--device", "toaster"}, "toaster", 3);
  expect_refused({"model", "--table", "001d"}, "001a, 001b or 001c");
  expect_refused({"model", "--table", "001a", "--count", "bits"}, "elements nor bytes");
}

TEST(Usage, Layers) {
  expect_refused({"layer"}, "kind is required");
  expect_refused({"layer", "diagonal"}, "'diagonal' is no layer; choose linear, column, row, mlp");
  expect_refused({"layer", "column", "--tokens", "0"},
                 "tokens 0 is out of range; choose 1 to 1,048,576");
  expect_refused({"layer", "column", "--out", "3", "--ranks", "4"},
                 "out 3 cannot be split over 4 ranks; choose at most 3 ranks");
  expect_refused({"layer", "row", "--gather"}, "leave out gather, or choose column");
  expect_refused({"layer", "row", "--kernel", "nope"}, "--kernel: there is no 'nope'");
  expect_refused({"layer", "row", "--device", "toaster"}, "toaster", 3);
  expect_refused({"layer", "row", "--device", "cuda", "--card", "H100"},
                 "its rungs and tiles would run on cuda, which has its own; leave it out");
}

TEST(Usage, Tiles) {
  expect_refused({"model", "--tile", "block_m"}, "NAME=VALUE");
  expect_refused({"model", "--tile", "thread_m=8"}, "has no 'thread_m'");
  expect_refused({"model", "--tile", "stages=-3"}, "choose 0 to");
  expect_refused({"model", "--tile", "stages=8"},
                 "shared memory: 8 stages × (128×64 + 64×128) halves = 262,144 B; a block on this "
                 "GPU has 232,448 B: 7 stages fit; nearest legal: 7 stages");
  expect_refused({"model", "--tile", "block_m=100"}, "nearest that this kernel offers is 128");
  expect_refused({"model", "--tile", "block_m=0"}, "block M is 0");
  expect_refused({"model", "--tile", "block_m=32"}, "smaller than warp M 64");
}

TEST(Usage, ProblemsThatAKernelDoesNotTake) {
  expect_refused({"model", "--kernel", "extra", "--layout", "TN"},
                 "B is column-major; this kernel takes B row-major");
  expect_refused({"model", "--types", "f32,f32,f32"}, "this kernel computes f16 × f16 → f32");
}

TEST(Usage, SwizzleAndBanks) {
  expect_refused({"swizzle", "--mode", "256B"}, "32B, 64B or 128B");
  expect_refused({"banks", "--access", "lds.8", "--stride", "4"}, "none of lds.32");
  expect_refused({"banks", "--access", "lds.128", "--stride", "8"}, "a multiple of 16 bytes");
  expect_refused({"banks", "--access", "lds.32", "--stride", "x"}, "not a whole number");
  expect_refused({"banks", "--access", "ldmatrix.x4", "--stride", "40"},
                 "--stride is 40; ldmatrix.x4 needs a multiple of 16 bytes: choose 32 or 48");
  expect_refused({"banks", "--access", "ldg.64", "--stride", "8", "--base", "4"},
                 "--base is 4; ldg.64 needs a multiple of 8 bytes: choose 0 or 8");
  expect_refused({"banks", "--access", "sts.32", "--stride", "-4"}, "choose 0 to 1,048,576");
  expect_refused({"banks", "--access", "ldg.32", "--stride", "4", "--swizzle", "64B"},
                 "permutes shared memory");
  expect_refused({"swizzle", "--pad", "16"}, "--pad 16 is for --mode none");
  expect_refused({"swizzle", "--mode", "none", "--pad", "8"}, "choose 0 or 16");
}

TEST(Usage, Fragments) {
  expect_refused({"fragments"}, "one of --list");
  expect_refused({"fragments", "--list", "--all"}, "one of --list");
  expect_refused({"fragments", "--atom", "mma.sync"}, "no map of 'mma.sync'");
  expect_refused({"fragments", "--atom", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f23"},
                 "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");  // the nearest
  expect_refused({"fragments", "--atom", "SM80_16x8x16_F32F16F16F33_TN"},
                 "are mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  expect_refused({"fragments", "--search", "f16 nowhere"}, "every word of 'f16 nowhere'");
  expect_refused({"fragments", "--atom", "SM75_U32x4_LDSM_N", "--operand", "A"},
                 "moves matrices and has no A, B or C");
  expect_refused({"fragments", "--atom", "SM90_64x64x16_F32F16F16_RS", "--operand", "B"},
                 "lies in shared memory");
  expect_refused({"fragments", "--all", "--operand", "E"}, "none of A, B, C and D");
  expect_refused({"fragments", "--all", "--device", "emulator"}, "belong to --prove");
  expect_refused({"fragments", "--prove", "--list"}, "leave out --list");
}

// With --json the format is JSON, so these have no document of the error.
TEST(Usage, FragmentFormats) {
  const CliResult unknown = run_cli({"fragments", "--all", "--format", "xml"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("'xml' is none of table, csv"), std::string::npos) << unknown.err;
  const CliResult names = run_cli({"fragments", "--list", "--format", "csv"});
  EXPECT_EQ(names.code, 2);
  EXPECT_NE(names.err.find("writes maps, not names"), std::string::npos) << names.err;
}

TEST(Usage, EmulatePtx) {
  expect_refused({"emulate", "--ptx", "/nowhere/to/be.ptx"}, "cannot be read");
  expect_refused({"emulate", "--ctas", "0..3"}, "--ctas belongs to --ptx");
}

TEST(Usage, Render) {
  expect_refused({"render", "--out", "picture.gif"}, ".png, .svg, .pdf, .webp or .mp4");
}

TEST(Usage, HelpIsNoError) {
  EXPECT_EQ(run_cli({"--help"}).code, 0);
  EXPECT_EQ(run_cli({"model", "--help"}).code, 0);
  EXPECT_EQ(run_cli({"--version"}).code, 0);
}

}  // namespace
}  // namespace tilescope
