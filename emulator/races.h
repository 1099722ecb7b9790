// Finds races on shared memory: for each 2 bytes, who wrote and read them in which barrier epoch,
// and whether a cp.async is on its way there. Copies arrive at the wait, as late as they may.
// An epoch is a warp's count of passed barriers, so kernels that use several named barriers for
// parts of a CTA are not judged exactly; lanes of one warp are never judged against each other.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/context.h"

namespace tilescope::emulator {

class RaceChecker {
 public:
  RaceChecker(std::byte* shared, uint32_t shared_bytes, size_t warps);
  void set_epoch(uint32_t warp, uint32_t epoch) { epochs_[warp] = epoch; }
  void access(Context& c, const Inst& in, bool is_store, const uint64_t* addresses, int bytes);
  void copy(Context& c, const Inst& in, const uint64_t* shared, std::byte* const* from,
            const uint32_t* from_bytes, int bytes);
  void commit(Context& c);
  void wait(Context& c, uint32_t groups_left);

 private:
  static constexpr uint32_t kNever = 0xffffffffu;
  struct Cell {
    uint32_t written = kNever, read = kNever;  // epochs
    uint32_t readers = 0;                      // warps that read in that epoch
    uint16_t writer = 0;
    uint16_t in_flight = 0;  // copies
  };
  struct Copy {
    uint32_t lane, group;
    uint64_t to;
    int bytes;
    std::array<std::byte, 16> data;
  };
  void check_store(Context& c, const Inst& in, uint32_t lane, uint64_t address, int bytes);

  std::byte* shared_;
  std::vector<Cell> cells_;
  std::vector<uint32_t> epochs_;
  std::vector<std::deque<Copy>> copies_;          // by warp
  std::vector<std::array<uint32_t, 32>> groups_;  // committed so far, by warp and lane
};

}  // namespace tilescope::emulator
