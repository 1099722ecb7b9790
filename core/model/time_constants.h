// What the model of time does not know from the card's data sheet or from a plan: fitted together,
// by bench/fit, to launches that cards timed. Each has a meaning; docs/model.md says to what they
// were fitted and docs/performance.md how far the model is off.
#pragma once
#include <span>

namespace tilescope::model {

struct TimeConstants {
  // Powers of norms: two things that overlap in part, taking a and b alone, together take
  // (a^p + b^p)^(1/p). The larger the power, the better they overlap.
  double wait_norm = 3.03;     // CTAs of an SM, and one of them that waits
  double unit_norm = 5.85;     // units of an SM that has warps enough
  double memory_norm = 1.898;  // the SMs and DRAM

  // Throughput, of an SM. Cycles:
  double request = 1.602;          // a line that threads ask of the L2, however little of it
  double box_request = 1.287;      // a line of a box, where other SMs ask for little
  double box_request_all = 1.773;  // and where all SMs ask for boxes
  double multicast = 0.6522;       // a line that another CTA of the cluster asked for
  double multicast_box = 30.65;    // a box that several CTAs receive, each of them
  double box_l2 = 1.078;           // rate of bytes by boxes over that of loads by threads
  double conflict = 1.147;         // cycles of a further wavefront for bank conflicts
  double clash = 0.1832;  // of the less busy unit's time: on top with one warp per scheduler, where
                          // no fragments are loaded ahead
  double clash_fade = 0.1575;  // that falls with warps per scheduler to this power

  // Waiting, in cycles.
  double load = 588.2;          // from a slice's asynchronous copies to its data, out of the L2
  double dram = 189.8;          // more, if it comes from DRAM
  double staged_each = 29.34;   // for each load of a thread that goes through registers
  double direct = 67.94;        // a k step that loads operands from L1
  double direct_dram = 53.06;   // more, if they come from DRAM
  double async_slice = 96.9;    // a slice's wait, barriers and first fragments: asynchronous copies
  double staged_slice = 367.3;  // the same of copies through registers, and their latency
  double warp = 6.534;          // more, for each warp that meets at the barriers
  double plain_step = 41.08;    // a k step of mma whose fragments are not loaded ahead
  double wmma_step = 110.7;     // the same of wmma
  double split_access = 77.42;  // a load, split and store of a warp that makes tf32 of float32
  double cluster_load = 184.6;  // more, until all CTAs of a cluster have room for a slice
  // Cycles of an instruction of a warp that is alone with it.
  double ahead_instruction = 3.223;  // with fragments loaded ahead
  double plain_instruction = 1.189;  // mma without
  double simt_instruction = 0.3402;

  // Spilled words: wavefronts a k step (tensor cores), cycles a k (SIMT).
  double spill_wavefronts = 0.3808;
  double spill_wait = 2.115;

  // A work item's ends, in cycles.
  double item = 621.9;        // prologue and first slices, where no producer has gone on to them
  double shared_item = 3435;  // more, where CTAs share the tile: counters, and waiting for others
  double store = 2.701;       // a sector of C
  double box_store = 1.45;    // of a box
  double sum = 5.446;         // a wavefront of parts of sums

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
