// Sheets: written and read, guessed, found not to fit.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "core/sheet/check_sheet.h"
#include "core/sheet/guess_sheet.h"
#include "core/sheet/launch_sheet.h"
#include "core/sheet/sheet_error.h"
#include "tests/sheet/random_signature.h"

namespace tilescope::sheet {
namespace {

LaunchSheet random_sheet(std::mt19937& random) {
  LaunchSheet s;
  s.entry = pick(random, 0, 1) == 0 ? "kernel" : "ns::f<128, \"ü\\n\">";
  if (pick(random, 0, 3) != 0) {
    s.grid = Extent{uint32_t(pick(random, 1, INT32_MAX)), uint32_t(pick(random, 1, 65535)),
                    uint32_t(pick(random, 1, 65535))};
  }
  if (pick(random, 0, 3) != 0) {
    s.block = Extent{uint32_t(pick(random, 1, 32)), uint32_t(pick(random, 1, 8)),
                     uint32_t(pick(random, 1, 4))};
  }
  s.shared = uint32_t(pick(random, 0, kMostShared));
  for (int n = pick(random, 0, 8); n > 0; --n) {
    s.args.push_back(pick(random, 0, 1) == 0 ? "f32:1.5" : "buf:f16:3x4:random:in");
  }
  if (s.args.size() >= 3 && pick(random, 0, 1) == 0) {
    GemmSheet g;
    g.m = pick(random, 1, 1 << 20), g.n = pick(random, 1, 1 << 20), g.k = pick(random, 1, 1 << 20);
    const char* layouts[] = {"NN", "NT", "TN", "TT"};
    g.layout = layouts[pick(random, 0, 3)];
    g.column_c = pick(random, 0, 1) == 1;
    if (pick(random, 0, 1) == 1) g.alpha = pick(random, 0, int(s.args.size()) - 1);
    if (pick(random, 0, 1) == 1) g.beta = pick(random, 0, int(s.args.size()) - 1);
    s.gemm = g;
  }
  for (int n = pick(random, 0, 3); n > 0; --n)
    s.guesses.push_back("args[" + std::to_string(n) + "]");
  return s;
}

TEST(Sheet, RandomOnesAreReadAsTheyAreWritten) {
  const unsigned seed = 20261124;
  std::mt19937 random(seed);
  for (int i = 0; i < 5000; ++i) {
    const LaunchSheet s = random_sheet(random);
    const std::string text = to_text(s);
    ASSERT_EQ(sheet_of_text(text), s) << text;
  }
}

TEST(Sheet, DamagedOnesAreRefusedInASentence) {
  const unsigned seed = 3;
  std::mt19937 random(seed);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = to_text(random_sheet(random));
    for (int n = pick(random, 1, 4); n > 0; --n) {
      const size_t at = size_t(pick(random, 0, int(text.size()) - 1));
      if (pick(random, 0, 1) == 0) {
        text[at] = char(pick(random, 32, 126));
      } else {
        text.erase(at, size_t(pick(random, 1, 9)));
      }
    }
    try {
      sheet_of_text(text);
    } catch (const SheetError& error) {
      ++refused;
      EXPECT_TRUE(std::string(error.what()).ends_with('.')) << error.what();
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Sheet, WhatIsWrongIsNamedWithValueAndLimit) {
  const auto refused = [](const std::string& text, const std::string& part) {
    try {
      sheet_of_text(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const SheetError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused("[]", "[] is not an object");
  refused("{", "no valid JSON");
  refused("{\"grid\": [0]}", "grid[0]: 0 is not a whole number from 1 to 2,147,483,647");
  refused("{\"grid\": [1, 65536]}", "grid[1]: 65536");
  refused("{\"grid\": 4}", "list of one to three");
  refused("{\"block\": [1024, 2]}", "a block has at most 1,024");
  refused("{\"shared\": -1}", "shared: -1");
  refused("{\"shared\": 1.5}", "shared: 1.5");
  refused("{\"args\": \"f32:1\"}", "args: \"f32:1\" is not a list");
  refused("{\"args\": [1]}", "args[0]: 1 is not a text");
  refused("{\"arg\": []}", "no member \"arg\"; it has entry, grid");
  refused("{\"args\": [\"f32:1\"], \"gemm\": {\"a\": 1}}", "gemm.a: 1");
  refused("{\"args\": [\"f32:1\"], \"gemm\": {\"a\": 0, \"b\": 0}}", "gemm.c is missing");
  refused("{\"gemm\": {\"a\": 0, \"b\": 0, \"c\": 0}}", "no args");
  refused(
      "{\"args\": [\"\",\"\",\"\"], \"gemm\": {\"a\": 0, \"b\": 1, \"c\": 2, \"m\": 1, \"n\": 1, "
      "\"k\": 2000000}}",
      "gemm.k: 2000000");
  refused(std::string(2 << 20, ' '), "at most 1,048,576 are read");
  refused("[[[[[[]]]]]]", "nested deeper");
}

// What is guessed for a kernel fits it, whatever it takes.
TEST(Sheet, GuessesFit) {
  const unsigned seed = 77;
  std::mt19937 random(seed);
  for (int i = 0; i < 5000; ++i) {
    const Signature s = random_signature(random);
    std::vector<FoundLaunch> launches;
    if (pick(random, 0, 1) == 0) {
      FoundLaunch launch;
      launch.kernel = "kernel";
      launch.grid = {"n / 32", "2", ""};
      launch.block = {std::to_string(1 << pick(random, 0, 12)), "", ""};
      launch.values = {{"n", pick(random, 0, 10000)}};
      launches.push_back(launch);
    }
    const LaunchSheet guess = guess_sheet(s, launches);
    const auto faults = faults_of(s, guess);
    EXPECT_TRUE(faults.empty()) << faults[0] << "\n" << to_text(guess) << text_of(s);
    EXPECT_EQ(sheet_of_text(to_text(guess)), guess);
  }
}

TEST(Sheet, MisfitsAreNamedWithTheParameter) {
  Signature s;
  s.entry = "_Z5scalefPfi", s.demangled = "scale";
  s.parameters = {{"factor", ".f32", 0, 4, "float"},
                  {"out", ".u64", 8, 8, "float*"},
                  {"n", ".u32", 16, 4, "int"}};
  s.parameter_bytes = 20;
  LaunchSheet sheet;
  sheet.grid = sheet.block = Extent{};
  const auto first = [&](std::vector<std::string> args) {
    sheet.args = std::move(args);
    const auto faults = faults_of(s, sheet);
    return faults.empty() ? "" : faults.front();
  };
  EXPECT_EQ(first({"f32:1", "out:4", "i32:1"}), "");
  EXPECT_EQ(first({"f32:1", "out:4", "u32:1"}), "") << "bits are bits";
  EXPECT_EQ(first({"i32:1", "out:4", "i32:1"}),
            "Argument 0 (i32:1): is a whole number; the parameter float factor is not; write "
            "f32:VALUE.");
  EXPECT_EQ(first({"f32:1", "out:4", "f32:1"}),
            "Argument 2 (f32:1): is a real number; the parameter int n is not; write i32:VALUE.");
  EXPECT_EQ(first({"f32:1", "f32:4", "i32:1"}),
            "Argument 1 (f32:4): has 4 bytes; the parameter float* out has 8.");
  EXPECT_EQ(first({"f32:1"}),
            "scale takes 3 parameters, and 1 argument is given; it is scale(float factor, float* "
            "out, int n).");
  EXPECT_EQ(first({"f32:1", "u64:0", "i32:1"}), "") << "a null pointer";
  sheet.grid.reset();
  EXPECT_EQ(first({"f32:1", "out:4", "i32:1"}),
            "The grid is not given: --grid X,Y,Z says how many CTAs there are.");
  sheet.grid = Extent{};
  s.required_block = {64, 1, 1};
  EXPECT_NE(first({"f32:1", "out:4", "i32:1"}).find(".reqntid"), std::string::npos);
}

TEST(Sheet, ClustersFitGridAndKernel) {
  Signature s;
  s.entry = "k", s.demangled = "k";
  LaunchSheet sheet;
  sheet.grid = Extent{6, 2, 1}, sheet.block = Extent{32, 1, 1};
  const auto first = [&](std::optional<Extent> cluster) {
    sheet.cluster = cluster;
    const auto faults = faults_of(s, sheet);
    return faults.empty() ? "" : faults.front();
  };
  EXPECT_EQ(first({}), "");
  EXPECT_EQ(first(Extent{2, 2, 1}), "");
  EXPECT_EQ(first(Extent{4, 1, 1}),
            "The grid of 6×2×1 CTAs is no multiple of the cluster of 4×1×1; make it 8×2×1, say.");
  EXPECT_NE(first(Extent{3, 3, 1}).find("cluster: 3×3×1 are more than 8 CTAs"), std::string::npos);
  EXPECT_NE(first(Extent{1u << 30, 1u << 30, 1}).find("more than 8"), std::string::npos);
  s.most_cluster = 2;
  EXPECT_EQ(first(Extent{3, 1, 1}), "The cluster has 3 CTAs; .maxclusterrank of k allows 2.");
  s.explicit_cluster = true;
  EXPECT_EQ(first({}),
            "The cluster is not given: k says .explicitcluster, so --cluster X,Y,Z must say how "
            "many CTAs a cluster has.");
  s.most_cluster = 0;
  s.required_cluster = {3, 1, 1};
  EXPECT_EQ(first({}), "");
  EXPECT_EQ(first(Extent{2, 1, 1}), "The cluster is 2×1×1; .reqnctapercluster of k says 3×1×1.");
  sheet.grid = Extent{4, 1, 1};
  EXPECT_NE(first({}).find("no multiple of the cluster of 3×1×1; make it 6×1×1"),
            std::string::npos);
}

TEST(Sheet, ClustersAreKept) {
  const LaunchSheet s =
      sheet_of_text(R"({"entry":"k","grid":[8],"block":[32],"cluster":[2,2],"args":[]})");
  EXPECT_EQ(s.cluster, (Extent{2, 2, 1}));
  EXPECT_EQ(sheet_of_text(to_text(s)), s);
  EXPECT_NE(to_text(s).find("\"cluster\": [2,2,1]"), std::string::npos) << to_text(s);
  for (const auto& [text, words] : {std::pair("[0]", "cluster[0]: 0 is not a whole number from 1"),
                                    {"[9]", "more than 8"},
                                    {"[2,2,3]", "2×2×3 are more than 8"},
                                    {"2", "is not a list"},
                                    {"[]", "is not a list"}}) {
    try {
      sheet_of_text(std::string(R"({"entry":"k","cluster":)") + text + "}");
      ADD_FAILURE() << text;
    } catch (const SheetError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

TEST(Sheet, KernelsAreFoundByWhatPeopleCallThem) {
  std::vector<Signature> all(4);
  all[0].entry = "_Z1fILi128ELi8EEvPf", all[0].demangled = "f<128, 8>";
  all[1].entry = "_Z1fILi64ELi8EEvPf", all[1].demangled = "f<64, 8>";
  all[2].entry = "_ZN2ns5otherEv", all[2].demangled = "ns::other";
  all[3].entry = "plain", all[3].demangled = "plain";
  EXPECT_EQ(find_kernel(all, "_Z1fILi64ELi8EEvPf"), 1u);
  EXPECT_EQ(find_kernel(all, "f<128,8>"), 0u);
  EXPECT_EQ(find_kernel(all, "other"), 2u);
  EXPECT_EQ(find_kernel(all, "plai"), 3u);
  EXPECT_EQ(find_kernel({&all[3], 1}, ""), 3u - 3u);
  for (const auto& [name, part] : {std::pair("f", "may be any of f<128, 8>, f<64, 8>"),
                                   std::pair("g", "there is no 'g'; the file has f<128, 8>, "),
                                   std::pair("", "several kernels; choose")}) {
    try {
      find_kernel(all, name);
      ADD_FAILURE() << name;
    } catch (const SheetError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

TEST(Signature, MangledNamesTellTypes) {
  const Demangled d = demangled("_Z18sgemm2DBlocktilingILi128ELi128ELi8ELi8ELi8EEviiifPKfS1_fPf");
  EXPECT_EQ(d.name, "sgemm2DBlocktiling<128, 128, 8, 8, 8>");
  ASSERT_EQ(d.types.size(), 8u);
  EXPECT_EQ(d.types[0], "int");
  EXPECT_EQ(d.types[4], "float const*");
  EXPECT_EQ(d.types[7], "float*");
  EXPECT_EQ(demangled("plain").name, "plain");
  EXPECT_TRUE(demangled("_Z1gv").types.size() == 1 || demangled("_Z1gv").types.empty());
  const unsigned seed = 13;
  std::mt19937 random(seed);
  for (int i = 0; i < 20000; ++i) {
    std::string name = "_Z";
    const std::string letters = "NILEPKfivS_10a3bcT";
    for (int n = pick(random, 0, 30); n > 0; --n) name += letters[size_t(pick(random, 0, 17))];
    EXPECT_FALSE(demangled(name).name.empty());
  }
}

}  // namespace
}  // namespace tilescope::sheet
