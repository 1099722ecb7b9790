// Finds a thread that waits twice for one phase of an mbarrier: the second wait goes on at once, so
// that what comes behind it is a phase ahead. Some kernels do so for good reason (who has waited
// may ask again), so it is told of only beside an error, as its likely cause.
#pragma once
#include <cstdint>
#include <map>

#include "emulator/checks/check_findings.h"

namespace tilescope::emulator {

class PhaseLog {
 public:
  PhaseLog(const CheckPlan& plan, Findings& findings) : plan_(plan), findings_(findings) {}
  void start();
  /// Before an instruction on mbarriers of the CTA's shared memory, at its beginning `shared`;
  /// addresses are offsets there.
  void access(const Context& c, const Inst& in, uint32_t inst, const std::byte* shared,
              const uint64_t* addresses, uint32_t mask);
  /// When a transaction has ended.
  void look(const std::byte* shared, uint64_t address);
  void finish(Dim3 cta);

 private:
  struct Phase {
    uint32_t bit = 0, expected = 0;  // arrivals
    uint64_t ended = 0;              // how many phases, or more
  };
  struct Waited {
    uint64_t ended = ~0ull;  // of the mbarrier, then
    uint32_t lanes = 0, inst = kNoInst;
  };
  struct Twice {
    Sighting seen;
    uint64_t count = 0;
  };
  const CheckPlan& plan_;
  Findings& findings_;
  std::map<uint64_t, Phase> phases_;                        // by address
  std::map<std::pair<uint64_t, uint32_t>, Waited> waited_;  // and warp
  std::map<std::pair<uint32_t, uint32_t>, Twice> twice_;    // by instructions
};

}  // namespace tilescope::emulator
