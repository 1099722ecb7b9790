// What a CTA's runner keeps of its warps. Lanes that wait for another CTA stand in a loop that
// reads global memory until a value has changed. So a round of such a loop is first tried without
// effect: if it would change nothing, the lanes sleep until memory has changed, and no count or
// trace shows that the round was tried.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/machine/raw_counts.h"

namespace tilescope::emulator {

/// Lanes of a warp that stand at the same block.
struct Split {
  uint32_t block = 0, mask = 0;
  bool parked = false;  // at a barrier, which ends `block`
  uint32_t barrier = 0;
  bool waiting = false;   // for lanes that the .sync at its block's begin names
  bool released = false;  // no longer: they cannot come
  bool asleep = false;    // at a loop's header, for global memory to change
  uint64_t since = 0;     // how much work had been done when it last ran
};

/// A place in global memory that a waiting warp looks at.
struct Poll {
  uint32_t warp = 0, lane = 0, inst = 0, bytes = 0;
  uint64_t address = 0;
  bool looks_again = false;  // a volatile load, say: most likely the flag
  std::array<std::byte, 16> value{};
};

/// How often a round of a loop is tried ahead: seldom if its rounds have turned out to do work.
struct Rounds {
  uint32_t skip = 0, interval = 1;
};

struct Warp {
  std::byte* registers = nullptr;
  uint32_t* predicates = nullptr;
  std::byte* local = nullptr;
  std::vector<Split> splits;
  uint32_t alive = 0;
  uint32_t epoch = 0;                        // barriers passed
  uint64_t steps = 0;                        // warp instructions, with the block under way
  uint64_t epoch_steps = 0;                  // and when it passed the last barrier
  uint32_t groups[32] = {};                  // cp.async
  uint32_t products = 0;                     // groups of wgmma committed
  uint32_t cluster_arrived = 0;              // lanes at the cluster's barrier, not yet complete
  uint32_t cluster_waits = 0;                // lanes that have arrived and must wait there
  bool in_vain = false;                      // asked an mbarrier last, which was not done
  uint32_t poll = 0, poll_lanes = 0;         // by that instruction
  std::vector<std::vector<uint64_t>> calls;  // by lane: what it keeps, and where it goes back to
  std::vector<Poll> polls;                   // of its lanes that sleep
  std::vector<Rounds> rounds;                // by loop
};

/// Room to try a round in: one per run, as only one warp at a time does.
struct LookAhead {
  explicit LookAhead(const Code& code) : counters(code) {}
  Counters counters;  // never looked at
  struct State {
    std::vector<std::byte> registers, local;
    std::vector<uint32_t> predicates;
  };
  State start, before;
  struct Part {
    uint32_t block, mask;
  };
  std::vector<Part> parts;
  uint64_t instructions = 0;
};

/// The state of a CTA some rounds ago, of one that waits in a loop with barriers: if it comes back
/// to the same state it can only go on in circles, and is put aside until memory has changed.
struct Circle {
  std::vector<std::byte> state;
  Figures figures;
  std::vector<uint64_t> steps;
  std::vector<uint32_t> epochs;
  std::vector<Poll> polls;  // where it looks
  uint32_t passes = 0;
  bool closed = false;  // it came back to that state, and was put aside
};

}  // namespace tilescope::emulator
