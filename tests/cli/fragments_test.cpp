// fragments: names, documents and tables of the lane maps. That the maps are right is tested in
// tests/layout, and against another project by tensor_layouts_test.py; the C++ by
// exported_cpp_test.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

constexpr const char* kMma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";

const json& all_maps() {
  static const json all = run_cli({"fragments", "--all", "--json"}).json();
  return all;
}
json map_of(const std::string& atom) {
  return run_cli({"fragments", "--json", "--atom", atom}).json();
}
TEST(Fragments, ListNamesWhatAllHolds) {
  const json list = run_cli({"fragments", "--list", "--json"}).json();
  ASSERT_TRUE(list.is_array());
  ASSERT_EQ(list.size(), 701u);
  ASSERT_EQ(all_maps().size(), list.size());
  std::set<std::string> names;
  for (size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(all_maps()[i]["atom"], list[i]);
    EXPECT_TRUE(names.insert(list[i]).second) << list[i];
    if (i % 50 != 0) continue;  // by themselves too
    EXPECT_EQ(map_of(list[i]), all_maps()[i]);
    EXPECT_EQ(run_cli({"fragments", "--atom", list[i]}).code, 0);
  }
  const Names lines = lines_of(run_cli({"fragments", "--list"}).out);
  EXPECT_EQ(json(lines), list);
}

// The contract's form, in every document.
/// The ways in which B may lie in shared memory: MN-major of 16 bits alone.
void expect_shared(const json& a) {
  const bool half = a["types"]["B"] == "f16" || a["types"]["B"] == "bf16";
  ASSERT_EQ(a["shared"].size(), half ? 8u : 4u) << a["atom"];
  for (const json& row : a["shared"]) {
    EXPECT_EQ(keys(row), Names({"bytes", "descriptor", "leading_bytes", "major", "steps",
                                "stride_bytes", "swizzle"}));
    const uint64_t bits = std::stoull(row["descriptor"].get<std::string>(), nullptr, 16);
    EXPECT_EQ((bits >> 16 & 0x3fff) * 16, row["leading_bytes"].get<uint64_t>());
    EXPECT_EQ((bits >> 32 & 0x3fff) * 16, row["stride_bytes"].get<uint64_t>());
    EXPECT_EQ(bits & 0x3fff, 0u);  // the start is the kernel's
    // Of one instruction 32 bytes of k for each n, at least.
    EXPECT_GE(row["bytes"].get<int>(), a["shape"][1].get<int>() * 32 * row["steps"].get<int>());
  }
}

TEST(Fragments, EveryDocumentIsInForm) {
  for (const json& a : all_maps()) {
    const std::string name = a["atom"];
    if (a.contains("matrices")) {
      Names expected = {"address", "atom", "map", "matrices"};
      if (name.starts_with("movmatrix")) expected.push_back("source");
      EXPECT_EQ(keys(a), expected) << name;
      ASSERT_EQ(a["map"].size(), 32u);
      EXPECT_EQ(a["map"][31].size(), a["matrices"].get<size_t>() * 2);
      EXPECT_EQ(a["address"].size(),
                name.starts_with("movmatrix") ? 0u : a["matrices"].get<size_t>() * 8);
      continue;
    }
    Names expected = {"atom", "operands", "shape", "threads", "types"};
    const bool quads = a.contains("lanes");
    if (quads) expected.insert(expected.begin() + 1, "lanes");
    const bool wgmma = name.starts_with("wgmma"), wmma = name.starts_with("wmma");
    if (wgmma) expected.insert(expected.end() - 2, "shared");
    EXPECT_EQ(keys(a), expected) << name;
    if (wgmma) expect_shared(a);
    EXPECT_EQ(a["threads"], wgmma ? 128 : 32);
    EXPECT_EQ(a["operands"]["B"].is_null(), wgmma);
    EXPECT_EQ(a["operands"].contains("D"), a["types"]["D"] != a["types"]["C"]) << name;
    for (const auto& [letter, op] : a["operands"].items()) {
      if (op.is_null()) continue;
      Names in_op = {"bits", "cols", "map", "rows", "values", "values_per_register"};
      if (wmma) in_op.insert(in_op.begin() + 2, "copies");
      ASSERT_EQ(keys(op), in_op) << name;
      const size_t threads = wgmma ? 128 : quads ? 8 : 32;
      ASSERT_EQ(op["map"].size(), threads);
      for (const json& lane : op["map"]) ASSERT_EQ(lane.size(), op["values"]);
      const int held = static_cast<int>(threads) * op["values"].get<int>();
      const int copies = wmma ? op["copies"].get<int>() : 1;
      EXPECT_EQ(held, op["rows"].get<int>() * op["cols"].get<int>() * copies) << name << letter;
    }
  }
}

