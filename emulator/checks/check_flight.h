// Finds registers that are used while wgmma still works on them: its sums, until their group has
// been waited for, and what it multiplies from registers, which may be read but not written.
#pragma once
#include <cstdint>
#include <vector>

#include "emulator/checks/check_findings.h"
#include "emulator/checks/check_plan.h"
#include "emulator/machine/context.h"

namespace tilescope::emulator {

class FlightChecker {
 public:
  FlightChecker(const RunState& state, const CheckPlan& plan, Findings& findings);
  void start(Dim3 cta);
  /// Of a warp: how many groups it has committed, and how many of them have been waited for.
  void commit(uint32_t warp, uint32_t groups) { committed_[warp] = groups; }
  void pass(uint32_t warp, uint32_t groups) { passed_[warp] = groups; }
  /// Before an instruction that CheckPlan watches.
  void before(const Context& c, uint32_t inst, uint32_t active);

 private:
  struct Flight {
    uint32_t group = 0;  // that it belongs to; 0: none
    uint32_t inst = 0;   // the product
    bool is_sum = false;
  };
  Flight* flight(uint32_t warp, uint32_t reg) {
    const uint32_t index = plan_.flying[reg];
    return index == kNoRegister ? nullptr : &flights_[size_t{warp} * plan_.flying_count + index];
  }
  bool is_up(uint32_t warp, const Flight& f) const { return f.group > passed_[warp]; }
  void note_product(uint32_t warp, uint32_t inst);
  void note_move(uint32_t warp, uint32_t inst);
  void check(const Context& c, uint32_t inst, uint32_t active);

  const RunState& state_;
  const CheckPlan& plan_;
  Findings& findings_;
  Dim3 cta_;
  std::vector<uint32_t> committed_, passed_;  // by warp
  std::vector<Flight> flights_;               // by warp, then by CheckPlan::flying
};

}  // namespace tilescope::emulator
