// The part of nvMatmulHeuristics's C interface that is used, as of 0.1: declared here since most
// machines lack the header; checked against it where it exists (matmul_heuristics_api.cpp).
#pragma once
#include <cstdint>

namespace tilescope::worker::heuristics {

struct Problem {
  uint32_t m, n, k, batch;
  uint8_t layout;
};
struct Configuration {
  uint16_t cta[3], warp[3], instruction[3];  // m, n, k
  uint16_t split_k;
  uint8_t stages, swizzle, order;
  uint8_t cluster[2];
};

constexpr unsigned kVersionMajor = 0, kVersionMinor = 1;
constexpr int kSuccess = 1, kNoProfile = 2;
/// The backend to ask: kernels of mma.sync whose CTAs go down a group of tile rows and then along,
/// as our rungs do.
constexpr int kTargetTriton = 3;
/// In terms of row-major matrices: the letters say which operand is transposed.
enum Layout : uint8_t { kLayoutNN = 0, kLayoutNT = 1, kLayoutTN = 2, kLayoutTT = 3 };
/// Of a backend, each a 32-bit number.
enum Property : int {
  kSliceK = 0,        // may warps share a slice of k?
  kColumnRaster = 1,  // may CTAs go along the other way?
  kSplitK = 6,        // a SplitK
  kTileMultipleM = 13,
  kTileMultipleN = 14
};
enum SplitK : int32_t { kSplitNone = 0, kSplitOutOfPlace = 2 };
/// Ranks many candidates by its model of time.
constexpr unsigned kRankByTime = 8;
enum Metric : int {
  kRuntime = 0,
  kL2HitRate = 1,
  kDramLoadBytes = 5,
  kDramStoreBytes = 6,
  kL2LoadBytes = 7,
  kRelativeRuntime = 14
};

struct Functions {
  unsigned (*version_major)();
  unsigned (*version_minor)();
  unsigned (*version_patch)();
  int (*create)(void** handle);
  int (*card_create)(void** card);
  int (*card_destroy)(void** card);
  int (*card_set)(void* card, int gpu);
  int (*backend_create)(void** backend, int target);
  int (*backend_destroy)(void** backend);
  int (*backend_set)(void* backend, int property, const void* value, unsigned bytes);
  int (*load_profile)(void* handle, const char* precision, int target, int layout, void* card);
  unsigned (*configurations)(void* handle, const char* precision, unsigned flags, void* backend,
                             const Problem* problem, Configuration* out, unsigned wanted,
                             void* card);
  double (*estimate)(void* handle, const char* precision, void* backend, const Problem* problem,
                     const Configuration* configuration, int metric, void* card);
};

}  // namespace tilescope::worker::heuristics
