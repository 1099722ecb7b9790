// Reading shared memory before it was written is not yet an error: kernels load fragments ahead,
// and after the last step never use what they loaded. It becomes one when the register is used. So
// the registers that hold such values are followed from the load until they are written again.
#pragma once
#include <vector>

#include "emulator/checks/check_findings.h"
#include "emulator/checks/check_plan.h"
#include "emulator/machine/context.h"

namespace tilescope::emulator {

struct Block;

class TaintChecker {
 public:
  TaintChecker(const RunState& state, const CheckPlan& plan, Findings& findings);
  void start(Dim3 cta);
  /// The lane's access reads an unwritten byte, `offset` behind its address. Reports what cannot be
  /// followed at once.
  void read_unwritten(const Context& c, uint32_t inst, uint32_t lane, uint64_t address,
                      uint64_t offset, int bytes);
  /// After a block has run for the context's lanes.
  void end_block(const Context& c, const Block& block) {
    if (!fresh_.empty() || !held_[c.warp].empty()) scan(c, block);
  }

 private:
  struct Taint {
    uint32_t reg, lanes;
    uint32_t inst, lane;  // of the load
    uint64_t address;
  };
  void scan(const Context& c, const Block& block);
  void pass(const Context& c, uint32_t inst, uint32_t active, std::vector<Taint>& held);
  void report(uint32_t warp, const Taint& t, uint32_t use, uint32_t lane);

  const RunState& state_;
  const CheckPlan& plan_;
  Findings& findings_;
  Dim3 cta_;
  std::vector<Taint> fresh_;              // of the block under way
  std::vector<std::vector<Taint>> held_;  // by warp
};

}  // namespace tilescope::emulator
