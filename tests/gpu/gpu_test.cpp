// Every kernel on a real GPU: right on ragged and aligned problems, measured, and how long it takes
// from a moved slider to the first TFLOPS.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gpu_fixture.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/methods.h"
#include "worker/messages/messages_json.h"

namespace tilescope::worker {
namespace {

KernelRequest request_of(const KernelEntry& kernel, int m, int n, int k) {
  KernelRequest request{kernel.info.id, kernel.sliders.defaults(), default_problem(kernel.info)};
  request.problem.m = m, request.problem.n = n, request.problem.k = k;
  return request;
}

MeasureResult measured(GpuSession& session, const KernelRequest& request,
                       const MeasureOptions& options) {
  try {
    const Code code = code_of({}, request, session.gpu().arch(), {});
    return measure(session, request, *find_kernel(request.kernel.c_str()), code, options);
  } catch (const RpcError& error) {
    ADD_FAILURE() << request.kernel << ": " << error.message;
    return {};
  }
}

TEST(Gpu, EveryKernelIsRightOnRaggedAndAlignedProblems) {
  TILESCOPE_NEED_GPU(session);
  MeasureOptions options;
  options.only_verify = true;
  for (const KernelEntry& kernel : kernel_table()) {
    for (const auto& [m, n, k] : {std::array{1, 1, 1},
                                  {17, 33, 5},
                                  {127, 129, 65},
                                  {128, 128, 128},
                                  {256, 192, 320},
                                  {1024, 1024, 1024},
                                  {1000, 1004, 1012}}) {
      KernelRequest request = request_of(kernel, m, n, k);
      for (const float beta : {0.0f, 0.5f}) {
        request.problem.beta = beta;
        const MeasureResult result = measured(session, request, options);
        ASSERT_TRUE(result.verified);
        EXPECT_TRUE(result.verified->ok) << kernel.info.id << " " << m << " " << n << " " << k
                                         << ": norm " << result.verified->norm;
      }
    }
  }
}

TEST(Gpu, RegistersFromTheCubinAreTheDriversOwn) {
  TILESCOPE_NEED_GPU(session);
  MeasureOptions options;
  options.only_verify = true;
  for (const KernelEntry& kernel : kernel_table()) {
    const KernelRequest request = request_of(kernel, 256, 256, 256);
    const auto compiled = Compiler::shared().compile(request, session.gpu().arch());
    const MeasureResult result = measured(session, request, options);
    EXPECT_EQ(result.registers, compiled->result.registers) << kernel.info.id;
    EXPECT_EQ(result.spill_bytes, compiled->result.spill_bytes) << kernel.info.id;
  }
}

TEST(Gpu, MeasuresNextToTheLibrary) {
  TILESCOPE_NEED_GPU(session);
  for (const KernelEntry& kernel : kernel_table()) {
    MeasureOptions options;
    options.seconds = 0.5;
    int told = 0;
    options.progress = [&told](const MeasureResult&) { ++told; };
    const MeasureResult result = measured(session, request_of(kernel, 2048, 2048, 2048), options);
    ASSERT_TRUE(result.tflops) << kernel.info.id;
    EXPECT_GT(*result.tflops, 0.1);
    EXPECT_GE(result.samples, 10);
    EXPECT_TRUE(result.final);
    if (result.library) {
      EXPECT_GT(result.library_tflops.value_or(0), 1.0);
    }
  }
}

TEST(Gpu, SliderToTflops) {
  TILESCOPE_NEED_GPU(session);
  const char* folder = std::getenv("OUT");
  nlohmann::json list = nlohmann::json::array();
  Compiler fresh({"", 0, 1});  // remembers nothing: every compile is a cold one
  for (const KernelEntry& kernel : kernel_table()) {
    for (const int size : {1024, 4096}) {
      const KernelRequest request = request_of(kernel, size, size, size);
      session.problem(request.problem);  // the problem stands; the tile is what moves
      using Clock = std::chrono::steady_clock;
      const auto begin = Clock::now();
      const auto ms = [&] {
        return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
      };
      const auto compiled = fresh.compile(request, session.gpu().arch());
      const double compile_ms = ms();
      Code code{compiled->result.ptx, compiled->cubin, compiled->result};
      MeasureOptions options;
      options.seconds = 1;
      options.library = false;
      double first_ms = 0;
      options.progress = [&](const MeasureResult&) {
        if (first_ms == 0) first_ms = ms();
      };
      const MeasureResult result = measure(session, request, kernel, code, options);
      if (first_ms == 0) first_ms = ms();  // done before there was anything to tell
      list.push_back({{"kernel", kernel.info.id},
                      {"size", size},
                      {"compile_ms", compile_ms},
                      {"first_tflops_ms", first_ms},
                      {"final_ms", ms()},
                      {"tflops", result.tflops.value_or(0)}});
    }
  }
  if (folder) std::ofstream(std::string(folder) + "/slider.json") << list.dump(1) << "\n";
}

}  // namespace
}  // namespace tilescope::worker
