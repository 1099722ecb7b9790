// What the model of time does not know from the card's data sheet or from a plan: fitted together,
// by bench/fit, to launches that cards timed. Each has a meaning; docs/model.md says to what they
// were fitted and docs/performance.md how far the model is off.
#pragma once
#include <span>

namespace tilescope::model {

struct TimeConstants {
  // Powers of norms: two things that overlap in part, taking a and b alone, together take
  // (a^p + b^p)^(1/p). The larger the power, the better they overlap.
  double wait_norm = 2.884;    // CTAs of an SM, and one of them that waits
  double unit_norm = 4.331;    // units of an SM that has warps enough
  double memory_norm = 1.761;  // the SMs and DRAM

  // Throughput, of an SM.
  double request = 1.65;   // cycles that a line asked of the L2 takes, however little of it
  double box_l2 = 1.326;   // rate of boxes over that of loads by threads, L2 to SM
  double conflict = 1.17;  // cycles of a further wavefront for bank conflicts
  double clash = 0.1659;  // of the less busy unit's time: on top with one warp per scheduler, where
                          // no fragments are loaded ahead
  double clash_fade = 0.3016;  // that falls with warps per scheduler to this power

  // Waiting, in cycles.
  double load = 571;            // from a slice's asynchronous copies to its data, out of the L2
  double dram = 172.6;          // more, if it comes from DRAM
  double staged_each = 29.06;   // for each load of a thread that goes through registers
  double direct = 65.94;        // a k step that loads operands from L1
  double direct_dram = 53.61;   // more, if they come from DRAM
  double async_slice = 91.65;   // a slice's wait, barriers and first fragments: asynchronous copies
  double staged_slice = 363.6;  // the same of copies through registers, and their latency
  double warp = 7.049;          // more, for each warp that meets at the barriers
  double plain_step = 47.39;    // a k step of mma whose fragments are not loaded ahead
  double wmma_step = 108.5;     // the same of wmma
  double promotion = 50.96;     // products that end and are added to sums in registers, a time
  // Cycles of an instruction of a warp that is alone with it.
  double ahead_instruction = 3;      // with fragments loaded ahead
  double plain_instruction = 1.371;  // mma without
  double simt_instruction = 0.3803;

  // Spilled words: wavefronts a k step (tensor cores), cycles a k (SIMT).
  double spill_wavefronts = 0.3923;
  double spill_wait = 2.179;

  // A work item's ends, in cycles.
  double item = 1510;  // prologue, first slices on their way, C
  double sum = 5.952;  // a wavefront of parts of sums

  bool operator==(const TimeConstants&) const = default;
};
inline constexpr TimeConstants kTimeConstants;

struct NamedConstant {
  const char* name;
  double TimeConstants::*value;
  double rough;  // where the fit begins
};
/// All of them, for bench/fit.
std::span<const NamedConstant> time_constants();

}  // namespace tilescope::model
