// Bank conflicts of one warp's access to shared memory, found by looking at every lane.
// 32 banks of 4 bytes; a wavefront serves each bank once; lanes that read the same word share it.
// Source: CUDA C++ Programming Guide, "Shared Memory"; accesses of 8 and 16 bytes are served by
// half and quarter warps.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/layout/swizzle.h"
#include "core/model/warp_access.h"

namespace tilescope::model {

constexpr int kBanks = 32;
constexpr int kBankBytes = 4;

struct BankResult {
  int wavefronts = 0, ideal = 0;
  std::vector<int> per_phase;  // wavefronts of each phase; 0 where no lane takes part
  int conflicts() const { return wavefronts - ideal; }
};

/// ld.shared, st.shared and the shared side of cp.async: one phase for up to 4 bytes a lane, two
/// half warps for 8, four quarter warps for 16.
BankResult bank_access(const WarpAccess& access);

/// ldmatrix.x1/x2/x4: `rows` are the byte addresses of the 16-byte rows in lane order, eight a
/// phase.
BankResult bank_ldmatrix(std::span<const int64_t> rows);

/// The access of `banks --access lds.…`: lane l reads `bytes` at l × stride, swizzled.
BankResult bank_strided(int bytes, int64_t stride, Swizzle swizzle);

/// The access of `banks --access ldmatrix.…`: 16-bit elements, lane l addresses row l % 16 and byte
/// column 16 × (l / 16), rows `stride` bytes apart, base aligned to 1024, swizzled.
BankResult bank_ldmatrix_strided(int matrices, int64_t stride, Swizzle swizzle);

struct SharedSum {
  uint64_t requests = 0, wavefronts = 0, ideal = 0, bytes = 0;
  uint64_t conflicts() const { return wavefronts - ideal; }
  void add(const WarpAccess& access);
  void add_ldmatrix(std::span<const int64_t> rows);
  void add(const SharedSum& other, uint64_t times);
};

}  // namespace tilescope::model
