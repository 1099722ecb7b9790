// Raw counts of one host thread, and their way into Counts.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "emulator/compile/code.h"
#include "emulator/emulator.h"
#include "emulator/machine/context.h"

namespace tilescope::emulator {

struct BlockCount {
  uint64_t warps = 0, lanes = 0;
};

/// All that has been counted, without what recognises addresses.
struct Figures {
  std::vector<BlockCount> blocks;
  std::vector<uint64_t> guarded_off;
  std::vector<std::array<uint64_t, 7>> sites;
  uint64_t barriers = 0;
};

struct Counters {
  explicit Counters(const Code& code)
      : blocks(code.blocks.size()), guarded_off(code.instructions.size(), 0), sites(code.sites) {}
  std::vector<BlockCount> blocks;
  std::vector<uint64_t> guarded_off;  // lanes, by instruction
  std::vector<Site> sites;
  uint64_t ctas = 0, barriers = 0, polls = 0, poll_instructions = 0;

  void keep(Figures& to) const;
  /// Forgets what was counted since.
  void go_back(const Figures& to);
  uint64_t warp_instructions(const Code& code) const;
};

/// Adds what the counters hold; per-line figures come out ascending.
Counts make_counts(const Code& code, const RowTable& rows,
                   const std::vector<std::unique_ptr<Counters>>& all);

}  // namespace tilescope::emulator
