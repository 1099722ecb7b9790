// Finds setmaxnreg that asks for more registers than there are: what a warpgroup takes the others
// must have given back, of those that the CTA was launched with; else it waits for ever on a card.
#pragma once
#include <cstdint>
#include <vector>

#include "emulator/checks/check_findings.h"

namespace tilescope::emulator {

class RegisterPool {
 public:
  RegisterPool(const RunState& state, Findings& findings);
  void start();
  void set(uint32_t warp, uint32_t inst, uint32_t count) { asked_[warp] = {count, inst}; }
  /// When all warps have come to their ends.
  void finish(Dim3 cta);

 private:
  struct Asked {
    uint32_t count = 0;  // per thread; 0: as it was launched
    uint32_t inst = kNoInst;
  };
  const RunState& state_;
  Findings& findings_;
  uint32_t launched_ = 0;     // per thread, at most
  std::vector<Asked> asked_;  // by warp, the last
};

}  // namespace tilescope::emulator
