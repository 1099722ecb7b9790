// The ladder: one line per kernel. X(struct, kernel function, file)
#pragma once

#define TILESCOPE_KERNELS(X)                                     \
  X(Naive, naive, "01_naive.cuh")                                \
  X(Coalesced, coalesced, "02_coalesced.cuh")                    \
  X(BlockTile, block_tile, "03_block_tile.cuh")                  \
  X(ThreadTile1d, thread_tile_1d, "04_thread_tile_1d.cuh")       \
  X(ThreadTile2d, thread_tile_2d, "05_thread_tile_2d.cuh")       \
  X(Vectorized, vectorized, "06_vectorized.cuh")                 \
  X(DoubleBuffer, double_buffer, "07_double_buffer.cuh")         \
  X(WarpTile, warp_tile, "08_warp_tile.cuh")                     \
  X(Wmma, wmma, "09_wmma.cuh")                                   \
  X(MmaSync, mma_sync, "10_mma_sync.cuh")                        \
  X(MmaMultistage, mma_multistage, "11_mma_multistage.cuh")      \
  X(MmaPersistent, mma_persistent, "12_mma_persistent.cuh")      \
  X(MmaStreamK, mma_stream_k, "13_mma_stream_k.cuh")             \
  X(WgmmaTma, wgmma_tma, "14_wgmma_tma.cuh")                     \
  X(WgmmaWarpRoles, wgmma_warp_roles, "15_wgmma_warp_roles.cuh") \
  X(WgmmaCluster, wgmma_cluster, "16_wgmma_cluster.cuh")         \
  X(Fp8, fp8, "17_fp8.cuh")                                      \
  X(Tf32x3, tf32x3, "18_tf32x3.cuh")
