// The proof of the lane maps: numbered data through ldmatrix and mma on the card, against
// core/layout.
#include "core/layout/matrix_move.h"
#include "core/layout/mma.h"
#include "gpu_fixture.h"
#include "worker/engine/compile/compiler.h"

namespace tilescope::worker {
namespace {

// A is 16 × 16 with A[m][k] = 16 m + k; B, stored [n][k], is 16 × 16 with ones where n == k, so
// that the products are A's own first (and second) eight columns. Every lane writes what it holds.
const char* const kSource = R"cuda(
extern "C" __global__ void __launch_bounds__(32) lanes(unsigned* to, const unsigned* rows) {
  __shared__ __align__(128) unsigned short a[256], b[256];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) {
    unsigned short tag, unit;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(tag) : "f"((float)i));
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(unit) : "f"(i / 16 == i % 16 ? 1.0f : 0.0f));
    a[i] = tag, b[i] = unit;
  }
  __syncwarp();
  unsigned fa[4], fb[4];
  const unsigned from_a = (unsigned)__cvta_generic_to_shared(a) + rows[lane];
  const unsigned from_b = (unsigned)__cvta_generic_to_shared(b) + rows[32 + lane];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(from_a) : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3]) : "r"(from_b) : "memory");
  float c[2][4] = {};
  for (int n = 0; n < 2; ++n) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[n][0]), "+f"(c[n][1]), "+f"(c[n][2]), "+f"(c[n][3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * n]), "r"(fb[2 * n + 1]));
  }
  unsigned* mine = to + lane * 16;
  for (int r = 0; r < 4; ++r) {
    for (int half = 0; half < 2; ++half) {
      float value;
      const unsigned short bits = (unsigned short)(fa[r] >> (16 * half));
      asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
      mine[r * 2 + half] = (unsigned)value;
    }
  }
  for (int i = 0; i < 8; ++i) mine[8 + i] = (unsigned)c[i / 4][i % 4];
}
)cuda";

TEST(LaneMap, LdmatrixAndMmaHoldWhatTheLayoutSays) {
  TILESCOPE_NEED_GPU(session);
  const Gpu& gpu = session.gpu();
  if (gpu.limits().sm < 80) GTEST_SKIP() << "needs compute capability 8.0";
  const auto compiled = Compiler::shared().compile(SourceRequest{kSource, {}, gpu.arch()});
  const GpuModule module(gpu, compiled->cubin, compiled->result.ptx, "NVRTC");
  const GpuBuffer out(gpu, 32 * 16 * sizeof(unsigned)), rows(gpu, 64 * sizeof(unsigned));
  for (unsigned lane = 0; lane < 32; ++lane) {
    const Coord a = ldmatrix_row(ldmatrix_for_a(), static_cast<int>(lane));
    const Coord b = ldmatrix_row(ldmatrix_for_b(), static_cast<int>(lane));
    const auto put = [&](unsigned index, Coord at) {
      gpu.driver().check(gpu.driver().call().set_words(
                             rows.address() + index * 4,
                             static_cast<unsigned>((at.row * 16 + at.col) * 2), 1, gpu.stream()),
                         "to write an address");
    };
    put(lane, a), put(32 + lane, b);
  }
  cuda::DevicePointer to = out.address(), from = rows.address();
  void* parameters[] = {&to, &from};
  launch(gpu, module.function("lanes"), {.threads = 32}, parameters, "lanes");
  gpu.synchronize("lanes");
  unsigned found[32][16];
  out.read(found, sizeof found);
  const MmaAtom atom = mma_m16n8k16_f16_f32();
  for (int lane = 0; lane < 32; ++lane) {
    for (int v = 0; v < 8; ++v) {
      const Coord at = fragment_coord(atom.a, lane, v);
      EXPECT_EQ(found[lane][v], static_cast<unsigned>(at.row * 16 + at.col)) << lane << ", a" << v;
    }
    for (int n = 0; n < 2; ++n) {
      for (int v = 0; v < 4; ++v) {
        const Coord at = fragment_coord(atom.c, lane, v);
        EXPECT_EQ(found[lane][8 + n * 4 + v], static_cast<unsigned>(at.row * 16 + at.col + 8 * n))
            << lane << ", c" << v << " of tile " << n;
      }
    }
  }
}

}  // namespace
}  // namespace tilescope::worker
