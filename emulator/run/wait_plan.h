// Decides from an entry's code whether its CTAs may wait for each other, and finds in which loops
// and by which instructions they would. Done once per entry.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/compile/row.h"

namespace tilescope::emulator {

struct Code;

struct WaitPlan {
  WaitPlan(const Code& code, const RowTable& rows);

  /// A CTA may see what another one does while both run: there are fences for the whole GPU, loads
  /// that look again (volatile, acquire, relaxed), or atomics whose results or order matter. Then
  /// the CTAs take turns on one host thread; else none of the rest is filled.
  bool talks = false;

  enum BlockFlag : uint8_t {
    kHeader = 1,    // begins a loop that reads global memory
    kEffect = 2,    // may change more than registers, local memory and what atomics change
    kReads = 4,     // global memory that may be written
    kWrites = 8,    // global memory
    kCareful = 16,  // reads, or changes by atomics
    kFences = 32    // the whole GPU
  };
  enum InstructionFlag : uint8_t {
    kRead = 1,
    kWrite = 2,
    kAtomic = 4,
    kLooksAgain = 8,
    kFence = 16
  };
  std::vector<uint8_t> block;        // by block
  std::vector<uint8_t> instruction;  // by instruction
  std::vector<uint32_t> address;     // by instruction: which of its slots holds the address

  struct Loop {
    std::vector<bool> has;     // by block
    bool looks_again = false;  // a load of that kind, or a nanosleep
    bool sleeps = false;       // a nanosleep: how long it sleeps may change with each round
  };
  std::vector<Loop> loops;
  std::vector<uint32_t> loop_of;  // by block, of headers
};

}  // namespace tilescope::emulator
