// One launch that a card timed or counted, and what the model says of it: for bench/judge and the
// test that keeps the model where it is.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/formulas.h"
#include "core/model/l2_simulation.h"
#include "kernels/registry.h"
#include "worker/engine/store/recording.h"

namespace tilescope {

struct JudgeOptions {
  bool compiled = true;   // registers and spills are known
  bool simulated = true;  // DRAM by the simulation of the L2
};

struct Judged {
  model::Traffic traffic;
  model::Prediction prediction;
  double dram_read = 0;  // bytes, without the pass that packs
};

inline Judged judge(const worker::Recording& r, const JudgeOptions& options = {}) {
  const Problem& p = r.request.problem;
  const model::DeviceRow* device = model::find_device(r.result.device_name);
  if (!device) device = &model::device_table().front();
  const KernelEntry& kernel = *find_kernel(r.request.kernel.c_str());
  const KernelPlan plan = kernel.plan(r.request.tile, p, device->limits.sm_count);
  const Launch launch = launch_of(plan);
  Judged judged{model::traffic(plan, p), {}, 0};
  model::CompiledFacts compiled;
  if (options.compiled) {
    compiled.registers = r.result.registers;
    compiled.spill_bytes = r.result.spill_bytes.value_or(0);
  }
  std::optional<double> dram_read;
  if (options.simulated) {
    const int ctas = model::expected_ctas_per_sm(plan, launch, device->limits, compiled.registers);
    dram_read = model::simulate_l2(plan, p, model::l2_machine(*device, ctas)).read;
  }
  judged.dram_read = dram_read.value_or(judged.traffic.dram.read - judged.traffic.packed_bytes);
  judged.prediction = model::predict(plan, p, launch, judged.traffic, *device, compiled, dram_read);
  return judged;
}

/// A figure that a card's counters have, too, of the kernel without the pass before it.
struct CountedFigure {
  const char* what;
  std::optional<double> worker::MeasuredTraffic::*card;
  double (*model)(const Judged&);
};
inline constexpr CountedFigure kCountedFigures[] = {
    {"DRAM read bytes", &worker::MeasuredTraffic::dram_read,
     [](const Judged& j) { return j.dram_read; }},
    {"L2 -> SM bytes", &worker::MeasuredTraffic::l2_read,
     [](const Judged& j) { return model::without_pass(j.traffic).l2.read; }},
    {"SM -> L2 bytes", &worker::MeasuredTraffic::l2_write,
     [](const Judged& j) { return model::without_pass(j.traffic).l2.write; }},
    {"L1 load sectors", &worker::MeasuredTraffic::l1_read_sectors,
     [](const Judged& j) {
       return static_cast<double>(model::without_pass(j.traffic).counts.global_load().sectors);
     }},
    {"L1 store sectors", &worker::MeasuredTraffic::l1_write_sectors,
     [](const Judged& j) {
       return static_cast<double>(model::without_pass(j.traffic).counts.global_store().sectors);
     }},
    {"shared load wavefronts, joined", &worker::MeasuredTraffic::shared_load_wavefronts,
     [](const Judged& j) {
       return static_cast<double>(j.traffic.counts.joined_shared_load().wavefronts);
     }},
    {"shared store wavefronts", &worker::MeasuredTraffic::shared_store_wavefronts,
     [](const Judged& j) { return static_cast<double>(j.traffic.counts.shared_store.wavefronts); }},
};

}  // namespace tilescope
