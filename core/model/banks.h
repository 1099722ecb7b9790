// Bank conflicts of warp accesses to shared memory: the rules are core/layout/warp_access.h's.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/global_access.h"

namespace tilescope::model {

struct BankResult {
  int wavefronts = 0, ideal = 0;
  std::vector<int> per_phase;  // wavefronts of each phase; 0 where no lane takes part
  int conflicts() const { return wavefronts - ideal; }
};

/// Wavefronts of ld.shared, st.shared or the shared side of cp.async. There is one phase for up to
/// 4 bytes per lane, two (half warps) for 8, four (quarter warps) for 16; half as many for a load
/// whose neighbours share addresses. `phases`: if not 0, only so many are told (ldmatrix.x1 and .x2
/// have one and two).
BankResult bank_access(const WarpAccess& access, int phases = 0);

/// ldmatrix.x1/x2/x4. `rows`: byte addresses of the 16-byte rows in lane order, eight per phase.
BankResult bank_ldmatrix(std::span<const int64_t> rows);

/// Sums over many warp instructions on shared memory.
struct SharedSum {
  uint64_t requests = 0, wavefronts = 0, ideal = 0, bytes = 0;
  uint64_t conflicts() const { return wavefronts - ideal; }
  void add(const WarpAccess& access);
  void add_ldmatrix(std::span<const int64_t> rows);
  void add(const SharedSum& other, uint64_t times);
};

}  // namespace tilescope::model
