// Tensor maps by launch sheets, end to end: a kernel that nvcc has compiled, and what is refused.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_cli.h"

namespace tilescope {
namespace {

using nlohmann::json;

std::string written_sheet(const std::string& text) {
  std::string file = scratch_folder() + "/maps.json";
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

// A kernel of wgmma and TMA, whose parameters are tensor maps by value and a struct.
TEST(TensorMaps, OfASheet) {
  const std::string ptx =
      std::string(TILESCOPE_SOURCE_DIR) + "/tests/emulator/kernels/wgmma_ring.ptx";
  const json args = {
      "tensormap:4:f16:128x64:64x64:swizzle=128", "tensormap:5:f16:128x32:64x32:swizzle=128",
      "tensormap:6:f32:32x64:32x16:swizzle=128",
      // M, N, K, ldc, alpha, beta; C; how the work is shared, which one CTA does not
      "bytes:400000002000000080000000200000000000803f00000000,@6,"
      "08000000000000000000000000000000,@6,@6",
      "buf:f16:64x128:random:in", "buf:f16:32x128:random:in", "buf:f32:64x32:zeros:out"};
  const auto run = [&](const std::string& map) {
    json sheet = {{"entry", "gemm_plain"}, {"grid", {1, 1, 1}}, {"block", {128, 1, 1}}};
    sheet["shared"] = 65536;
    sheet["args"] = args;
    if (!map.empty()) sheet["args"][0] = map;
    sheet["gemm"] = {{"a", 4}, {"b", 5}, {"c", 6}, {"m", 64}, {"n", 32}, {"k", 128}};
    sheet["gemm"]["layout"] = "TN";
    return run_cli({"emulate", "--ptx", ptx, "--sheet", written_sheet(sheet.dump()), "--check"});
  };
  const CliResult right = run("");
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_NE(right.out.find("right: 2,048 of 2,048 elements"), std::string::npos) << right.out;
  const auto refused = [&](const std::string& map, const char* words) {
    const CliResult r = run(map);
    EXPECT_EQ(r.code, 2) << map;
    EXPECT_NE(r.err.find(words), std::string::npos) << r.err;
  };
  refused("tensormap:4:f16:128x65:64x64", "its tensor takes 16640 bytes of argument 4, which has");
  refused("tensormap:3:f16:128x64:64x64", "its tensor lies in argument 3, which is no buffer");
  refused("tensormap:9:f16:128x64:64x64", "its tensor lies in argument 9, which is not there");
  refused("tensormap:4:f16:128x64:64x300", "the box's size 300 of dimension 1 is not within 1 to");
  refused("tensormap:4:f16:100x64:64x64", "the stride of 200 bytes of dimension 1");
  refused("tensormap:4:f16:128x64", "write tensormap:ARGUMENT:TYPE:DIMS:BOX");
  // A box that is smaller than what the kernel waits for.
  const CliResult waits = run("tensormap:4:f16:128x64:64x32:swizzle=128");
  EXPECT_NE(waits.code, 0);
  EXPECT_NE(waits.err.find("0 of 1 arrivals and 4096 bytes have yet to come"), std::string::npos)
      << waits.err;
}

}  // namespace
}  // namespace tilescope
