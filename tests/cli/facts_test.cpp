// kernels, doctor, swizzle, banks: the address functions as documents.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

TEST(Kernels, AreTheLadder) {
  const CliResult r = run_cli({"kernels", "--json"});
  ASSERT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "");
  const json all = r.json();
  ASSERT_TRUE(all.is_array());
  ASSERT_GE(all.size(), 3u);
  for (const json& k : all) {
    EXPECT_EQ(keys(k),
              (Names{"id", "idea", "layouts", "min_sm", "only_sm", "sliders", "title", "types"}));
    EXPECT_TRUE(k["only_sm"].is_null() || k["only_sm"] == k["min_sm"]) << k["id"];
    EXPECT_TRUE(k["types"][0].is_array());
    for (const json& s : k["sliders"]) {
      EXPECT_EQ(keys(s), (Names{"default", "name", "values"}));
      const auto& values = s["values"];
      EXPECT_NE(std::find(values.begin(), values.end(), s["default"]), values.end());
    }
  }
  EXPECT_EQ(all[0]["id"], "naive");
  EXPECT_NE(run_cli({"kernels"}).out.find("mma_multistage"), std::string::npos);
}

TEST(Doctor, SaysWhatIsThere) {
  const CliResult r = run_cli({"doctor", "--json"});
  EXPECT_EQ(r.code, can_compile() ? 0 : 3) << r.err;
  const json all = r.json();
  ASSERT_TRUE(all.is_array());
  std::set<std::string> subjects;
  for (const json& f : all) {
    EXPECT_EQ(keys(f), (Names{"fix", "state", "version", "what"}));
    EXPECT_TRUE(f["state"] == "ok" || f["state"] == "missing" || f["state"] == "degraded");
    EXPECT_TRUE(f["state"] == "ok" || f["fix"].is_string()) << f;
    subjects.insert(f["what"].get<std::string>());
  }
  for (const char* what : {"driver", "NVRTC", "cuBLASLt", "CUPTI", "NVML", "display", "GL", "ncu",
                           "nvdisasm", "ptxas", "nvMatmulHeuristics", "Landlock"}) {
    EXPECT_TRUE(subjects.contains(what)) << what;
  }
}

/// What doctor finds of a program, where the environment says what it is.
json tool_found(const char* what, const std::string& variable, const std::string& value) {
  setenv(variable.c_str(), value.c_str(), 1);
  const json all = run_cli({"doctor", "--json"}).json();
  unsetenv(variable.c_str());
  for (const json& f : all) {
    if (f["what"] == what) return f;
  }
  return {};
}

TEST(Doctor, FindsNvidiasProgramsOrNamesTheWayOut) {
  const std::string tools = TILESCOPE_SOURCE_DIR "/tests/fixtures/tools/";
  json found = tool_found("ncu", "TILESCOPE_NCU", tools + "fake_ncu.sh");
  EXPECT_EQ(found["state"], "ok");
  EXPECT_EQ(found["version"], "2025.3.1 (" + tools + "fake_ncu.sh)");
  EXPECT_TRUE(found["fix"].is_null()) << found;
  setenv("FAKE_NCU", "old", 1);
  found = tool_found("ncu", "TILESCOPE_NCU", tools + "fake_ncu.sh");
  EXPECT_EQ(found["state"], "degraded");
  EXPECT_EQ(found["version"], "2021.3.1 (" + tools + "fake_ncu.sh)");
  EXPECT_NE(found["fix"].get<std::string>().find("is too old, 2022.3 is needed: install Nsight"),
            std::string::npos)
      << found;
  setenv("FAKE_NCU", "no-version", 1);
  found = tool_found("ncu", "TILESCOPE_NCU", tools + "fake_ncu.sh");
  EXPECT_EQ(found["state"], "degraded");
  EXPECT_EQ(found["version"], tools + "fake_ncu.sh");
  unsetenv("FAKE_NCU");
  found = tool_found("nvdisasm", "TILESCOPE_NVDISASM", tools + "fake_nvdisasm.sh");
  EXPECT_EQ(found["state"], "ok");
  EXPECT_EQ(found["version"], "13.2 (" + tools + "fake_nvdisasm.sh)");
  found = tool_found("nvdisasm", "TILESCOPE_NVDISASM", "/nowhere");
  EXPECT_EQ(found["state"], "missing");
  EXPECT_TRUE(found["version"].is_null()) << found;
  EXPECT_NE(found["fix"].get<std::string>().find("was not found in TILESCOPE_NVDISASM=/nowhere: "
                                                 "install the wheel nvidia-cuda-nvdisasm"),
            std::string::npos)
      << found;
}

