// One warp instruction that touches memory, lane by lane, and what the hardware makes of it.
// Shared memory: 32 banks of 4 bytes; a wavefront serves each bank once; lanes that read the same
// word share it; accesses of 8 and 16 bytes are served for half and quarter warps at a time, loads
// for twice as many lanes if all neighbours share addresses (lanes_pair). Global memory: a request
// costs its distinct 32-byte sectors, in 128-byte lines. Source: CUDA C++ Programming Guide,
// "Shared Memory" and "Device Memory Accesses", and counters of a card (docs/performance.md).
#pragma once
#include "core/layout/layout.h"
#include "core/layout/matrix_move.h"
#include "core/layout/swizzle.h"

namespace tilescope {

constexpr int kWarpLanes = 32;
constexpr int kSectorBytes = 32;
constexpr int kLineBytes = 128;
constexpr int kBanks = 32;
constexpr int kBankBytes = 4;

/// What decides how many lanes shared memory serves at a time. `rows`: the 16-byte rows of ldmatrix
/// and stmatrix, always eight per phase. `store`: what is written lane by lane, by st.shared and by
/// the shared side of cp.async. `load`: ld.shared, which gains from lanes_pair().
enum class SharedUse : unsigned char { load, store, rows };

/// Byte addresses of the lanes that take part; `bytes` is the width of one lane's access (1…16).
struct WarpAccess {
  long long address[kWarpLanes] = {};
  unsigned active = 0;  // lane mask
  int bytes = 4;
  SharedUse use = SharedUse::load;

  constexpr void add(int lane, long long at) {
    address[lane] = at;
    active |= 1u << lane;
  }
};

/// The swizzle of byte offset `at` that lanes see; padding is a matter of the stride.
constexpr long long swizzled(Swizzle mode, long long at) {
  return at ^ ((at & (static_cast<long long>(static_cast<int>(mode)) << 7)) >> 3);
}

/// Lane l accesses `bytes` at base + l × stride, swizzled.
constexpr WarpAccess strided_access(int bytes, long long stride, Swizzle mode = Swizzle::none,
                                    long long base = 0) {
  WarpAccess access;
  access.bytes = bytes;
  for (int lane = 0; lane < kWarpLanes; ++lane)
    access.add(lane, swizzled(mode, base + lane * stride));
  return access;
}

/// ldmatrix or stmatrix of `matrices` 8×8 matrices of a tile whose rows are `stride` bytes apart:
/// lane l addresses row l % 16 and byte column 16 × (l / 16), swizzled.
constexpr WarpAccess matrix_access(int matrices, long long stride, Swizzle mode = Swizzle::none,
                                   long long base = 0) {
  WarpAccess access;
  access.bytes = kMatrixRowBytes, access.use = SharedUse::rows;
  for (int lane = 0; lane < matrices * kMatrixRows; ++lane) {
    access.add(lane, swizzled(mode, base + lane % 16 * stride + lane / 16 * kMatrixRowBytes));
  }
  return access;
}

/// How many aligned blocks of `block` bytes (a power of two) the active lanes touch, with `base`
/// added to all addresses. A lane's access must not touch more than two blocks.
constexpr int distinct_blocks(const WarpAccess& access, int block, long long base = 0) {
  long long seen[2 * kWarpLanes] = {};
  long long highest = 0;
  int count = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((access.active >> lane & 1u) == 0) continue;
    const long long from = base + access.address[lane];
    for (long long at = from / block; at <= (from + access.bytes - 1) / block; ++at) {
      bool known =
          count > 0 && at <= highest;  // lanes mostly ascend: then nothing needs to be looked up
      for (int i = count - 1; i >= 0 && known; --i) {
        if (seen[i] == at) break;
        if (i == 0) known = false;
      }
      if (known) continue;
      seen[count++] = at;
      if (at > highest) highest = at;
    }
  }
  return count;
}
constexpr int sectors_of(const WarpAccess& access, long long base = 0) {
  return distinct_blocks(access, kSectorBytes, base);
}
constexpr int lines_of(const WarpAccess& access, long long base = 0) {
  return distinct_blocks(access, kLineBytes, base);
}

/// Sectors that a copy of 16 bytes per lane fetches from the L2 when it bypasses the L1. A sector
/// is fetched once for each aligned block of 32 bytes of shared memory that it goes to, so that one
/// whose halves go to different blocks is fetched twice. Found from what SMs of an H200 receive
/// (docs/performance.md, "The time model").
constexpr int fetched_sectors(const WarpAccess& global, const WarpAccess& shared,
                              long long base = 0) {
  long long seen[kWarpLanes][2] = {};
  int count = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((global.active >> lane & 1u) == 0) continue;
    const long long from = (base + global.address[lane]) / kSectorBytes;
    const long long to = shared.address[lane] / kSectorBytes;
    bool known = false;
    for (int i = count - 1; i >= 0 && !known; --i) known = seen[i][0] == from && seen[i][1] == to;
    if (known) continue;
    seen[count][0] = from, seen[count][1] = to;
    ++count;
  }
  return count;
}