TEST(Fragments, M16N8K16) {
  const json a = map_of(kMma);
  EXPECT_EQ(a["shape"], json({16, 8, 16}));
  EXPECT_EQ(a["types"], json({{"D", "f32"}, {"A", "f16"}, {"B", "f16"}, {"C", "f32"}}));
  // PTX ISA: lane 17 = group 4, 1 in the group.
  EXPECT_EQ(a["operands"]["A"]["map"][17][5], json({4, 11}));
  EXPECT_EQ(a["operands"]["A"]["map"][17][6], json({12, 10}));
  EXPECT_EQ(a["operands"]["B"]["map"][17][3], json({11, 4}));
  EXPECT_EQ(a["operands"]["C"]["map"][17][2], json({12, 2}));
}

TEST(Fragments, QuadsNameTheirLanes) {
  const json a = map_of("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16");
  EXPECT_EQ(a["lanes"], json({0, 1, 2, 3, 16, 17, 18, 19}));
  EXPECT_EQ(a["operands"]["C"]["bits"], 16);
  EXPECT_EQ(a["operands"]["D"]["bits"], 32);
  EXPECT_EQ(a["operands"]["C"]["map"][4],
            json({{4, 0}, {4, 1}, {4, 2}, {4, 3}, {4, 4}, {4, 5}, {4, 6}, {4, 7}}));
  // PTX ISA: X = (laneid & 1) + (i & 2), lane 16 is below lane 0.
  EXPECT_EQ(a["operands"]["D"]["map"][4][3], json({6, 1}));
}

TEST(Fragments, LdmatrixAndMovmatrix) {
  const json a = map_of("ldmatrix.sync.aligned.m8n8.x4.shared.b16");
  EXPECT_EQ(a["matrices"], 4);
  const json b = map_of("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16");
  const json m = map_of("movmatrix.sync.aligned.m8n8.trans.b16");
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(a["address"][lane], json({lane / 8, lane % 8}));
    for (int v = 0; v < 8; ++v) {
      EXPECT_EQ(a["map"][lane][v], json({v / 2, lane / 4, lane % 4 * 2 + v % 2}));
    }
    for (int v = 0; v < 4; ++v) {
      EXPECT_EQ(b["map"][lane][v], json({v / 2, lane % 4 * 2 + v % 2, lane / 4}));
    }
    for (int v = 0; v < 2; ++v) {
      EXPECT_EQ(m["source"][lane][v], json({0, lane / 4, lane % 4 * 2 + v}));
      EXPECT_EQ(m["map"][lane][v], json({0, lane % 4 * 2 + v, lane / 4}));
    }
  }
}

TEST(Fragments, CuteNamesAreNames) {
  EXPECT_EQ(map_of("SM80_16x8x16_F32F16F16F32_TN"), map_of(kMma));
  EXPECT_EQ(map_of("SM75_U32x4_LDSM_N")["atom"], "ldmatrix.sync.aligned.m8n8.x4.shared.b16");
  EXPECT_EQ(map_of("SM90_64x64x16_F32F16F16_RS")["atom"],
            "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16");
}

