// The children's methods as the supervisor calls them: JSON in, JSON out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/files/base64.h"
#include "engine_support.h"
#include "tests/every_kernel.h"
#include "tests/sampled.h"
#include "worker/engine/error.h"
#include "worker/engine/sass/assemble.h"
#include "worker/messages/calls_json.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_trace.h"
#include "worker/messages/motion.h"
#include "worker/messages/sass.h"
#include "worker/service.h"

namespace tilescope::worker {
namespace {

using nlohmann::json;

class Methods : public testing::Test {
 protected:
  // These calls use the process's own compiler, whose cache is found through the environment.
  static void SetUpTestSuite() { setenv("XDG_CACHE_HOME", TILESCOPE_TEST_CACHE, 1); }

  Methods() {
    context_.progress = [this](const json& p) { progress_.push_back(p); };
    context_.binary = [this](std::string_view type, std::span<const std::byte> bytes) {
      parts_.add(type, bytes);
    };
  }
  json call(const MethodTable& table, const char* method, const json& params) {
    return table.at(method)(params, context_);
  }
  RpcError error_of(const MethodTable& table, const char* method, const json& params) {
    try {
      call(table, method, params);
    } catch (const RpcError& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  CallContext context_;
  std::vector<json> progress_;
  TraceParts parts_;
};

TEST_F(Methods, AnOwnFilesMachineCodeIsOfItsKernelAlone) {
  const std::string file = TILESCOPE_SOURCE_DIR "/tests/own/sources/race.cu";
  json opened;
  try {
    opened = call(compiler_methods(), "open", {{"file", file}});
    const std::string entry = opened.at("kernels").at(0).at("signature").at("entry");
    const json asked = {{"own", {{"file", file}}}, {"entry", entry}};
    const auto listing = call(compiler_methods(), "disassemble", asked).get<SassListing>();
    EXPECT_EQ(listing.arch, "sm_90");
    EXPECT_GT(listing.registers, 0);
    EXPECT_GT(listing.instructions, 20);
    const auto linked = std::count_if(listing.lines.begin(), listing.lines.end(),
                                      [](const SassLine& l) { return l.line > 0; });
    EXPECT_GT(linked, 10) << "with lines of the file";
  } catch (const RpcError& error) {
    if (error.exit_code == kMissing) GTEST_SKIP() << error.message;
    throw;
  }
  // Of a PTX by ptxas, where there is one.
  const std::string ptx = TILESCOPE_SOURCE_DIR "/tests/own/sources/scale.ptx";
  const json of_ptx = {{"own", {{"file", ptx}}}, {"entry", "scale"}};
  if (usable_tool(ptxas_tool()).why_not.empty()) {
    const auto listing = call(compiler_methods(), "disassemble", of_ptx).get<SassListing>();
    EXPECT_EQ(listing.arch, "sm_80");
    EXPECT_GT(listing.registers, 0);
    const auto linked = std::count_if(listing.lines.begin(), listing.lines.end(),
                                      [](const SassLine& l) { return l.ptx_line > 0; });
    EXPECT_GT(linked, 5) << "with lines of the PTX";
  }
  setenv("TILESCOPE_PTXAS", "/nowhere", 1);
  EXPECT_EQ(error_of(compiler_methods(), "disassemble", of_ptx).exit_code, kMissing);
  unsetenv("TILESCOPE_PTXAS");
}

// A launch is told whole once, and then by its name; a name that nobody keeps is said to be none.
TEST_F(Methods, AStepOfAKeptLaunchIsThatOfTheWhole) {
  const MethodTable table = emulator_methods();
  calls::Step::Request whole{.of = calls::Kernel{default_request("naive", 64, 64, 64)}};
  whole.cta = BlockIndex{0, 0, 0};
  whole.from = 40;
  whole.motions = {parse_motion("k"), parse_motion("step:3")};
  whole.parts.accesses = true;
  const json first = call(table, "step", write_request<calls::Step>(whole));
  const std::string kept = first.at("kept");
  EXPECT_FALSE(kept.empty());
  calls::Step::Request named{.kept = kept};
  named.from = whole.from, named.motions = whole.motions, named.parts = whole.parts;
  json again = call(table, "step", write_request<calls::Step>(named));
  EXPECT_EQ(again.at("state"), first.at("state"));
  EXPECT_EQ(again.at("kept"), kept);
  named.kept = "another";
  EXPECT_EQ(call(table, "step", write_request<calls::Step>(named)).at("kept"), "");
  // Another CTA is another launch: the first is kept no more.
  whole.cta = BlockIndex{1, 0, 0};
  EXPECT_NE(call(table, "step", write_request<calls::Step>(whole)).at("kept"), kept);
  named.kept = kept;
  EXPECT_EQ(call(table, "step", write_request<calls::Step>(named)).at("kept"), "");
}

TEST_F(Methods, CompileGivesCodeAndItsMeasures) {
  json params = default_request("naive", 64, 64, 64);
  json result = call(compiler_methods(), "compile", params);
  EXPECT_FALSE(result.contains("cubin"));
  EXPECT_TRUE(result.at("compiler").get<std::string>().starts_with("NVRTC "));
  const auto compiled = result.get<CompileResult>();
  EXPECT_GT(compiled.registers, 0);
  EXPECT_EQ(compiled.arch, "sm_90");
  params["with_cubin"] = true;
  params["arch"] = "sm_80";
  result = call(compiler_methods(), "compile", params);
  EXPECT_EQ(result.at("arch"), "sm_80");
  const auto cubin = files::from_base64(result.at("cubin").get<std::string>());
  ASSERT_TRUE(cubin);
  EXPECT_EQ((*cubin)[0], std::byte{0x7f});
}

// The window asks so for its steps; what it then counts and animates must be the same kernel's.
TEST_F(Methods, PtxAloneIsThePtxOfTheWholeCompile) {
  for (const KernelEntry* entry : sampled(kernels_of_table(), 5)) {
    const KernelEntry& kernel = *entry;
    json params = default_request(kernel.info.id, 96, 96, 96);
    params["ptx_is_enough"] = true;
    const auto early = call(compiler_methods(), "compile", params).get<CompileResult>();
    params.erase("ptx_is_enough");
    const auto whole = call(compiler_methods(), "compile", params).get<CompileResult>();
    EXPECT_EQ(early.ptx, whole.ptx) << kernel.info.id;
    EXPECT_EQ(early.revision, whole.revision);
    EXPECT_EQ(early.arch, whole.arch);
    EXPECT_GT(whole.registers, 0);
    params["ptx_is_enough"] = true;
    const auto later = call(compiler_methods(), "compile", params).get<CompileResult>();
    EXPECT_EQ(later.registers, whole.registers) << "known by now";
    EXPECT_TRUE(later.cached);
  }
}

TEST_F(Methods, IllegalTilesAndNonsenseAreUsageErrors) {
  const MethodTable table = compiler_methods();
  json params = default_request("mma_multistage", 128, 128, 128);
  params["tile"]["warp_m"] = 96;
  RpcError error = error_of(table, "compile", params);
  EXPECT_EQ(error.exit_code, 2);
  EXPECT_EQ(error.data.at("field"), "warp_m");
  params = default_request("mma_multistage", 128, 128, 128);
  params["tile"]["block_q"] = 96;
  error = error_of(table, "compile", params);
  EXPECT_EQ(error.exit_code, 2);
  EXPECT_NE(error.message.find("block_q"), std::string::npos);
  params = default_request("mma_multistage", 128, 128, 128);
  params["problem"].erase("m");
  EXPECT_EQ(error_of(table, "compile", params).exit_code, 2);
  params = default_request("mma_multistage", 128, 128, 128);
  params["problem"]["type_a"] = "f64";
  EXPECT_EQ(error_of(table, "compile", params).exit_code, 2);
  EXPECT_EQ(error_of(table, "compile", json::array({1, 2})).exit_code, 2);
  params = default_request("mma_multistage", 128, 128, 128);
  params["kernel"] = "nothing";
  EXPECT_NE(error_of(table, "compile", params).message.find("mma_multistage"), std::string::npos);
}

TEST_F(Methods, EmulateTakesPtxFromTheSupervisor) {
  json params = default_request("thread_tile_2d", 256, 256, 64);
  params["ptx"] = call(compiler_methods(), "compile", params).at("ptx");
  params["data"] = "exact";
  const MethodTable table = emulator_methods();
  const json answer = call(table, "emulate", params);
  const auto result = answer.get<EmulateResult>();
  EXPECT_TRUE(result.whole);
  ASSERT_TRUE(result.verified);
  EXPECT_TRUE(result.verified->ok);
  EXPECT_EQ(result.verified->norm, 0);
  EXPECT_EQ(result.verified->elements, 256u * 256u);
  EXPECT_EQ(result.counted.ctas, 4u);
  EXPECT_GT(result.counted.global_load.sectors, 0u);
  EXPECT_FALSE(result.counted.source_lines.empty());
  EXPECT_TRUE(answer.contains("seed"));
  EXPECT_EQ(json(result).at("counted"), answer.at("counted"));
  params["scope"] = "classes";
  EXPECT_EQ(call(table, "emulate", params).get<EmulateResult>().counted.by_opcode,
            result.counted.by_opcode);
  EXPECT_FALSE(progress_.empty());
  EXPECT_TRUE(call(table, "counts", params).at("verified").is_null());
  EXPECT_TRUE(call(table, "verify", params).at("ok"));
  params["scope"] = "some";
  EXPECT_EQ(error_of(table, "emulate", params).exit_code, 2);
}

TEST_F(Methods, BrokenPtxIsNamedByItsLine) {
  json params = default_request("naive", 32, 32, 32);
  params["ptx"] =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry tilescope_gemm("
      "\n.param .align 8 .b8 p[56]\n)\n{\nfrobnicate.b32 %r1;\nret;\n}\n";
  const RpcError error = error_of(emulator_methods(), "emulate", params);
  EXPECT_EQ(error.exit_code, 4);
  EXPECT_NE(error.message.find('8'), std::string::npos) << error.message;
  params["ptx"] = "";
  EXPECT_EQ(error_of(emulator_methods(), "emulate", params).exit_code, 4);
}

TEST_F(Methods, TraceComesWithItsEventsAsBytes) {
  json params = default_request("mma_multistage", 256, 256, 256);
  params["cta"] = {1, 0};
  params["k_step"] = 2;
  const json answer = call(emulator_methods(), "trace", params);
  const TraceResult result = parts_.whole(answer);
  EXPECT_EQ(result.cta.x, 1);
  EXPECT_FALSE(result.events.empty());
  EXPECT_FALSE(result.raw.empty());
  parts_ = {};
  params["lanes"] = false;
  const TraceResult without = parts_.whole(call(emulator_methods(), "trace", params));
  EXPECT_EQ(without.events.size(), result.events.size());
  EXPECT_TRUE(without.raw.empty());
  params["cta"] = {7, 0};
  EXPECT_EQ(error_of(emulator_methods(), "trace", params).exit_code, 2);
}

TEST_F(Methods, DevicesAreDescribed) {
  const json devices = call(emulator_methods(), "devices", json::object()).at("devices");
  ASSERT_EQ(devices.size(), 1u);
  const auto emulator = devices[0].get<DeviceInfo>();
  EXPECT_EQ(emulator.id, "emulator");
  EXPECT_TRUE(emulator.available);
}

TEST_F(Methods, WithoutADriverEveryGpuCallSaysSo) {
  setenv("TILESCOPE_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
  const MethodTable table = device_methods(0);
  const json params = default_request("naive", 64, 64, 64);
  for (const char* method : {"devices", "measure", "verify"}) {
    const RpcError error = error_of(table, method, params);
    EXPECT_EQ(error.exit_code, 3) << method;
    EXPECT_NE(error.message.find("driver"), std::string::npos);
  }
  unsetenv("TILESCOPE_CUDA_DRIVER");
}

TEST(MessagesJson, NumbersThatJsonLacksTravelAsNull) {
  Verification v;
  v.norm = std::numeric_limits<double>::quiet_NaN();
  const auto back = json::parse(json(v).dump()).get<Verification>();
  EXPECT_TRUE(std::isnan(back.norm));
}

TEST(MessagesJson, MeasureResultKeepsWhatWasNotMeasuredEmpty) {
  MeasureResult m;
  m.device = "cuda:0";
  m.tflops = 314.5;
  m.throttle = "power cap";
  const json j = json::parse(json(m).dump());
  EXPECT_TRUE(j.at("library_tflops").is_null());
  const auto back = j.get<MeasureResult>();
  EXPECT_EQ(back.tflops, 314.5);
  EXPECT_FALSE(back.library_tflops);
  EXPECT_EQ(back.throttle, "power cap");
  EXPECT_EQ(json(back), json(m));
}

}  // namespace
}  // namespace tilescope::worker
