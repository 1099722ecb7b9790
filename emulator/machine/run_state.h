// What the host threads of one run share.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/compile/program_impl.h"
#include "emulator/machine/context.h"
#include "emulator/machine/memory_impl.h"

namespace tilescope::emulator {

struct CheckPlan;  // emulator/checks
struct WaitPlan;   // emulator/run
struct LookAhead;
class Writers;
class Stepping;

struct RunState {
  const Program* program = nullptr;
  const Entry* entry = nullptr;
  const Launch* launch = nullptr;
  const RunOptions* options = nullptr;
  Memory* memory = nullptr;
  RowTable rows{};
  const SumRules* sums = nullptr;  // null: IEEE
  std::vector<Region> regions;
  std::vector<AlignedBytes> module_data;  // this run's copy of the module's variables
  std::vector<std::byte> parameters;
  uint32_t threads = 0, warps = 0;  // of a CTA
  uint32_t shared_bytes = 0;
  Dim3 cluster;  // CTAs of a cluster
  bool is_explicit_cluster = false;
  uint32_t cluster_ctas() const { return ctas_of(cluster); }
  std::shared_ptr<const CheckPlan> check;  // of a checked run
  std::atomic<uint64_t> warp_instructions{0};
  // Where CTAs may wait for each other, all of them on one host thread; else null.
  std::shared_ptr<const WaitPlan> waits;
  std::shared_ptr<LookAhead> look_ahead;
  std::shared_ptr<Writers> writers;
  Stepping* steps = nullptr;  // of a stepped run
  /// Operations by which CTAs may have met so far, in the order in which they ran; 0 if not known.
  uint64_t meetings = 0;
};

/// Fills the state; returns what is wrong with the launch, or an empty sentence.
std::string prepare(RunState& state);

/// "warps 0, 4 to 7".
std::string warp_names(const std::vector<uint32_t>& warps);

/// The one sentence and the fields of a fault.
Fault describe_fault(const RunState& state, const FaultSignal& signal, Dim3 cta, uint32_t warp);

}  // namespace tilescope::emulator
