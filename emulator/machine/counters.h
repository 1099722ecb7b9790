// Raw counts of one host thread, and their way into Counts.
#pragma once
#include <memory>
#include <vector>

#include "emulator/compile/code.h"
#include "emulator/emulator.h"
#include "emulator/machine/context.h"

namespace tilescope::emulator {

struct BlockCount {
  uint64_t warps = 0, lanes = 0;
};

struct Counters {
  explicit Counters(const Code& code)
      : blocks(code.blocks.size()), guarded_off(code.instructions.size(), 0), sites(code.sites) {}
  std::vector<BlockCount> blocks;
  std::vector<uint64_t> guarded_off;  // lanes, by instruction
  std::vector<Site> sites;
  uint64_t ctas = 0, barriers = 0;
};

/// Adds what the counters hold; per-line figures come out ascending.
Counts make_counts(const Code& code, const RowTable& rows,
                   const std::vector<std::unique_ptr<Counters>>& all);

}  // namespace tilescope::emulator