/// Wavefronts of each phase; 0 where no lane takes part.
struct BankPhases {
  static constexpr int kMost = 4;
  int phases = 0;
  int wavefronts[kMost] = {};

  constexpr int total() const {
    int sum = 0;
    for (int i = 0; i < phases; ++i) sum += wavefronts[i];
    return sum;
  }
  /// One for each phase that some lane takes part in.
  constexpr int ideal() const {
    int sum = 0;
    for (int i = 0; i < phases; ++i) sum += wavefronts[i] > 0 ? 1 : 0;
    return sum;
  }
  constexpr int conflicts() const { return total() - ideal(); }
};

/// Phases of a warp access of this many bytes per lane: eight lanes serve 16 bytes each.
constexpr int phases_of(int bytes) { return bytes <= kBankBytes ? 1 : bytes / kBankBytes; }

/// Wavefronts of lanes [first, first + lanes): distinct words on the worst bank.
constexpr int phase_wavefronts(const WarpAccess& access, int first, int lanes) {
  long long words[2 * kWarpLanes] = {};  // unaligned accesses may touch a word more
  int per_bank[kBanks] = {};
  long long highest = 0;
  int count = 0, most = 0;
  for (int lane = first; lane < first + lanes; ++lane) {
    if ((access.active >> lane & 1u) == 0) continue;
    const long long from = access.address[lane];
    for (long long w = from / kBankBytes; w <= (from + access.bytes - 1) / kBankBytes; ++w) {
      bool known = count > 0 && w <= highest;
      for (int i = count - 1; i >= 0 && known; --i) {
        if (words[i] == w) break;
        if (i == 0) known = false;
      }
      if (known) continue;
      words[count++] = w;
      if (w > highest) highest = w;
      const int on_bank = ++per_bank[w % kBanks];
      if (on_bank > most) most = on_bank;
    }
  }
  return most;
}

/// True if every lane n and its neighbour n ^ 1, or every n and n ^ 2, have one address or one of
/// the two is off. Loads of 8 and 16 bytes are then served by twice as many lanes at a time, stores
/// are not. Measured on an H200 and an H100 (docs/performance.md, "Counters").
constexpr bool lanes_pair(const WarpAccess& access) {
  for (int bit = 1; bit <= 2; ++bit) {
    bool all = true;
    for (int lane = 0; lane < kWarpLanes && all; ++lane) {
      const int other = lane ^ bit;
      const bool both = (access.active >> lane & 1u) != 0 && (access.active >> other & 1u) != 0;
      all = !both || access.address[lane] == access.address[other];
    }
    if (all) return true;
  }
  return false;
}

/// How long a request to global memory that finds its data in the L1 keeps it busy, in cycles: the
/// L1 looks its lines up four at a time, no two with the same number modulo four, and reads one
/// word of each of 32 banks per cycle, half and quarter warps after each other for 8 and 16 bytes.
/// Found from cycles that kernels without coalescing took on an H200 (docs/performance.md, "The
/// time model"), for strides of 32 lanes from 1,252 to 29,440 bytes.
constexpr int kTagBanks = 4;
constexpr int global_wavefronts(const WarpAccess& access, long long base = 0) {
  WarpAccess moved = access;
  for (int lane = 0; lane < kWarpLanes; ++lane) moved.address[lane] += base;
  const int phases = phases_of(access.bytes), lanes = kWarpLanes / phases;
  int data = 0;
  for (int p = 0; p < phases; ++p) data += phase_wavefronts(moved, p * lanes, lanes);
  long long lines[2 * kWarpLanes] = {};
  int per_bank[kTagBanks] = {};
  int count = 0, tags = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((access.active >> lane & 1u) == 0) continue;
    const long long from = moved.address[lane];
    for (long long at = from / kLineBytes; at <= (from + access.bytes - 1) / kLineBytes; ++at) {
      bool known = false;
      for (int i = count - 1; i >= 0 && !known; --i) known = lines[i] == at;
      if (known) continue;
      lines[count++] = at;
      const int on_bank = ++per_bank[at % kTagBanks];
      if (on_bank > tags) tags = on_bank;
    }
  }
  return data > tags ? data : tags;
}

/// ld.shared, st.shared, the shared side of cp.async, ldmatrix and stmatrix (16 bytes per lane;
/// eight lanes per phase: x1 and x2 have one and two phases).
constexpr BankPhases bank_phases(const WarpAccess& access) {
  BankPhases result;
  result.phases = phases_of(access.bytes);
  if (result.phases > 1 && access.use == SharedUse::load && access.active != 0 &&
      lanes_pair(access)) {
    result.phases /= 2;
  }
  const int lanes = kWarpLanes / result.phases;
  for (int p = 0; p < result.phases; ++p)
    result.wavefronts[p] = phase_wavefronts(access, p * lanes, lanes);
  return result;
}

}  // namespace tilescope
