// What a CTA's runner keeps of its warps, and of those that wait for other CTAs: lanes in a loop
// that reads global memory. One round is tried ahead of time; if it changes nothing they sleep
// until memory has changed, and nothing shows that the round ever ran.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/machine/counters.h"

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

/// A look at global memory of a warp that waits.
struct Poll {
  uint32_t warp = 0, lane = 0, inst = 0, bytes = 0;
  uint64_t address = 0;
  bool looks_again = false;  // a volatile load, say: most likely the flag
  std::array<std::byte, 16> value{};
};

/// How often a loop is looked at: seldom where its rounds have been found to do work.
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
  uint32_t groups[32] = {};                  // cp.async
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

/// Of a CTA that goes round in a loop with barriers: all of its state, some rounds ago.
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
