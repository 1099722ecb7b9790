// model: the document's keys, exact figures, and the tables of the notes.
#include <gtest/gtest.h>

#include "core/model/names.h"
#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;

void expect_keys(const json& object, std::vector<std::string> wanted) {
  for (const std::string& key : wanted) EXPECT_TRUE(object.contains(key)) << key;
}

TEST(Model, HasTheKeysOfTheContract) {
  for (const json& of : kernels_listed()) {
    const std::string kernel = of["id"];
    const CliResult r = run_cli({"model", "--kernel", kernel, "--size", "512x384x256", "--json"});
    ASSERT_EQ(r.code, 0) << r.err;
    const json m = r.json();
    expect_keys(m, {"kernel", "tile", "size", "device", "levels", "occupancy", "waves", "time",
                    "formulas"});
    EXPECT_EQ(m["kernel"], kernel);
    EXPECT_EQ(m["size"], json({512, 384, 256}));
    expect_keys(m["levels"], {"registers", "shared", "l1", "l2", "dram"});
    for (const auto& [name, level] : m["levels"].items()) expect_keys(level, {"read", "write"});
    const json& shared = m["levels"]["shared"];
    expect_keys(shared, {"wavefronts", "load_wavefronts", "joined_load_wavefronts",
                         "store_wavefronts", "conflicts"});
    EXPECT_LE(shared["joined_load_wavefronts"], shared["load_wavefronts"]);
    EXPECT_EQ(shared["wavefronts"].get<uint64_t>(), shared["load_wavefronts"].get<uint64_t>() +
                                                        shared["store_wavefronts"].get<uint64_t>());
    expect_keys(m["levels"]["l1"], {"sectors"});
    const json& l2 = m["l2_simulated"];
    EXPECT_GE(l2["dram_read"], l2["dram_read_at_best"]);
    EXPECT_LE(l2["dram_read"], l2["asked"]);
    EXPECT_FALSE(l2["hit_rate"].empty());
    expect_keys(m["occupancy"], {"ctas_per_sm", "limiter"});
    expect_keys(m["waves"], {"count", "last_fill"});
    expect_keys(m["time"], {"us", "bound"});
    EXPECT_GT(m["time"]["us"], 0);
    EXPECT_TRUE(m["formulas"].is_object());
    const int bytes =
        element_bytes(*model::element_type_named(of["types"][0][0].get<std::string>()));
    EXPECT_EQ(m["levels"]["dram"]["read"], (512 + 384) * 256 * bytes);
  }
}

TEST(Model, BytesOfTheNotesExample) {
  // 64 CTAs of 128×128×32 at 1024³ in half.
  const json m = run_cli({"model", "--tile", "block_k=32", "--json"}).json();
  EXPECT_EQ(m["levels"]["l1"]["read"], 33554432);
  EXPECT_EQ(m["levels"]["l2"]["read"], 33554432);
  EXPECT_EQ(m["levels"]["dram"]["read"], 4194304);
  EXPECT_TRUE(m["levels"]["l1"]["read"].is_number_integer());
  EXPECT_EQ(m["levels"]["shared"]["conflicts"], 0);
  EXPECT_EQ(m["tile"]["block_k"], 32);
}

TEST(Model, OtherDevices) {
  for (const char* device : {"emulator", "recorded", "recorded:H200", "RTX 3090", "A100"}) {
    const CliResult r =
        run_cli({"model", "--kernel", "thread_tile_2d", "--device", device, "--json"});
    EXPECT_EQ(r.code, 0) << device << r.err;
  }
  const json rtx =
      run_cli({"model", "--device", "RTX 3090", "--tile", "stages=2", "--json"}).json();
  EXPECT_EQ(rtx["device"], "NVIDIA GeForce RTX 3090");
  EXPECT_EQ(rtx["occupancy"]["ctas_per_sm"], 1);
}

TEST(Model, TablesOfTheNotes) {
  const json a = run_cli({"model", "--table", "001a", "--count", "elements", "--json"}).json();
  ASSERT_EQ(a.size(), 9u);
  EXPECT_EQ(keys(a[0]), (std::vector<std::string>{"bytes_per_clock", "clocks", "intensity", "mma",
                                                  "warp_tile"}));
  EXPECT_EQ(a[1]["warp_tile"], json({64, 64, 32}));
  EXPECT_DOUBLE_EQ(a[1]["intensity"], 12.8);
  EXPECT_EQ(a[1]["bytes_per_clock"], 40);
  EXPECT_EQ(a[1]["clocks"], 512);
  const json b = run_cli({"model", "--table", "001b", "--count", "elements", "--json"}).json();
  ASSERT_EQ(b.size(), 13u);
  EXPECT_EQ(b[9]["block_tile"], json({128, 128, 64}));
  EXPECT_DOUBLE_EQ(b[9]["intensity"], 32);
  const json c = run_cli({"model", "--table", "001c", "--count", "elements", "--json"}).json();
  ASSERT_EQ(c.size(), 44u);
  EXPECT_EQ(keys(c[0]),
            (std::vector<std::string>{"block_tile", "gb_per_second", "intensity", "l2_hit_percent",
                                      "mfu_percent", "ms", "problem"}));
  EXPECT_NEAR(c[36]["mfu_percent"], 15.059, 1e-3);
  const json bytes = run_cli({"model", "--table", "001c", "--json"}).json();
  EXPECT_NEAR(bytes[36]["intensity"].get<double>(), c[36]["intensity"].get<double>() / 2, 1e-9);
}

TEST(Model, TableForPeople) {
  const CliResult r = run_cli({"model"});
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.out.find("exact"), std::string::npos);
  EXPECT_NE(r.out.find("~"), std::string::npos);
  EXPECT_NE(run_cli({"model", "--table", "001b"}).out.find("10.667"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
