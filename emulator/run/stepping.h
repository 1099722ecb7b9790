// What a run that is stepped (emulator/step) has to be told of by the CTAs' runners: it may stop
// before any instruction, and go on from there as if it had not.
#pragma once
#include <cstdint>
#include <vector>

#include "emulator/machine/context.h"

namespace tilescope::emulator {

class CtaRunner;

class Stepping {
 public:
  /// Thrown through everything that runs; all of it goes on when it is asked to run again.
  struct Stop {};
  enum Flag : uint8_t {
    kShown = 1,     // stands in the PTX text: the run may stop before it
    kObserved = 2,  // `observer` sees its accesses
    kAsked = 4,     // `stops_before` is asked about it
    kLined = 8,     // has a source line
  };

  Stepping() = default;
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;
  virtual ~Stepping() = default;

  std::vector<uint8_t> flags;  // by instruction
  std::vector<uint8_t> block;  // by block: those of its instructions together
  /// Ticks: warp instructions of the whole run before this one, in the order in which they run.
  /// Blocks that end without an instruction of their own count one more, as Event::step does.
  uint64_t tick = 0;
  uint64_t under_way = 0;  // of the instruction whose accesses `observer` sees
  uint32_t under_way_inst = 0;
  uint64_t stop_at = ~0ull;    // the run stops before the first shown instruction from here on
  uint64_t next_mark = ~0ull;  // the first block from here on calls `mark`
  uint64_t limit = ~0ull;      // a block that begins here or later is a fault
  uint64_t end_tick = ~0ull;   // of a run that a fault of one of its CTAs has ended
  Observer* observer = nullptr;

  /// At the beginning of a block, where the CTA's state may be kept.
  virtual void mark() = 0;
  /// Before an instruction: true ends the run there. `active`: the lanes that will run it.
  virtual bool stops_before(const CtaRunner& cta, uint32_t inst, uint32_t active, uint64_t at) = 0;
};

}  // namespace tilescope::emulator
