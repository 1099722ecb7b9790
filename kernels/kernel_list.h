// The ladder: one line a kernel. X(struct, kernel function, file)
#pragma once

#define TILESCOPE_KERNELS(X)                                \
  X(Naive, naive, "01_naive.cuh")                           \
  X(Coalesced, coalesced, "02_coalesced.cuh")               \
  X(ThreadTile2d, thread_tile_2d, "05_thread_tile_2d.cuh")  \
  X(Wmma, wmma, "09_wmma.cuh")                              \
  X(MmaMultistage, mma_multistage, "11_mma_multistage.cuh") \
  X(MmaStreamK, mma_stream_k, "13_mma_stream_k.cuh")
