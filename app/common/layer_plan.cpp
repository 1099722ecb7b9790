#include "app/common/layer_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <unordered_map>

#include "core/language/language.h"
#include "core/layout/column_sum.h"
#include "core/layout/packing.h"
#include "core/model/climb.h"
#include "core/model/l2_simulation.h"
#include "core/model/names.h"
#include "core/workload/link.h"

namespace tilescope {
namespace {

using workload::Step;
using workload::StepKind;
using workload::Workload;

constexpr int kMostClimbed = 60;  // tiles of a rung

/// That a launch takes in a layer beyond what it takes among its like: its code and its constants
/// are in no cache, and the launch before has to end. Fitted to layers of GPT-2's size on an H200
/// (docs/performance.md, "Layers"); rungs are chosen without it.
constexpr double kAmongOthersUs = 5;

/// `exactly`: the L2 is simulated too.
model::Analysis analysis_of(const KernelEntry& kernel, const TileConfig& tile, const Problem& p,
                            const model::DeviceRow& device, bool exactly) {
  const KernelPlan plan = kernel.plan(tile, p, device.limits.sm_count);
  const Launch launch = launch_of(plan);
  std::optional<double> dram_read;
  if (exactly && model::can_simulate_l2(plan)) {
    const int ctas = model::expected_ctas_per_sm(plan, launch, device.limits, std::nullopt);
    dram_read = model::simulate_l2(plan, p, model::l2_machine(device, ctas)).read;
  }
  return model::analyse(plan, p, launch, device, {}, dram_read);
}

/// Answers of the model by what they are of: a layer that is split otherwise, or cut into other
/// chunks, asks again for most of them. Of all threads.
template <class Value>
class Kept {
 public:
  template <class Make>
  Value of(const std::string& key, const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = known_.find(key); known != known_.end()) return known->second;
    }
    Value value = make();
    const std::lock_guard lock(mutex_);
    constexpr size_t kMost = 2000;
    if (known_.size() >= kMost) known_.clear();
    known_.emplace(key, value);
    return value;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Value> known_;
};

/// All that the model's answer follows from. Offsets are no part: who asks has none.
std::string key_of(const std::string& kernel, const Sliders& sliders, const TileConfig& tile,
                   const Problem& p, const model::DeviceRow& device) {
  const auto words = model::position_options(kernel.c_str(), sliders, tile, p);
  return fmt::format("{} {} {}", device.name, device.limits.sm_count, fmt::join(words, " "));
}

/// A product by itself, the L2 simulated.
struct Product {
  double us = 0;
  double cta_us = 0;  // until a CTA has ended
  model::Traffic traffic;
  double dram_read = 0;
};
Product product_of(const KernelEntry& kernel, const TileConfig& tile, const Problem& p,
                   const model::DeviceRow& device) {
  static Kept<Product> kept;
  return kept.of(key_of(kernel.info.id, kernel.sliders, tile, p, device), [&] {
    const model::Analysis a = analysis_of(kernel, tile, p, device, true);
    const int launches = packs_any(a.plan.spec) ? 2 : 1;
    const double us = a.prediction.us + launches * kAmongOthersUs;
    const double waves = std::max(1.0, std::ceil(a.waves.count));
    return Product{us, stays(a.plan.work) ? us : us / waves, a.traffic,
                   a.dram_read.value_or(a.traffic.dram.read)};
  });
}

double copy_gb_per_second(const model::DeviceRow& device) {
  return device.measured_dram_gb_per_second > 0 ? device.measured_dram_gb_per_second
                                                : device.dram_gb_per_second;
}

/// Its bytes at the speed that copies reach: it does nothing else.
double column_sum_us(const Workload& w, const Step& step, int rank,
                     const model::DeviceRow& device) {
  const workload::Slice s = slice_of(w, step.a, rank);
  const ColumnSum sum = column_sum_of(w.matrices[static_cast<size_t>(step.a)].type, s.rows.count,
                                      s.cols.count, s.cols.count, device.limits.sm_count);
  const double parts =
      sum.parts > 1 ? 2.0 * static_cast<double>(column_sum_out(sum, sum.parts, 0)) * 4 : 0;
  const int launches = sum.parts > 1 ? 2 : 1;
  return (least_bytes(w, step, rank) + parts) / copy_gb_per_second(device) * 1e-3 +
         launches * (model::kLaunchUs + kAmongOthersUs);
}

/// Times of chunks by what they are: many are alike.
class ChunkTimes {
 public:
  ChunkTimes(const LayerPlan& plan, const model::DeviceRow& device)
      : plan_(plan), device_(device) {}

  double operator()(int number, int chunk, int rank) {
    const Workload& w = plan_.workload;
    const Step& step = w.steps[static_cast<size_t>(number)];
    if (is_collective(step)) {
      const workload::Matrix& m = w.matrices[static_cast<size_t>(step.c)];
      const double rows = chunk_rows(w, step, 0, chunk).count;
      return workload::collective_us(workload::link_of(device_.name), step.kind,
                                     rows * m.cols * element_bytes(m.type), w.layer.ranks,
                                     copy_gb_per_second(device_));
    }
    if (step.kind == StepKind::column_sum) return column_sum_us(w, step, rank, device_);
    return product(number, chunk, rank).us;
  }

  /// Until a CTA of a product has ended, and a transfer has room.
  double wait(int number, int chunk, int rank) {
    const bool is_product =
        plan_.workload.steps[static_cast<size_t>(number)].kind == StepKind::gemm;
    return is_product ? product(number, chunk, rank).cta_us : 0;
  }

