#include <fmt/format.h>

#include "core/language/language.h"
#include "core/layout/box_store.h"
#include "core/layout/shared_reads.h"
#include "core/model/format.h"
#include "core/model/formulas.h"
#include "core/model/names.h"
#include "core/model/roofs.h"

namespace tilescope::model {
namespace {

Formula shared_bytes(const Analysis& a) {
  const KernelPlan& p = a.plan;
  const int halves = p.split.present() ? 2 : 1;
  const int padding = padding_bytes(p);
  const std::string more = padding > 0 ? wording(" + {} B padding", padding) : "";
  std::string symbols = tr("stages · (block M · block K + block K · block N) · bytes");
  const std::string stages =
      halves > 1 ? fmt::format("{} · {}", p.stages(), halves) : std::to_string(p.stages());
  if (halves > 1) symbols += tr(" · (elements and rests)");
  std::string numbers = fmt::format("{} · (({}·{} + {}·{}) · {} B{})", stages, p.block_m, p.block_k,
                                    p.block_k, p.block_n, p.shared_a().bytes_per_element, more);
  if (const int sums = epilogue_bytes(p); sums > 0) {
    symbols = wording("max({}, sums of C)", symbols);
    numbers = wording("max({}, {} B)", numbers, grouped(sums));
  }
  const auto add = [&](const char* what, const SharedRegion& region) {
    if (!region.present()) return;
    symbols += std::string(" + ") + tr(what);
    numbers += fmt::format(" + {} B", grouped(region.bytes()));
  };
  add("warps' buffers for C", store_buffers(p));
  add("mbarriers", region_of(p, RegionKind::mbarriers));
  return {.key = "shared.bytes",
          .title = "Shared memory of a CTA",
          .symbols = symbols,
          .numbers = numbers,
          .value = static_cast<double>(p.shared_bytes()),
          .unit = "B",
          .exact = true};
}

Formula ctas_per_sm(const Analysis& a) {
  const DeviceLimits& d = a.device.limits;
  const Occupancy& o = a.occupancy;
  const bool shared = a.launch.shared_bytes + d.shared_reserved_per_block > 0;
  std::string symbols = wording("min(threads, {}CTA slots", shared ? "shared memory, " : "");
  std::string numbers =
      wording("min({}/{} = {}", grouped(d.threads_per_sm), a.launch.threads, o.by_threads);
  if (shared) {
    numbers +=
        fmt::format(", {}/({} + {}) = {}", grouped(d.shared_per_sm), grouped(a.launch.shared_bytes),
                    grouped(d.shared_reserved_per_block), o.by_shared);
  }
  numbers += fmt::format(", {}", o.by_slots);
  if (o.by_registers) {
    symbols += ", registers";
    numbers += fmt::format(", {}", *o.by_registers);
  }
  return {.key = "occupancy.ctas_per_sm",
          .title = "CTAs per SM",
          .symbols = symbols + ")",
          .numbers = numbers + ")",
          .value = static_cast<double>(o.ctas_per_sm),
          .unit = "CTAs",
          .exact = o.by_registers.has_value()};
}

Formula wave_count(const Analysis& a) {
  return {.key = "waves.count",
          .title = "Waves",
          .symbols = "⌈CTAs / (SMs · CTAs per SM)⌉",
          .numbers = fmt::format("⌈{} / ({} · {})⌉", grouped(a.launch.ctas()),
                                 a.device.limits.sm_count, a.occupancy.ctas_per_sm),
          .value = static_cast<double>(a.waves.count),
          .unit = "",
          .exact = a.occupancy.by_registers.has_value()};
}

Formula time(const Analysis& a) {
  const Prediction& p = a.prediction;
  std::string symbols, numbers;
  for (int i = 0; i < kTimeParts; ++i) {
    if (p.parts[i] <= 0) continue;
    const auto part = static_cast<TimePart>(i);
    const char* name = part == TimePart::work ? p.busiest : name_of(part);
    symbols += (symbols.empty() ? "" : " + ") + std::string(name);
    numbers += (numbers.empty() ? "" : " + ") + four_digits(p.parts[i]);
  }
  if (!p.remark().empty()) symbols += "; " + p.remark();
  return {.key = "time.us",
          .title = "Time, and where it goes",
          .symbols = symbols,
          .numbers = numbers,
          .value = p.us,
          .unit = "µs",
          .exact = false};
}

Formula device_ratio(const Analysis& a) {
  const double peak = arithmetic_peak(a.plan, a.device).flops * 1e-12;
  return {.key = "ratio.device",
          .title = "FLOP per byte of the device",
          .symbols = "peak FLOP/s / DRAM bandwidth",
          .numbers = wording("{} TFLOPS / {} GB/s", four_digits(peak),
                             four_digits(a.device.dram_gb_per_second)),
          .value = a.ratios.device,
          .unit = "FLOP/B",
          .exact = true};
}

}  // namespace

std::vector<Formula> launch_formulas(const Analysis& a) {
  std::vector<Formula> all;
  if (a.plan.stages() > 0) all.push_back(shared_bytes(a));
  all.push_back(ctas_per_sm(a));
  all.push_back(wave_count(a));
  all.push_back(time(a));
  all.push_back(device_ratio(a));
  return all;
}

}  // namespace tilescope::model
