// One launch that a card timed or counted, and what the model says of it: for bench/judge and the
// test that keeps the model where it is.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/formulas.h"
#include "core/model/l2_simulation.h"
#include "core/model/names.h"
#include "kernels/registry.h"
#include "worker/engine/store/recording.h"

namespace tilescope {

/// What makes two launches the same one.
inline std::string identity_of(const worker::Recording& r) {
  std::string tile;
  for (const TileField& field : kTileFields) {
    const int value = get(r.request.tile, field.id);
    if (value == 0) continue;
    tile += std::string(model::name_of(field.id)) + "=" + std::to_string(value) + " ";
  }
  const Problem& p = r.request.problem;
  return r.request.kernel + " " + tile + std::to_string(p.m) + "x" + std::to_string(p.n) + "x" +
         std::to_string(p.k) + " " + model::name_of(p.type_a) + " " + model::name_of(p.type_c) +
         " " + model::layout_letters(p);
}
/// Half of all launches, by a hash (FNV-1a) of what they are: nothing is ever fitted to these.
inline bool held_out(const worker::Recording& r) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : identity_of(r)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return ((hash ^ hash >> 32) & 1u) != 0;
}

struct JudgeOptions {
  bool compiled = true;   // registers and spills are known
  bool simulated = true;  // DRAM by the simulation of the L2
};

/// All that a prediction follows from, without the model's constants.
struct JudgedLaunch {
  Problem problem;
  const model::DeviceRow* device = nullptr;
  KernelPlan plan;
  Launch launch;
  model::Traffic traffic;
  model::CompiledFacts compiled;
  std::optional<double> dram_read;  // by the simulation of the L2

  model::Prediction predict(const model::TimeConstants& constants = model::kTimeConstants) const {
    return model::predict(plan, problem, launch, traffic, *device, compiled, dram_read, constants);
  }
};
struct Judged {
  model::Traffic traffic;
  model::Prediction prediction;
  double dram_read = 0;  // bytes, without the pass that packs
};

inline JudgedLaunch judged_launch(const worker::Recording& r, const JudgeOptions& options = {}) {
  JudgedLaunch j;
  j.problem = r.request.problem;
  j.device = model::find_device(r.result.device_name);
  if (!j.device) j.device = &model::device_table().front();
  const KernelEntry& kernel = *find_kernel(r.request.kernel.c_str());
  j.plan = kernel.plan(r.request.tile, j.problem, j.device->limits.sm_count);
  j.launch = launch_of(j.plan);
  j.traffic = model::traffic(j.plan, j.problem);
  if (options.compiled) {
    j.compiled.registers = r.result.registers;
    j.compiled.spill_bytes = r.result.spill_bytes.value_or(0);
  }
  if (options.simulated) {
    const int ctas =
        model::expected_ctas_per_sm(j.plan, j.launch, j.device->limits, j.compiled.registers);
    j.dram_read = model::simulate_l2(j.plan, j.problem, model::l2_machine(*j.device, ctas)).read;
  }
  return j;
}

inline Judged judge(const worker::Recording& r, const JudgeOptions& options = {}) {
  const JudgedLaunch j = judged_launch(r, options);
  return {j.traffic, j.predict(),
          j.dram_read.value_or(j.traffic.dram.read - j.traffic.packed_bytes)};
}

/// The problem that somebody has, whatever rung is to solve it: extents, the precision of A, card.
inline std::string problem_of(const worker::Recording& r) {
  const Problem& p = r.request.problem;
  return std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k) +
         (p.type_a == ElementType::f32 ? " f32 " : " half ") + r.result.device_name;
}
struct Times {
  double predicted = 0, measured = 0;
};
/// Of each problem with so many launches: what the one called fastest takes beyond the fastest.
inline std::vector<double> losses_of(const std::map<std::string, std::vector<Times>>& problems,
                                     size_t fewest) {
  std::vector<double> losses;
  for (const auto& [problem, launches] : problems) {
    if (launches.size() < fewest) continue;
    const auto least = [&launches = launches](double Times::*of) {
      return *std::min_element(launches.begin(), launches.end(),
                               [&](const Times& a, const Times& b) { return a.*of < b.*of; });
    };
    losses.push_back(least(&Times::predicted).measured / least(&Times::measured).measured - 1);
  }
  return losses;
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