 private:
  Product product(int number, int chunk, int rank) {
    const Workload& w = plan_.workload;
    Problem p = problem_of(w, w.steps[static_cast<size_t>(number)], rank, chunk);
    p.offset_a = p.offset_c = 0;  // where a chunk begins makes it no slower
    const RungChoice& choice = plan_.steps[static_cast<size_t>(number)].choice;
    return product_of(*choice.kernel, choice.tile, p, device_);
  }

  const LayerPlan& plan_;
  const model::DeviceRow& device_;
};

/// Whether a transfer that an earlier step asked for may still be under way: it gets SMs only as
/// CTAs end. Between the chunks of one step it gets them in any case.
bool runs_beside(const Workload& w, size_t number) {
  if (!w.layer.overlap || w.layer.ranks < 2) return false;
  const Step& step = w.steps[number];
  for (size_t i = 0; i < w.steps.size(); ++i) {
    const Step& other = w.steps[i];
    if (!is_collective(other) || other.pass != step.pass) continue;
    if (i < number) return true;
  }
  return false;
}

RungChoice search_rungs(const Problem& p, const model::DeviceRow& device, const RungWish& wish) {
  RungChoice best;
  for (const KernelEntry& kernel : kernel_table()) {
    if (!wish.kernel.empty() && wish.kernel != kernel.info.id) continue;
    TileConfig start = kernel.sliders.defaults();
    const Violation v = kernel.validate(start, p, device.limits);
    if (!v.legal()) {
      const auto legal = model::nearest_legal(kernel.validator(), kernel.sliders, start, p,
                                              device.limits, v.field);
      if (!legal) continue;
      start = legal->tile;
    }
    const auto measure = [&](const TileConfig& tile) -> std::optional<double> {
      const bool stays = tilescope::stays(kernel.plan(tile, p, device.limits.sm_count).work);
      if (wish.lets_others && stays) return std::nullopt;
      const double us = analysis_of(kernel, tile, p, device, false).prediction.us;
      if (!best.kernel || us < best.us) best = {&kernel, tile, us};
      return 1 / us;
    };
    model::climb(kernel.validator(), kernel.sliders, start, p, device.limits, kMostClimbed,
                 measure);
  }
  return best;
}

}  // namespace

RungChoice best_rung(const Problem& p, const model::DeviceRow& device, const RungWish& wish) {
  static Kept<RungChoice> kept;
  const std::string key = key_of(wish.kernel, kernel_table().begin()->sliders, {}, p, device) +
                          (wish.lets_others ? " others" : "");
  return kept.of(key, [&] { return search_rungs(p, device, wish); });
}

LayerPlan plan_layer(const workload::Layer& layer, const model::DeviceRow& device,
                     const std::vector<worker::StepChoice>& choices, const std::string& kernel) {
  LayerPlan plan;
  plan.workload = make_workload(layer);
  const Workload& w = plan.workload;
  bool complete = true;
  for (size_t i = 0; i < w.steps.size(); ++i) {
    const Step& step = w.steps[i];
    LayerStep s;
    if (step.kind == StepKind::gemm) {
      const Problem p = problem_of(w, step, 0);
      const bool given = i < choices.size() && !choices[i].kernel.empty();
      s.beside = runs_beside(w, i);
      s.choice = given ? RungChoice{find_kernel(choices[i].kernel.c_str()), choices[i].tile}
                       : best_rung(p, device, {kernel, s.beside && kernel.empty()});
      if (s.choice.kernel) {
        const Product product = product_of(*s.choice.kernel, s.choice.tile, p, device);
        s.choice.us = product.us;
        s.traffic = product.traffic;
        s.dram_read = product.dram_read;
      } else {
        s.why_not =
            wording("No rung computes {}×{}×{} in {} of {} → {} on this card", p.m, p.n, p.k,
                    model::layout_letters(p), model::name_of(p.type_a), model::name_of(p.type_c));
        complete = false;
      }
    }
    plan.steps.push_back(std::move(s));
  }
  if (!complete) return plan;
  ChunkTimes times(plan, device);
  for (size_t i = 0; i < w.steps.size(); ++i) {
    const Step& step = w.steps[i];
    const int number = static_cast<int>(i), ranks = is_collective(step) ? 1 : w.layer.ranks;
    for (int rank = 0; rank < ranks; ++rank) {
      double us = 0;
      for (int chunk = 0; chunk < step.chunks; ++chunk) {
        us += times(number, chunk, is_collective(step) ? -1 : rank);
      }
      plan.steps[i].us = std::max(plan.steps[i].us, us);
    }
  }
  workload::Beside beside;
  beside.product = 1 - 1.0 * workload::kTransferSms /
                           std::max(device.limits.sm_count, 2 * workload::kTransferSms);
  beside.wait = [&](int step, int chunk, int rank) { return times.wait(step, chunk, rank); };
  plan.schedule = schedule(
      w, [&](int step, int chunk, int rank) { return times(step, chunk, rank); }, beside);
  return plan;
}

worker::LayerRequest layer_request(const LayerPlan& plan, int sms) {
  worker::LayerRequest request;
  request.layer = plan.workload.layer;
  request.sms = sms;
  for (const LayerStep& s : plan.steps) {
    request.choices.push_back(s.choice.kernel
                                  ? worker::StepChoice{s.choice.kernel->info.id, s.choice.tile}
                                  : worker::StepChoice{});
  }
  return request;
}

}  // namespace tilescope
