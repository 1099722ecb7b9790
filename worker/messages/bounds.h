// What a call of the emulator may take unless it says otherwise, and what it runs on.
#pragma once
#include <cstdint>

namespace tilescope::worker {

/// Lane instructions that a run may take unless another number is asked for: about a minute. A
/// kernel that never ends is not waited for.
inline constexpr uint64_t kMostLaneInstructions = 100'000'000'000;
/// Bytes that a call may take unless it asks for another number.
inline constexpr uint64_t kMostMemory = 2'000'000'000;

/// SMs that a card of a request may have: those of the largest are some 150.
inline constexpr int kMostSms = 1024;

/// KernelRequest::sums_of: as the architecture that the PTX is for where its rule was proven on a
/// card, else in IEEE f32 (emulator/arithmetic.h).
inline constexpr int kSumsWhereProven = -2;

/// How much of a launch is run.
enum class EmulationScope {
  automatic,  // whole up to a size, else classes
  whole,      // every CTA
  classes,    // one CTA per class, times how many there are
};

/// What A and B are filled with.
enum class OperandData {
  random,  // uniform in [−1, 1), rounded to the element type
  exact,   // n/8, |n| ≤ 8: sums of products are exact in float up to k = 2^18, in any order
};

}  // namespace tilescope::worker
