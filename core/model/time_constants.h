// What the model of time does not know from the card's data sheet or from a plan: fitted together,
// by bench/fit, to launches that cards timed. Each has a meaning; docs/model.md says to what they
// were fitted and docs/performance.md how far the model is off.
#pragma once
#include <span>

namespace tilescope::model {

struct TimeConstants {
  // Powers of norms: two things that overlap in part, taking a and b alone, together take
  // (a^p + b^p)^(1/p). The larger the power, the better they overlap.
  double wait_norm = 2.868;    // CTAs of an SM, and one of them that waits
  double unit_norm = 4.486;    // units of an SM that has warps enough
  double memory_norm = 1.754;  // the SMs and DRAM

  // Throughput, of an SM.
  double request = 1.641;   // cycles that a line asked of the L2 takes, however little of it
  double conflict = 1.175;  // cycles of a further wavefront for bank conflicts
  double clash = 0.2029;  // of the less busy unit's time: on top with one warp per scheduler, where
                          // no fragments are loaded ahead
  double clash_fade = 0.3932;  // that falls with warps per scheduler to this power

  // Waiting, in cycles.
  double load = 575.8;          // from a slice's asynchronous copies to its data, out of the L2
  double dram = 167.3;          // more, if it comes from DRAM
  double staged_each = 29.54;   // for each load of a thread that goes through registers
  double direct = 73.04;        // a k step that loads operands from L1
  double direct_dram = 46.55;   // more, if they come from DRAM
  double async_slice = 98.13;   // a slice's wait, barriers and first fragments: asynchronous copies
  double staged_slice = 373.9;  // the same of copies through registers, and their latency
  double warp = 6.953;          // more, for each warp that meets at the barriers
  double plain_step = 47.5;     // a k step of mma whose fragments are not loaded ahead
  double wmma_step = 109.7;     // the same of wmma
  // Cycles of an instruction of a warp that is alone with it.
  double ahead_instruction = 2.975;  // with fragments loaded ahead
  double plain_instruction = 1.256;  // mma without
  double simt_instruction = 0.3502;

  // Spilled words: wavefronts a k step (tensor cores), cycles a k (SIMT).
  double spill_wavefronts = 0.3969;
  double spill_wait = 2.2;

  // A work item's ends, in cycles.
  double item = 1482;  // prologue, first slices on their way, C
  double sum = 5.998;  // a wavefront of parts of sums

  bool operator==(const TimeConstants&) const = default;
};
inline constexpr TimeConstants kTimeConstants;

struct NamedConstant {
  const char* name;
  double TimeConstants::*value;
};
/// All of them, for bench/fit.
std::span<const NamedConstant> time_constants();

}  // namespace tilescope::model