TEST(Swizzle, Tables) {
  const json b128 = run_cli({"swizzle", "--mode", "128B", "--json"}).json();
  EXPECT_EQ(keys(b128), (Names{"chunk_table", "mode", "row_bytes"}));
  EXPECT_EQ(b128["mode"], "128B");
  EXPECT_EQ(b128["row_bytes"], 128);
  for (int row = 0; row < 8; ++row) {
    for (int c = 0; c < 8; ++c) EXPECT_EQ(b128["chunk_table"][row][c], c ^ row);
  }
  const json b64 = run_cli({"swizzle", "--mode", "64B", "--json"}).json();
  EXPECT_EQ(b64["row_bytes"], 64);
  for (int row = 0; row < 8; ++row) {
    for (int c = 0; c < 4; ++c) EXPECT_EQ(b64["chunk_table"][row][c], c ^ (row / 2));
  }
  const json b32 = run_cli({"swizzle", "--mode", "32B", "--json"}).json();
  for (int row = 0; row < 8; ++row) {
    for (int c = 0; c < 2; ++c) EXPECT_EQ(b32["chunk_table"][row][c], c ^ (row / 4));
  }
}

TEST(Swizzle, RowsWithoutOneShowTheirPadding) {
  const json plain = run_cli({"swizzle", "--mode", "none", "--json"}).json();
  EXPECT_EQ(plain["mode"], "none");
  EXPECT_EQ(plain["row_bytes"], 128);
  EXPECT_EQ(plain["pad_bytes"], 0);
  const json padded = run_cli({"swizzle", "--mode", "none", "--pad", "16", "--json"}).json();
  EXPECT_EQ(padded["pad_bytes"], 16);
  for (int row = 0; row < 8; ++row) {
    for (int c = 0; c < 8; ++c) {
      EXPECT_EQ(padded["chunk_table"][row][c], c);
      EXPECT_EQ(plain["bank_group_table"][row][c], c);
      EXPECT_EQ(padded["bank_group_table"][row][c], (row + c) % 8);  // 144 B: 9 groups of 16 B
    }
  }
  EXPECT_NE(run_cli({"swizzle", "--mode", "none", "--pad", "16"}).out.find("padding"),
            std::string::npos);
}

json banks(const char* access, const char* stride, const char* swizzle = nullptr) {
  std::vector<std::string> arguments = {"banks", "--json", "--access", access, "--stride", stride};
  if (swizzle) arguments.insert(arguments.end(), {"--swizzle", swizzle});
  return run_cli(arguments).json();
}

TEST(Banks, Documents) {
  EXPECT_EQ(banks("lds.32", "4"),
            (json{{"wavefronts", 1}, {"ideal", 1}, {"conflicts", 0}, {"per_phase", {1}}}));
  EXPECT_EQ(banks("lds.32", "128")["wavefronts"], 32);
  EXPECT_EQ(banks("lds.128", "16")["wavefronts"], 4);
  EXPECT_EQ(
      banks("ldmatrix.x4", "128"),
      (json{{"wavefronts", 32}, {"ideal", 4}, {"conflicts", 28}, {"per_phase", {8, 8, 8, 8}}}));
  EXPECT_EQ(banks("ldmatrix.x4", "128", "128B")["conflicts"], 0);
  EXPECT_EQ(banks("ldmatrix.x1", "128")["per_phase"], json({8}));
}

// Of neighbours that share an address a load serves twice as many at a time, a store does not.
TEST(Banks, StoresAreNotPaired) {
  for (const char* width : {"32", "64", "128"}) {
    for (const char* stride : {"16", "128", "144"}) {
      EXPECT_EQ(banks((std::string("sts.") + width).c_str(), stride),
                banks((std::string("lds.") + width).c_str(), stride));
    }
  }
  EXPECT_EQ(banks("lds.32", "0"), banks("sts.32", "0"));
  EXPECT_EQ(banks("lds.64", "0")["per_phase"], json({1}));
  EXPECT_EQ(banks("sts.64", "0")["per_phase"], json({1, 1}));
  EXPECT_EQ(banks("lds.128", "0")["per_phase"], json({1, 1}));
  EXPECT_EQ(banks("sts.128", "0")["per_phase"], json({1, 1, 1, 1}));
}

TEST(Banks, MatricesCostTheSameBothWays) {
  for (const char* count : {"x1", "x2", "x4"}) {
    for (const char* mode : {"none", "32B", "64B", "128B"}) {
      EXPECT_EQ(banks((std::string("stmatrix.") + count).c_str(), "128", mode),
                banks((std::string("ldmatrix.") + count).c_str(), "128", mode));
    }
  }
}

TEST(Banks, GlobalAccessesInSectors) {
  EXPECT_EQ(banks("ldg.32", "4"), (json{{"requests", 1}, {"sectors", 4}, {"lines", 1}}));
  EXPECT_EQ(banks("ldg.64", "8"), (json{{"requests", 1}, {"sectors", 8}, {"lines", 2}}));
  EXPECT_EQ(banks("ldg.128", "16"), (json{{"requests", 1}, {"sectors", 16}, {"lines", 4}}));
  EXPECT_EQ(banks("ldg.32", "128"), (json{{"requests", 1}, {"sectors", 32}, {"lines", 32}}));
  EXPECT_EQ(banks("ldg.32", "0"), (json{{"requests", 1}, {"sectors", 1}, {"lines", 1}}));
  const json moved =
      run_cli({"banks", "--json", "--access", "ldg.32", "--stride", "4", "--base", "4"}).json();
  EXPECT_EQ(moved, (json{{"requests", 1}, {"sectors", 5}, {"lines", 2}}));
}

}  // namespace
}  // namespace tilescope
