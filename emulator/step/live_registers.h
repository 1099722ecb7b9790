// Which registers may still be read behind an instruction: of thousands that a PTX text names, the
// few dozen that matter where a warp stands.
#pragma once
#include <cstdint>
#include <vector>

#include "emulator/compile/code.h"

namespace tilescope::emulator {

class LiveRegisters {
 public:
  explicit LiveRegisters(const Code& code);
  /// By register: true if it may be read from this instruction of a block on, the block's end
  /// included. All are where the program is too large to tell.
  std::vector<bool> at(uint32_t block, uint32_t inst) const;

 private:
  using Set = std::vector<bool>;
  /// What is read before it is written, going back over an instruction.
  void go_back(uint32_t inst, Set& live) const;
  template <class F>
  void each_successor(const Block& block, F visit) const;

  const Code& code_;
  bool known_ = false;
  std::vector<Set> at_end_;  // by block
};

}  // namespace tilescope::emulator