TEST(Fragments, Search) {
  const json found = run_cli({"fragments", "--search", "16x8x16 bf16", "--json"}).json();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
  const CliResult text = run_cli({"fragments", "--search", "16x8x16", "bf16", "--list"});
  EXPECT_EQ(text.out, found[0].get<std::string>() + "\n");
  // With --all their maps.
  const json maps = run_cli({"fragments", "--all", "--search", "fp8 sm_89", "--json"}).json();
  ASSERT_GE(maps.size(), 16u);
  for (const json& map : maps) EXPECT_EQ(map["operands"]["A"]["bits"], 8);
}

TEST(Fragments, OneOperand) {
  const json a =
      run_cli({"fragments", "--atom", kMma, "--operand", "B", "--json"}).json()["operands"];
  EXPECT_EQ(keys(a), Names{"B"});
  EXPECT_EQ(a["B"], map_of(kMma)["operands"]["B"]);
  const json d =
      run_cli({"fragments", "--atom", kMma, "--operand", "D", "--json"}).json()["operands"];
  EXPECT_EQ(d["D"], map_of(kMma)["operands"]["C"]);  // as C is held
  const std::string cpp =
      run_cli({"fragments", "--atom", kMma, "--operand", "A", "--format", "cpp"}).out;
  EXPECT_NE(cpp.find("a_coord"), std::string::npos);
  EXPECT_EQ(cpp.find("b_coord"), std::string::npos);
}

/// Each line of a CSV against the JSON of the same instruction.
void expect_csv(const std::string& atom) {
  const json map = map_of(atom);
  const Names lines = lines_of(run_cli({"fragments", "--atom", atom, "--format", "csv"}).out);
  ASSERT_FALSE(lines.empty());
  const bool quads = map.contains("lanes");
  const std::string lane_name = map["threads"] == 128 ? "thread" : "lane";
  EXPECT_EQ(lines[0], "operand," + std::string(quads ? "group," : "") + lane_name +
                          ",register,slot,value,row,col");
  size_t at = 1;
  for (const auto& [letter, op] : map["operands"].items()) {
    if (op.is_null()) continue;
    for (int g = 0; g < (quads ? 4 : 1); ++g) {
      for (size_t t = 0; t < op["map"].size(); ++t) {
        const int lane = (quads ? map["lanes"][t].get<int>() : static_cast<int>(t)) + 4 * g;
        for (size_t v = 0; v < op["map"][t].size(); ++v) {
          std::ostringstream line;
          const size_t width = op["values_per_register"];
          line << letter << ',';
          if (quads) line << g << ',';
          line << lane << ',' << v / width << ',' << v % width << ',' << v << ','
               << op["map"][t][v][0] << ',' << op["map"][t][v][1];
          ASSERT_LT(at, lines.size());
          ASSERT_EQ(lines[at++], line.str()) << atom;
        }
      }
    }
  }
  EXPECT_EQ(at, lines.size());
}

TEST(Fragments, CsvIsTheSameMap) {
  for (const char* atom : {kMma, "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16",
                           "wmma.mma.sync.aligned.row.col.m32n8k16.f32.f16",
                           "wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e5m2",
                           "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc",
                           "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64"}) {
    expect_csv(atom);
  }
  const Names ld =
      lines_of(run_cli({"fragments", "--atom", "SM75_U16x2_LDSM_T", "--format", "csv"}).out);
  ASSERT_EQ(ld.size(), 1u + 8 + 64);
  EXPECT_EQ(ld[0], "operand,lane,register,slot,value,matrix,row,col");
  EXPECT_EQ(ld[8], "address,7,,,,0,7,0");
  EXPECT_EQ(ld[10], "registers,0,0,1,1,0,1,0");
}

