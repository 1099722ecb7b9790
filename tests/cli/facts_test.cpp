// kernels, fragments, swizzle, banks: the address functions as documents.
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
    EXPECT_EQ(keys(k), (Names{"id", "idea", "layouts", "min_sm", "sliders", "title", "types"}));
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
  for (const char* what : {"driver", "NVRTC", "cuBLASLt", "CUPTI", "NVML", "display", "GL"}) {
    EXPECT_TRUE(subjects.contains(what)) << what;
  }
}

TEST(Fragments, ListNamesWhatAllHolds) {
  const json list = run_cli({"fragments", "--list", "--json"}).json();
  const json all = run_cli({"fragments", "--all", "--json"}).json();
  ASSERT_TRUE(list.is_array());
  ASSERT_EQ(list.size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]["atom"], list[i]);
    EXPECT_EQ(run_cli({"fragments", "--json", "--atom", list[i]}).json(), all[i]);
    EXPECT_EQ(run_cli({"fragments", "--atom", list[i]}).code, 0);
  }
}

TEST(Fragments, M16N8K16) {
  const json a = run_cli({"fragments", "--json", "--atom",
                          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"})
                     .json();
  EXPECT_EQ(keys(a), (Names{"atom", "operands", "shape", "threads", "types"}));
  EXPECT_EQ(a["shape"], json({16, 8, 16}));
  EXPECT_EQ(a["types"], json({{"D", "f32"}, {"A", "f16"}, {"B", "f16"}, {"C", "f32"}}));
  EXPECT_EQ(a["threads"], 32);
  for (const char* name : {"A", "B", "C"}) {
    const json& op = a["operands"][name];
    EXPECT_EQ(keys(op), (Names{"bits", "cols", "map", "rows", "values", "values_per_register"}));
    std::set<json> seen;
    for (const json& lane : op["map"]) {
      EXPECT_EQ(lane.size(), op["values"]);
      for (const json& at : lane) EXPECT_TRUE(seen.insert(at).second);
    }
    EXPECT_EQ(seen.size(), op["rows"].get<size_t>() * op["cols"].get<size_t>());
  }
  // PTX ISA: lane 17 = group 4, 1 in the group.
  EXPECT_EQ(a["operands"]["A"]["map"][17][5], json({4, 11}));
  EXPECT_EQ(a["operands"]["A"]["map"][17][6], json({12, 10}));
  EXPECT_EQ(a["operands"]["B"]["map"][17][3], json({11, 4}));
  EXPECT_EQ(a["operands"]["C"]["map"][17][2], json({12, 2}));
}

TEST(Fragments, LdmatrixX4) {
  const json a =
      run_cli({"fragments", "--json", "--atom", "ldmatrix.sync.aligned.m8n8.x4.shared.b16"}).json();
  EXPECT_EQ(keys(a), (Names{"address", "atom", "map", "matrices"}));
  EXPECT_EQ(a["matrices"], 4);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(a["address"][lane], json({lane / 8, lane % 8}));
    for (int v = 0; v < 8; ++v) {
      EXPECT_EQ(a["map"][lane][v], json({v / 2, lane / 4, lane % 4 * 2 + v % 2}));
    }
  }
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

}  // namespace
}  // namespace tilescope
