// A mistake in each rung's own file, of the kinds that people make: each is caught, by a wrong
// result or by the checks.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "support.h"
#include "worker/engine/compile/legal.h"
#include "worker/engine/emulate/emulate.h"
#include "worker/engine/error.h"
#include "worker/engine/parallel.h"
#include "worker/messages/findings.h"

namespace tilescope::worker {
namespace {

struct Planted {
  const char *kernel, *right, *wrong;
  TileFieldId field = TileFieldId::none;  // that must have a value for the code to be there
  int value = 0;
};
constexpr Planted kPlanted[] = {
    // A swapped index.
    {"naive", "S.order_b, args.ldb, k, col", "S.order_b, args.ldb, col, k"},
    {"thread_tile_1d", "value_coord(P.atom.a, i).row", "value_coord(P.atom.a, i).col",
     TileFieldId::thread_m, 4},
    {"vectorized", "shared_offset(P.shared_b(), mine.col, 0)",
     "shared_offset(P.shared_b(), mine.row, 0)"},
    {"warp_tile", "multiply_double_buffered<P>(args, first, sums)",
     "multiply_double_buffered<P>(args, {first.col, first.row}, sums)"},
    {"mma_sync", "copy_b.issue(k0, args.k, stage)", "copy_b.issue(0, args.k, stage)"},
    // A missing barrier.
    {"block_tile", "    }\n    __syncthreads();", "    }"},
    {"wmma", "  __syncthreads();\n#pragma unroll 4", "#pragma unroll 4"},
    // Four stages: with two and three no k that is tried ends in a stage that the next tile fills.
    {"mma_persistent", "    __syncthreads();\n    const Coord done", "    const Coord done",
     TileFieldId::stages, 4},
    // A missing wait.
    {"double_buffer", "      cp_async_wait<0>();\n      __syncthreads();\n    }",
     "      __syncthreads();\n    }", TileFieldId::prefetch, 1},
    {"mma_multistage", "cp_async_wait<kStages - 2>();\n          __syncthreads();",
     "cp_async_wait<kStages - 1>();\n          __syncthreads();"},
    {"mma_stream_k", "if (waits && threadIdx.x == 0) wait_for(arrived, parts.count - 1);", "",
     TileFieldId::splits, 0},
    // A missing tail.
    {"coalesced", "if ((S.edge_m && row >= args.m) || (S.edge_n && col >= args.n)) return;", ""},
    {"thread_tile_2d", "S.edge_n, S.edge_k>", "S.edge_n, false>", TileFieldId::block_k, 8},
};

/// What was found of it; empty: nothing.
std::string found(const KernelRequest& request, const std::string& ptx) {
  EmulateOptions options;
  options.threads = host_threads();
  options.scope = EmulateOptions::Scope::whole;
  try {
    const EmulateResult result = emulate(request, kernel_of(request), ptx, options);
    if (!result.verified || !result.verified->ok) return "wrong result";
    if (const CodeFinding* finding = first_error(result.checks.findings)) return finding->kind;
  } catch (const RpcError& error) {
    return error.message;
  }
  return {};
}

TEST(Planted, OneMistakeARungIsCaughtEachTime) {
  std::set<std::string> rungs;
  for (const Planted& p : kPlanted) {
    const KernelEntry& kernel = *find_kernel(p.kernel);
    const std::string path = std::string(TILESCOPE_SOURCE_DIR "/kernels/") + kernel.file;
    std::string text = file_text(path);
    const size_t at = text.rfind(p.right);
    ASSERT_NE(at, text.npos) << p.kernel << " " << p.right;
    text.replace(at, std::string(p.right).size(), p.wrong);
    TemporaryFolder folder;
    write_text(folder.path() + "/" + kernel.file, text);
    rungs.insert(p.kernel);
    // The default tile and two of any kind, on a problem with ragged ends in which k has several
    // slices, copies can be asynchronous, and CTAs have several tiles or share them.
    KernelRequest request = default_request(p.kernel, 300, 290, 532);
    request.sms = 4;
    std::vector<TileConfig> tiles =
        random_legal_tiles(kernel, request.problem, 2, static_cast<unsigned>(at), 128 * 128);
    tiles.push_back(request.tile);
    for (const TileConfig& tile : tiles) {
      request.tile = tile;
      if (p.field != TileFieldId::none) set(request.tile, p.field, p.value);
      // Stream-K shares tiles where they leave CTAs idle.
      request.sms = 4;
      const auto shares_none = [&] {
        const WorkOrder work = plan_of(request, kernel).work;
        return shares_tiles(work) && shared_work(work).parts == 0;
      };
      while (request.sms < 64 && shares_none()) ++request.sms;
      // One warp alone needs no barrier.
      if (!kernel.validate(request.tile, request.problem, DeviceLimits{}).legal() ||
          plan_of(request, kernel).warps() == 1) {
        EXPECT_FALSE(tile == tiles.back()) << "the default tile must do";
        continue;
      }
      EXPECT_EQ(found(request, test_compiler().compile(request, "sm_90")->result.ptx), "")
          << describe(request);
      const std::string ptx = test_compiler().compile(request, "sm_90", folder.path())->result.ptx;
      EXPECT_NE(found(request, ptx), "") << describe(request) << ": " << p.wrong;
    }
  }
  for (const KernelEntry& kernel : kernel_table()) {
    const bool here =
        std::filesystem::exists(std::string(TILESCOPE_SOURCE_DIR "/kernels/") + kernel.file);
    EXPECT_TRUE(!here || rungs.contains(kernel.info.id)) << kernel.info.id << " has no mistake";
  }
}

}  // namespace
}  // namespace tilescope::worker
