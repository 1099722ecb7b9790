#include "core/model/sentences.h"

#include <gtest/gtest.h>

#include <string>

#include "core/model/format.h"
#include "kernels/registry.h"

namespace tilescope::model {
namespace {

std::string why(const char* id, const TileConfig& tile, const Problem& p,
                const DeviceLimits& device = {}) {
  const KernelEntry* kernel = find_kernel(id);
  const Violation v = kernel->validate(tile, p, device);
  return sentence(v, tile, p, kernel->plan(tile, p), device);
}
TileConfig start(const char* id) { return find_kernel(id)->sliders.defaults(); }
Problem problem(const char* id) { return default_problem(find_kernel(id)->info); }

TEST(Sentences, SharedMemoryShowsTheSumAndTheLimit) {
  TileConfig tile = start("mma_multistage");
  tile.stages = 8;
  EXPECT_EQ(why("mma_multistage", tile, problem("mma_multistage")),
            "shared memory: 8 stages × (128×64 + 64×128) halves = 262,144 B; a block on this GPU "
            "has 232,448 B: 7 stages fit");
}

TEST(Sentences, SumsOfCThatDoNotFitAreNamed) {
  TileConfig tile = start("wmma");
  tile.block_m = tile.block_n = 128, tile.warps_k = 2;
  DeviceLimits small;
  small.shared_per_block = 101376;
  EXPECT_EQ(
      why("wmma", tile, problem("wmma"), small),
      "shared memory: 128×128 floats of C of 2 parts of k and padding = 135,168 B; a block on "
      "this GPU has 101,376 B: lower block M or N");
}

TEST(Sentences, Extents) {
  Problem p = problem("naive");
  p.n = 0;
  EXPECT_EQ(why("naive", start("naive"), p), "N is 0; choose 1 to 1,048,576");
}

TEST(Sentences, LeadingDimensions) {
  Problem p = problem("naive");
  p.lda = p.k - 1;
  EXPECT_EQ(why("naive", start("naive"), p),
            "the leading dimension of A is 1,023; a line of it needs 1,024: raise it, or leave it "
            "out");
  p.lda = kMaxLeadingDimension + 1;
  EXPECT_EQ(why("naive", start("naive"), p),
            "the leading dimension of A is 1,099,511,627,777; 1,099,511,627,776 is the most that "
            "can be addressed: lower it, or leave it out");
  p.lda = kMaxLeadingDimension;
  EXPECT_EQ(why("naive", start("naive"), p), "");
}

TEST(Sentences, TypesAndOrder) {
  Problem p = problem("mma_multistage");
  p.type_a = p.type_b = ElementType::f32;
  EXPECT_EQ(why("mma_multistage", start("mma_multistage"), p),
            "element types f32 × f32 → f32: this kernel computes f16 × f16 → f32, bf16 × bf16 → "
            "f32, f16 × f16 → f16; choose those or another kernel");
  p = problem("extra");
  p.order_b = Order::column_major;
  EXPECT_EQ(why("extra", start("extra"), p),
            "B is column-major; this kernel takes B row-major: change the layout or the kernel");
}

TEST(Sentences, OldDevice) {
  DeviceLimits device;
  device.sm = 75;
  EXPECT_EQ(why("mma_multistage", start("mma_multistage"), problem("mma_multistage"), device),
            "compute capability 7.5: this kernel needs 8.0 or newer; choose another kernel or "
            "device");
}

TEST(Sentences, ValueNotOffered) {
  TileConfig tile = start("mma_multistage");
  tile.block_m = 100;
  const Violation v = find_kernel("mma_multistage")->validate(tile, problem("mma_multistage"), {});
  EXPECT_EQ(sentence(v, tile, problem("mma_multistage"), {}, {}),
            "block M is 100; the nearest that this kernel offers is 128");
}

TEST(Sentences, NotDivisible) {
  TileConfig tile = start("mma_multistage");
  tile.block_m = 64, tile.warp_m = 128;
  const Violation v = find_kernel("mma_multistage")->validate(tile, problem("mma_multistage"), {});
  EXPECT_EQ(sentence(v, tile, problem("mma_multistage"), {}, {}),
            "block M 64 is smaller than warp M 128; lower warp M or raise block M");
}

TEST(Sentences, Clusters) {
  TileConfig tile = start("wgmma_cluster");
  DeviceLimits hopper;
  hopper.sm = 90;
  tile.cluster_m = tile.cluster_n = 4;
  EXPECT_EQ(why("wgmma_cluster", tile, problem("wgmma_cluster"), hopper),
            "a cluster of 16 CTAs; 8 is the most: lower cluster M or cluster N");
  tile.cluster_n = 1, tile.block_n = 16;
  EXPECT_EQ(why("wgmma_cluster", tile, problem("wgmma_cluster"), hopper),
            "block N is 16; cluster M is 4, and each of those CTAs copies lines in eights: raise "
            "block N or lower cluster M");
  Problem along_n = problem("wgmma_cluster");  // lines of B are along n: those of k are shared
  along_n.order_b = Order::row_major;
  EXPECT_EQ(why("wgmma_cluster", tile, along_n, hopper), "");
}

TEST(Sentences, Threads) {
  TileConfig tile = start("thread_tile_2d");
  tile.thread_m = tile.thread_n = 1;
  EXPECT_EQ(why("thread_tile_2d", tile, problem("thread_tile_2d")),
            "threads: (128/1) × (128/1) = 16,384 per block; a block on this GPU has 1,024: raise "
            "thread M or N or lower block M or N");
  tile = start("naive");
  tile.block_m = 8, tile.block_n = 1;
  EXPECT_EQ(why("naive", tile, problem("naive")),
            "threads: 8 × 1 = 8 per block; one warp already has 32: raise block M or N");
}

TEST(Sentences, Registers) {
  TileConfig tile = start("mma_multistage");
  tile.block_n = 256, tile.warp_m = 128, tile.warp_n = 128, tile.block_m = 128;
  const std::string text = why("mma_multistage", tile, problem("mma_multistage"));
  EXPECT_EQ(text.rfind("registers: about ", 0), 0u) << text;
  EXPECT_NE(text.find("512 of them for C"), std::string::npos) << text;
  EXPECT_NE(text.find("255"), std::string::npos) << text;
}

TEST(Sentences, NothingForALegalTile) {
  EXPECT_EQ(why("naive", start("naive"), problem("naive")), "");
}

TEST(Format, RatesHaveDigitsBeforeThePoint) {
  EXPECT_EQ(rate_text(612.34), "612.3 TFLOPS");
  EXPECT_EQ(rate_text(1), "1 TFLOPS");
  EXPECT_EQ(rate_text(0.0178), "17.8 GFLOPS");
  EXPECT_EQ(rate_text(0.0001786), "178.6 MFLOPS");
}

TEST(Format, Numbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(-1000), "-1,000");
  EXPECT_EQ(grouped(-100), "-100");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(four_digits(12.3456), "12.35");
  EXPECT_EQ(four_digits(5), "5");
  EXPECT_EQ(four_digits(123456.7), "123,457");
  EXPECT_EQ(bytes_text(33554432), "33.55 MB");
  EXPECT_EQ(bytes_text(12), "12 B");
  EXPECT_EQ(time_text(1234), "1.234 ms");
}

}  // namespace
}  // namespace tilescope::model
