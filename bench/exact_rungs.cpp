// libraries: tilescope_worker_engine tilescope_kernels
// C of each rung on the first card against C of the emulator, in every bit: random tiles and
// problems. bench/exact_products/README.md says how it is run.
//   bench_exact_rungs [TILES A RUNG 20] [SEED 1] [emulate] [FIRST RUNG 1]     emulate: without a
//   card, only that it runs
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/model/names.h"
#include "emulator/arithmetic.h"
#include "tests/random_tile.h"
#include "worker/engine/compile/compiler.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/emulate/emulated_gemm.h"
#include "worker/engine/emulate/run_pass.h"
#include "worker/engine/error.h"
#include "worker/engine/gpu/gpu_session.h"
#include "worker/engine/gpu/loaded_kernel.h"
#include "worker/engine/methods.h"

namespace {

using namespace tilescope;
using namespace tilescope::worker;

/// A legal tile and a problem that is ragged more often than not.
KernelRequest random_request(const KernelEntry& kernel, const DeviceLimits& limits,
                             std::mt19937& random) {
  for (;;) {
    KernelRequest request{kernel.info.id, random_tile(kernel, random), default_problem(kernel.info),
                          limits.sm_count};
    Problem& p = request.problem;
    const auto some = [&](int most) { return 1 + static_cast<int>(random() % most); };
    p.m = some(300), p.n = some(300), p.k = some(500);
    if (random() % 3 == 0) p.m = 16 * some(18), p.n = 16 * some(18), p.k = 32 * some(16);
    if (random() % 4 == 0) p.beta = 0.5f;
    if (kernel.validate(request.tile, p, limits).rule == Rule::none) return request;
  }
}

/// A compiler that refuses one says which.
Code code_of_rung(const KernelRequest& request, const KernelEntry& kernel,
                  const std::string& arch) {
  try {
    return code_of({}, request, arch, {});
  } catch (RpcError& error) {
    error.message = std::string(kernel.info.id) + " with " +
                    model::tile_text(request.tile, kernel.sliders) + ": " + error.message +
                    error.data.dump();
    throw;
  }
}

std::vector<std::byte> on_card(GpuSession& session, const KernelRequest& request,
                               const KernelEntry& kernel, const Code& code, const DataSpec& data,
                               size_t bytes) {
  const Gpu& gpu = session.gpu();
  const GpuProblem problem(gpu, session.tools(), request.problem, data);
  LoadedKernel loaded(gpu, problem.addresses(), request, kernel, code);
  problem.reset_c();
  loaded.enqueue();
  gpu.synchronize(loaded.name());
  std::vector<std::byte> c(bytes);
  gpu.driver().check(gpu.driver().call().copy_to_host(c.data(), problem.c(), bytes), "to read C");
  return c;
}

struct Emulated {
  std::vector<std::byte> c;
  std::string arithmetic;
};
Emulated emulated(const KernelRequest& request, const KernelEntry& kernel, const std::string& ptx,
                  const DataSpec& data) {
  GemmFill fill{data, {}, 2};
  fill.unpacked = true;
  EmulatedGemm gemm = prepare_gemm(request, kernel, ptx, fill);
  if (gemm.pass) run_pass(gemm, fill, {});
  const emulator::RunResult ran = gemm.run({});
  if (ran.fault) fail_with(*ran.fault, *gemm.program, kernel.file, ran.findings);
  const std::span<const std::byte> c = gemm.memory.bytes(gemm.c);
  const auto bytes = static_cast<size_t>(operand_buffer_bytes(request.problem, Operand::c));
  return {{c.begin(), c.begin() + static_cast<std::ptrdiff_t>(bytes)}, gemm.arithmetic()};
}

}  // namespace

int main(int argc, char** argv) try {
  const int tiles = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  std::mt19937 random(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1);
  bool without = false;
  int first = 1;
  for (int i = 3; i < argc; ++i) {
    if (std::strcmp(argv[i], "emulate") == 0) {
      without = true;
    } else {
      first = std::atoi(argv[i]);
    }
  }
  std::optional<GpuSession> session;
  if (!without) session.emplace(0);
  const std::string arch = without ? kDefaultArch : session->gpu().arch();
  const DeviceLimits limits = without ? limits_for_arch(arch) : session->gpu().limits();
  if (session) std::printf("%s, %s\n", session->gpu().name().c_str(), arch.c_str());
  bool all_equal = true;
  for (const KernelEntry& kernel : kernel_table()) {
    if (kernel.info.number < first) continue;
    int equal = 0;
    uint64_t elements = 0, wrong = 0;
    std::string arithmetic;
    for (int i = 0; i < tiles; ++i) {
      KernelRequest request = random_request(kernel, limits, random);
      request.sums_of = limits.sm;
      const Code code = code_of_rung(request, kernel, arch);
      const DataSpec data{OperandData::random, random()};
      const Emulated e = emulated(request, kernel, code.ptx, data);
      arithmetic = e.arithmetic;
      if (!session) continue;
      const std::vector<std::byte> c = on_card(*session, request, kernel, code, data, e.c.size());
      const auto bytes = static_cast<size_t>(element_bytes(request.problem.type_c));
      uint64_t differ = 0;
      for (size_t at = 0; at < c.size(); at += bytes) {
        differ += std::memcmp(&c[at], &e.c[at], bytes) != 0;
      }
      equal += differ == 0, wrong += differ, elements += c.size() / bytes;
      if (differ != 0) {
        const Problem& p = request.problem;
        std::printf("  %s %d x %d x %d beta %g: %llu elements differ\n", kernel.info.id, p.m, p.n,
                    p.k, static_cast<double>(p.beta), static_cast<unsigned long long>(differ));
      }
    }
    std::printf("%-20s %d of %d equal in every bit, %llu of %llu elements differ; %s\n",
                kernel.info.id, equal, tiles, static_cast<unsigned long long>(wrong),
                static_cast<unsigned long long>(elements), arithmetic.c_str());
    all_equal = all_equal && (!session || equal == tiles);
  }
  return all_equal ? 0 : 1;
} catch (const RpcError& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 2;
}
