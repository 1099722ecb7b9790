// How much of what somebody has written is read for one kernel: of --kernel-dir, and of a .cu of
// their own.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tilescope::worker {

/// Of a source and all that it includes, together; the toolkit's own headers do not count.
inline constexpr uint64_t kMostSourceBytes = 64 << 20;
inline constexpr size_t kMostSourceFiles = 4000;
/// Lines that include something, or ask whether it is there: each is looked for on the disk.
inline constexpr size_t kMostIncludes = 100'000;
inline constexpr size_t kDeepestInclude = 60;

}  // namespace tilescope::worker