// Several instructions are one table, with their names: quads, wgmma and moves among them.
TEST(Fragments, CsvOfSeveralIsOneTable) {
  const Names lines =
      lines_of(run_cli({"fragments", "--all", "--search", "16x8x4 tf32", "--format", "csv"}).out);
  EXPECT_EQ(lines[0], "atom,operand,group,lane,register,slot,value,matrix,row,col");
  EXPECT_EQ(lines[1], "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32,A,,0,0,0,0,,0,0");
  const Names moves =
      lines_of(run_cli({"fragments", "--all", "--search", "ldmatrix x1", "--format", "csv"}).out);
  EXPECT_EQ(moves[0], lines[0]);
  EXPECT_EQ(moves[2], "ldmatrix.sync.aligned.m8n8.x1.shared.b16,address,,1,,,,0,1,0");
  const Names quads = lines_of(
      run_cli({"fragments", "--all", "--search", "volta mma.sync", "--format", "csv"}).out);
  ASSERT_GT(quads.size(), 100u);
  for (const std::string& line : quads) {
    ASSERT_EQ(std::count(line.begin(), line.end(), ','), 9) << line;
  }
}

TEST(Fragments, MarkdownAndLatexAreTheSameTable) {
  const Names csv = lines_of(run_cli({"fragments", "--atom", kMma, "--format", "csv"}).out);
  Names from_markdown, from_latex;
  for (const std::string& line :
       lines_of(run_cli({"fragments", "--atom", kMma, "--format", "markdown"}).out)) {
    if (!line.starts_with("| ") || line.find("---") != std::string::npos) continue;
    std::string cells;
    for (char c : line) {
      if (c != ' ') cells += c == '|' ? ',' : c;
    }
    from_markdown.push_back(cells.substr(1, cells.size() - 2));
  }
  int begins = 0, ends = 0, depth = 0;
  for (const std::string& line :
       lines_of(run_cli({"fragments", "--atom", kMma, "--format", "latex"}).out)) {
    if (line.find("\\begin{tabular}{lrrrrrr}") != std::string::npos) ++begins, ++depth;
    if (line.find("\\end{tabular}") != std::string::npos) ++ends, --depth;
    ASSERT_TRUE(depth == 0 || depth == 1);
    EXPECT_EQ(line.find("rule"), std::string::npos);  // nothing of booktabs
    const size_t end = line.find(" \\\\");
    if (end == std::string::npos) continue;
    EXPECT_EQ(depth, 1);
    std::string cells;
    for (char c : line.substr(0, end)) {
      if (c != ' ') cells += c == '&' ? ',' : c;
    }
    from_latex.push_back(cells);
  }
  EXPECT_EQ(begins, ends);
  EXPECT_GT(begins, 3);  // pages
  // Each table repeats the head.
  const auto body = [&](Names lines) {
    std::erase(lines, csv[0]);
    return lines;
  };
  EXPECT_EQ(body(from_markdown), body(csv));
  EXPECT_EQ(body(from_latex), body(csv));
}

TEST(Fragments, ProveRunsWhatIsAskedFor) {
  TILESCOPE_NEED_NVRTC();
  const CliResult one =
      run_cli({"fragments", "--prove", "--atom", kMma, "--device", "emulator", "--json"});
  EXPECT_EQ(one.code, 0) << one.err;
  ASSERT_EQ(one.json().size(), 1u) << one.out;
  EXPECT_EQ(one.json()[0]["atom"], kMma);
  const CliResult found = run_cli(
      {"fragments", "--prove", "--search", "16x8x4 tf32", "--device", "emulator", "--json"});
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(found.json().size(), 1u);
}

TEST(Fragments, TextShowsLanesAndCopies) {
  const std::string mma = run_cli({"fragments", "--atom", kMma}).out;
  EXPECT_NE(mma.find("T0 V0 T0 V1 T1 V0"), std::string::npos) << mma;
  const std::string quads = run_cli({"fragments", "--atom", "SM70_8x8x4_F32F16F16F32_TN"}).out;
  EXPECT_NE(quads.find("T19V3"), std::string::npos);  // the lane's own number
  EXPECT_NE(run_cli({"fragments", "--search", "wmma m16n16k16", "--all"}).out.find("held 2 times"),
            std::string::npos);
}

}  // namespace
}  // namespace tilescope
