// What can be wrong with a run, and where: faults that end it, and what its checks find.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilescope::emulator {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

/// Where a source line is: file as `.file` names it (without directories), 1-based line; 0 = none.
struct SourceLine {
  std::string file;
  int line = 0;
};

struct Fault {
  enum class Kind : uint8_t {
    out_of_bounds,
    misaligned,
    deadlock,
    read_only,
    partial_warp,
    race,
    limit,
    cancelled,
    unsupported,
    trap,
    // seen by RunOptions::check only
    unwritten,
    copy_pending,
    lane_conflict,
    cta_conflict,
    proxy,            // read beside the threads, and no fence makes their stores seen there
    product_pending,  // a register that wgmma still adds to, or reads
    phase_twice,      // told of beside another error: a wait for a phase that had been waited for
    cta_left,  // a CTA has ended while its cluster still uses its shared memory; also unchecked
    // remarks: not wrong, but slow
    bank_conflict,
    uncoalesced,
    equal_stores  // several warps store the same value to one place
  } kind{};
  Dim3 cta{0, 0, 0};
  uint32_t warp = 0, lane = 0;
  uint64_t address = 0;
  int ptx_line = 0;
  SourceLine source;
  std::string message;  // one sentence with CTA, warp, lane, address, PTX line and source line
};

/// "out_of_bounds", "race", …
const char* kind_name(Fault::Kind);

/// What a checked run found. The same thing at the same source line (with all that it was inlined
/// into; of a PTX without `.loc` at the same PTX line) is one finding with a count.
struct Finding {
  Fault fault;                   // where it was seen first: in order of CTAs, then of execution
  bool remark = false;           // not wrong, but slow
  uint64_t count = 1;            // lanes (remarks: requests) of the whole run
  uint64_t cost = 0, ideal = 0;  // of a remark: wavefronts or sectors of the whole run, and at best
  int other_ptx_line = 0;        // the other access of a race or conflict, 0 = none or unknown
  SourceLine other_source;
  /// Of a race: true if only lanes of one warp race here, never two warps.
  bool between_lanes = false;
  std::vector<int> ptx_lines, other_ptx_lines;  // all that were seen, ascending; others of errors
  /// The warp instruction of the fault's CTA that ran when it was seen first; none of what shows
  /// only when all CTAs have run.
  struct Moment {
    uint32_t warp = 0;
    uint64_t step = 0;  // as Event::step
  };
  std::optional<Moment> seen;
};

}  // namespace tilescope::emulator
