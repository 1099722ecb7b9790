#include "core/model/formulas.h"

#include <fmt/format.h>

#include "core/model/format.h"
#include "core/model/names.h"
#include "core/model/warp_walk.h"

namespace tilescope::model {
namespace {

/// A product in symbols and numbers at once.
class Product {
 public:
  Product& times(const std::string& symbol, long long value) {
    add(symbol, grouped(value), static_cast<double>(value));
    return *this;
  }
  /// A factor that is a sum or has a unit: its texts as given.
  Product& times(const std::string& symbol, const std::string& number, double value) {
    add(symbol, number, value);
    return *this;
  }
  Formula as(const char* key, const char* title, const char* unit, bool exact) const {
    return {.key = key,
            .title = title,
            .symbols = symbols_,
            .numbers = numbers_,
            .value = value_,
            .unit = unit,
            .exact = exact};
  }

 private:
  void add(const std::string& symbol, const std::string& number, double value) {
    symbols_ += (symbols_.empty() ? "" : " · ") + symbol;
    numbers_ += (numbers_.empty() ? "" : " · ") + number;
    value_ *= value;
  }
  std::string symbols_, numbers_;
  double value_ = 1;
};

long long fragment_bytes(const FragmentLayout& f) {
  return 1LL * f.threads() * f.values() * f.bits / 8;
}

Formula registers(const Analysis& a, bool read) {
  const KernelPlan& plan = a.plan;
  const char* key = read ? "registers.read" : "registers.write";
  const char* title = read ? "Registers, read by arithmetic" : "Registers, written by arithmetic";
  if (plan.math == Math::mma) {
    const long long in = fragment_bytes(plan.atom.a) + fragment_bytes(plan.atom.b);
    const long long c = fragment_bytes(plan.atom.c);
    Product p;
    p.times("CTAs", a.launch.ctas()).times("slices", plan.k_slices).times("warps", plan.warps());
    p.times("mma a slice", 1LL * mmas_m(plan) * mmas_n(plan) * mmas_k(plan));
    if (read) {
      p.times("(A + B + C) B",
              fmt::format("({} + {} + {}) B", fragment_bytes(plan.atom.a),
                          fragment_bytes(plan.atom.b), c),
              static_cast<double>(in + c));
    } else {
      p.times("C B", fmt::format("{} B", c), static_cast<double>(c));
    }
    return p.as(key, title, "B", true);
  }
  Product p;
  if (plan.stages > 0) {  // padding is multiplied too
    p.times("CTAs", a.launch.ctas()).times("slices", plan.k_slices);
    p.times("block M", plan.block_m).times("block N", plan.block_n).times("block K", plan.block_k);
  } else {
    p.times("M", a.problem.m).times("N", a.problem.n).times("K", a.problem.k);
  }
  p.times(read ? "3 operands" : "1 result", read ? 3 : 1).times("4 B", "4 B", 4);
  return p.as(key, title, "B", true);
}

Formula shared_read(const Analysis& a) {
  const KernelPlan& plan = a.plan;
  Product p;
  p.times("CTAs", a.launch.ctas());
  if (plan.math == Math::mma) {
    // Fragments are loaded one k step ahead: one step more than the slices hold.
    const int e = plan.shared_a.bytes_per_element;
    p.times("(slices · k steps + 1)",
            fmt::format("({} · {} + 1)", grouped(plan.k_slices), mmas_k(plan)),
            1.0 * plan.k_slices * mmas_k(plan) + 1);
    p.times(
        "(block M · warps along N + block N · warps along M)",
        fmt::format("({} · {} + {} · {})", plan.block_m, plan.warps_n, plan.block_n, plan.warps_m),
        1.0 * plan.block_m * plan.warps_n + 1.0 * plan.block_n * plan.warps_m);
    p.times("mma K", plan.atom.k).times(fmt::format("{} B", e), fmt::format("{} B", e), e);
  } else {
    p.times("slices", plan.k_slices).times("block K", plan.block_k).times("threads", plan.threads);
    p.times("(thread M + thread N)", fmt::format("({} + {})", plan.thread_m, plan.thread_n),
            plan.thread_m + plan.thread_n);
    p.times("4 B", "4 B", 4);
  }
  return p.as("shared.read", "Shared memory, read", "B", true);
}

Formula shared_write(const Analysis& a) {
  const KernelPlan& plan = a.plan;
  const int e = plan.shared_a.bytes_per_element;
  Product p;
  p.times("CTAs", a.launch.ctas()).times("slices", plan.k_slices);
  p.times("(block M + block N)", fmt::format("({} + {})", plan.block_m, plan.block_n),
          plan.block_m + plan.block_n);
  p.times("block K", plan.block_k).times(fmt::format("{} B", e), fmt::format("{} B", e), e);
  return p.as("shared.write", "Shared memory, written", "B", true);
}

Formula wavefronts_of(const char* key, const char* title, const SharedSum& sum, bool exact) {
  return {.key = key,
          .title = title,
          .symbols = "at best + conflicts",
          .numbers = fmt::format("{} + {}", grouped(static_cast<long long>(sum.ideal)),
                                 grouped(static_cast<long long>(sum.conflicts()))),
          .value = static_cast<double>(sum.wavefronts),
          .unit = "",
          .exact = exact};
}

/// Loads and stores apart, since the hardware serves them by different rules, and their sum.
void add_wavefronts(const Analysis& a, std::vector<Formula>& all) {
  const Counts& c = a.traffic.counts;
  // ldmatrix stays as it is written; of plain vector loads the compiler may split some.
  const bool as_written = a.plan.math == Math::mma;
  all.push_back(wavefronts_of("shared.read.wavefronts", "Shared memory, wavefronts of loads",
                              c.shared_load, as_written));
  if (c.shared_store.requests > 0) {
    all.push_back(wavefronts_of("shared.write.wavefronts", "Shared memory, wavefronts of stores",
                                c.shared_store, true));
  }
  if (c.shared_copy.requests > 0) {
    all.push_back(wavefronts_of("shared.write.copy_wavefronts",
                                "Shared memory, wavefronts of cp.async", c.shared_copy, true));
  }
  const auto text = [](const SharedSum& sum) {
    return grouped(static_cast<long long>(sum.wavefronts));
  };
  all.push_back({.key = "shared.wavefronts",
                 .title = "Shared memory, wavefronts",
                 .symbols = "loads + stores, lane by lane",
                 .numbers = fmt::format("{} + {}", text(c.shared_load), text(c.shared_store)),
                 .value = static_cast<double>(c.shared_load.wavefronts + c.shared_store.wavefronts),
                 .unit = "",
                 .exact = as_written});
}

/// Sum of a term a matrix; C is read only if beta is not 0.
Formula per_matrix(const char* key, const char* title, const Analysis& a, const char* symbols_a,
                   const char* symbols_b, double times_a, double times_b, bool exact) {
  const Problem& p = a.problem;
  const double ab = times_a * static_cast<double>(operand_size_bytes(p, Operand::a)) +
                    times_b * static_cast<double>(operand_size_bytes(p, Operand::b));
  const bool c = p.beta != 0.0f;
  const auto term = [&](Operand o, double times) {
    const std::string factor = times == 1 ? "" : grouped(static_cast<long long>(times)) + " · ";
    return fmt::format("{}{} · {} · {} B", factor, grouped(operand_rows(p, o)),
                       grouped(operand_cols(p, o)), element_bytes(operand_type(p, o)));
  };
  return {.key = key,
          .title = title,
          .symbols = fmt::format("{} + {}{}", symbols_a, symbols_b, c ? " + M · N · bytes" : ""),
          .numbers = fmt::format("{} + {}{}", term(Operand::a, times_a), term(Operand::b, times_b),
                                 c ? " + " + term(Operand::c, 1) : ""),
          .value = ab + (c ? static_cast<double>(operand_size_bytes(p, Operand::c)) : 0),
          .unit = "B",
          .exact = exact};
}

Formula write_c(const char* key, const char* title, const Analysis& a, bool exact) {
  Product p;
  p.times("M", a.problem.m).times("N", a.problem.n).times("4 B", "4 B", 4);
  return p.as(key, title, "B", exact);
}

Formula l1_read(const Analysis& a) {
  const bool direct = a.plan.copy_a.kind == CopyKind::direct;
  return per_matrix("l1.read", "L1 requests, bytes asked by lanes", a,
                    direct ? "N · M · K · bytes" : "tiles along N · M · K · bytes",
                    direct ? "M · K · N · bytes" : "tiles along M · K · N · bytes",
                    direct ? a.problem.n : a.plan.raster.tiles_n,
                    direct ? a.problem.m : a.plan.raster.tiles_m, true);
}

Formula sectors(const Analysis& a) {
  const Counts& c = a.traffic.counts;
  const auto text = [](const GlobalSum& s) { return grouped(static_cast<long long>(s.sectors)); };
  return {.key = "l1.sectors",
          .title = "L1 requests, sectors of 32 B",
          .symbols = "A + B + C read + C written: distinct sectors of each warp's lanes",
          .numbers = fmt::format("{} + {} + {} + {}", text(c.load_a), text(c.load_b),
                                 text(c.load_c), text(c.store_c)),
          .value = static_cast<double>(c.global_load().sectors + c.store_c.sectors),
          .unit = "sectors",
          .exact = true};
}

/// Sectors that L2 sends past L1 (cp.async of 16 bytes), or each byte once a CTA.
Formula l2_read(const Analysis& a) {
  if (!passes_l1_by(a.plan.copy_a) || !passes_l1_by(a.plan.copy_b)) {
    return per_matrix("l2.read", "L2 → SM", a, "tiles along N · M · K · bytes",
                      "tiles along M · K · N · bytes", a.plan.raster.tiles_n, a.plan.raster.tiles_m,
                      false);
  }
  const Counts& c = a.traffic.counts;
  const bool reads_c = a.problem.beta != 0.0f;
  return {.key = "l2.read",
          .title = "L2 → SM",
          .symbols = reads_c ? "(sectors of A + of B) · 32 B + M · N · bytes"
                             : "(sectors of A + of B) · 32 B",
          .numbers = fmt::format(
              "({} + {}) · 32 B{}", grouped(static_cast<long long>(c.load_a.sectors)),
              grouped(static_cast<long long>(c.load_b.sectors)),
              reads_c ? " + " + grouped(operand_size_bytes(a.problem, Operand::c)) + " B" : ""),
          .value = a.traffic.l2.read,
          .unit = "B",
          .exact = false};
}

Formula l2_write(const Analysis& a) {
  const long long written = static_cast<long long>(a.traffic.counts.store_c.sectors);
  return Product()
      .times("sectors of C", written)
      .times("32 B", "32 B", kSectorBytes)
      .as("l2.write", "SM → L2", "B", false);
}

Formula intensity(const char* key, const char* title, const Analysis& a, const Level& level) {
  const double flop = flops(a.problem);
  return {
      .key = key,
      .title = title,
      .symbols = "2 · M · N · K / bytes",
      .numbers = fmt::format("{} / {}", four_digits(flop), four_digits(level.read + level.write)),
      .value = level.flop_per_byte,
      .unit = "FLOP/B",
      .exact = level.exact};
}

}  // namespace

Analysis analyse(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                 const DeviceRow& device, std::optional<int> registers) {
  Analysis a{.plan = plan,
             .problem = problem,
             .launch = launch,
             .device = device,
             .traffic = traffic(plan, problem),
             .occupancy = {},
             .waves = {},
             .prediction = {},
             .ratios = {}};
  a.occupancy = occupancy(launch, device.limits, registers);
  a.waves = waves(launch, device.limits, a.occupancy);
  a.prediction = predict(plan, problem, launch, a.traffic, device);
  a.ratios = ratios(plan, problem, a.traffic, device);
  return a;
}

std::vector<Formula> traffic_formulas(const Analysis& a) {
  std::vector<Formula> all = {registers(a, true), registers(a, false)};
  if (a.plan.stages > 0) {
    all.insert(all.end(), {shared_read(a), shared_write(a)});
    add_wavefronts(a, all);
  }
  all.push_back(l1_read(a));
  all.push_back(write_c("l1.write", "L1 requests, bytes written by lanes", a, true));
  all.push_back(sectors(a));
  all.push_back(l2_read(a));
  all.push_back(l2_write(a));
  all.push_back(per_matrix("dram.read", "DRAM, read at best", a, "M · K · bytes", "K · N · bytes",
                           1, 1, false));
  all.push_back(write_c("dram.write", "DRAM, written at best", a, false));
  const Traffic& t = a.traffic;
  all.push_back(intensity("registers.intensity", "FLOP a byte of registers", a, t.registers));
  if (a.plan.stages > 0) {
    all.push_back(intensity("shared.intensity", "FLOP a byte of shared memory", a, t.shared));
  }
  all.push_back(intensity("l1.intensity", "FLOP a byte asked of L1", a, t.l1));
  all.push_back(intensity("l2.intensity", "FLOP a byte from L2", a, t.l2));
  all.push_back(intensity("dram.intensity", "FLOP a byte of DRAM", a, t.dram));
  return all;
}

std::vector<Formula> all_formulas(const Analysis& a) {
  std::vector<Formula> all = traffic_formulas(a);
  const std::vector<Formula> launch = launch_formulas(a);
  all.insert(all.end(), launch.begin(), launch.end());
  return all;
}

}  // namespace tilescope::model
