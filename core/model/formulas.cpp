#include "core/model/formulas.h"
#include "core/layout/thread_elements.h"

#include <fmt/format.h>

#include "core/layout/packing.h"
#include "core/model/format.h"
#include "core/model/names.h"
#include "core/model/warp_walk.h"

namespace tilescope::model {
namespace {

const char* unit_of(Count count) { return count == Count::bytes ? "B" : "elements"; }

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
  /// The size of one element, where bytes are counted.
  Product& each(Count count, int bytes) {
    const std::string text = fmt::format("{} B", bytes);
    return count == Count::bytes ? times(text, text, bytes) : *this;
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
  Formula as(const char* key, const char* title, Count count, bool exact) const {
    return as(key, title, unit_of(count), exact);
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

/// Bytes or values that an instruction's threads hold of one operand.
long long held(const FragmentLayout& f, Count count) {
  const long long values = 1LL * f.threads() * f.values();
  return count == Count::bytes ? values * f.bits / 8 : values;
}

Formula registers(const Analysis& a, bool read, Count count) {
  const KernelPlan& plan = a.plan;
  const char* key = read ? "registers.read" : "registers.write";
  const char* title = read ? "Registers, read by arithmetic" : "Registers, written by arithmetic";
  if (plan.math() == Math::mma) {
    const long long in_a = held(plan.atom.a, count), in_b = held(plan.atom.b, count);
    const long long c = held(plan.atom.c, count);
    const std::string unit = count == Count::bytes ? " B" : "";
    Product p;
    p.times("tiles", plan.work.raster.tiles())
        .times("slices", plan.work.k_slices)
        .times("warps", plan.warps());
    p.times("mma a slice", 1LL * mmas_m(plan) * mmas_n(plan) * mmas_k(plan));
    if (read) {
      p.times("(A + B + C)" + unit, fmt::format("({} + {} + {}){}", in_a, in_b, c, unit),
              static_cast<double>(in_a + in_b + c));
    } else {
      p.times("C" + unit, fmt::format("{}{}", c, unit), static_cast<double>(c));
    }
    return p.as(key, title, count, true);
  }
  Product p;
  if (plan.stages() > 0) {  // padding is multiplied too
    p.times("tiles", plan.work.raster.tiles()).times("slices", plan.work.k_slices);
    p.times("block M", plan.block_m).times("block N", plan.block_n).times("block K", plan.block_k);
  } else {
    p.times("M", a.problem.m).times("N", a.problem.n).times("K", a.problem.k);
  }
  p.times(read ? "3 operands" : "1 result", read ? 3 : 1).each(count, 4);
  return p.as(key, title, count, true);
}

/// What else is moved: elements of so many bytes.
Formula plus(Formula f, const char* what, double bytes, int an_element, Count count) {
  if (bytes == 0) return f;
  const double moved = bytes / (count == Count::bytes ? 1 : an_element);
  f.symbols += std::string(" + ") + what;
  f.numbers += " + " + grouped(static_cast<long long>(moved));
  f.value += moved;
  return f;
}
/// What accumulators, which are floats, add to a sum on their way to C.
Formula plus_sums(Formula f, const char* what, uint64_t bytes, Count count) {
  return plus(std::move(f), what, static_cast<double>(bytes), 4, count);
}
/// What a pass before the kernel copies, as counted or each element once.
Formula plus_pass(Formula f, double bytes, Count count) {
  return plus(std::move(f), "packing", bytes, Packing::kElementBytes, count);
}
double packed_size(const Analysis& a) {
  double bytes = 0;
  for (const Operand o : {Operand::a, Operand::b}) {
    if (packs(a.plan.spec, o)) bytes += static_cast<double>(operand_size_bytes(a.problem, o));
  }
  return bytes;
}
constexpr const char* kShared = "epilogue";           // through shared memory
constexpr const char* kParts = "sums of parts of k";  // through the workspace

Formula shared_read(const Analysis& a, Count count) {
  const KernelPlan& plan = a.plan;
  const long long tiles = plan.work.raster.tiles();
  Product p;
  p.times("tiles", tiles);
  if (plan.math() == Math::mma) {
    // Fragments may be loaded one k step ahead: one step more than the slices hold.
    const int e = plan.shared_a().bytes_per_element;
    const long long steps = 1LL * mmas_k(plan) * plan.warps_k;
    const long long ahead = (plan.load_a.register_stages - 1LL) * plan.warps_k;
    const long long items = count_items(plan.work);
    if (ahead > 0 && items != tiles) {
      p = Product();
      const std::string each = ahead > 1 ? fmt::format(" · {}", ahead) : "";
      p.times("(tiles · slices · k steps + work items" + each + ")",
              fmt::format("({} · {} · {} + {}{})", grouped(tiles), grouped(plan.work.k_slices),
                          steps, grouped(items), each),
              static_cast<double>(tiles * plan.work.k_slices * steps + items * ahead));
    } else if (ahead > 0) {
      p.times(fmt::format("(slices · k steps + {})", ahead),
              fmt::format("({} · {} + {})", grouped(plan.work.k_slices), steps, ahead),
              static_cast<double>(plan.work.k_slices * steps + ahead));
    } else {
      p.times("slices", plan.work.k_slices).times("k steps", steps);
    }
    p.times(
        "(block M · warps along N + block N · warps along M)",
        fmt::format("({} · {} + {} · {})", plan.block_m, plan.warps_n, plan.block_n, plan.warps_m),
        1.0 * plan.block_m * plan.warps_n + 1.0 * plan.block_n * plan.warps_m);
    p.times("mma K", plan.atom.k).each(count, e);
  } else {
    p.times("slices", plan.work.k_slices)
        .times("block K", plan.block_k)
        .times("threads", plan.threads);
    // Several atoms a thread: a thread tile of each.
    const char* words =
        mmas_m(plan) * mmas_n(plan) == 1 ? "(thread M + thread N)" : "(rows + columns of a thread)";
    p.times(words, fmt::format("({} + {})", thread_rows(plan), thread_cols(plan)),
            thread_rows(plan) + thread_cols(plan));
    p.each(count, 4);
  }
  return plus_sums(p.as("shared.read", "Shared memory, read", count, true), kShared,
                   a.traffic.counts.epilogue_load.bytes, count);
}

Formula shared_write(const Analysis& a, Count count) {
  const KernelPlan& plan = a.plan;
  const int e = plan.shared_a().bytes_per_element;
  Product p;
  p.times("tiles", plan.work.raster.tiles()).times("slices", plan.work.k_slices);
  p.times("(block M + block N)", fmt::format("({} + {})", plan.block_m, plan.block_n),
          plan.block_m + plan.block_n);
  p.times("block K", plan.block_k).each(count, e);
  return plus_sums(p.as("shared.write", "Shared memory, written", count, true), kShared,
                   a.traffic.counts.epilogue_store.bytes, count);
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
  const bool as_written = a.plan.math() == Math::mma;
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

/// Sum of a term a matrix, or as packed, with the zeros around it; C is read only if beta is not 0.
Formula per_matrix(const char* key, const char* title, const Analysis& a, Count count,
                   std::string symbols_a, std::string symbols_b, double times_a, double times_b,
                   bool exact, bool as_read = false) {
  const Problem& p = a.problem;
  const bool bytes = count == Count::bytes;
  const auto extents = [&](Operand o) {
    return as_read ? extents_read(a.plan, p, o) : Coord{operand_rows(p, o), operand_cols(p, o)};
  };
  const auto size = [&](Operand o) {
    const auto [rows, cols] = extents(o);
    return 1.0 * rows * cols * (bytes ? element_bytes(operand_type(p, o)) : 1);
  };
  const bool c = p.beta != 0.0f;
  const auto term = [&](Operand o, double times) {
    const std::string factor = times == 1 ? "" : grouped(static_cast<long long>(times)) + " · ";
    const std::string one =
        bytes ? fmt::format(" · {} B", element_bytes(operand_type(p, o))) : std::string();
    const auto [rows, cols] = extents(o);
    return fmt::format("{}{} · {}{}", factor, grouped(rows), grouped(cols), one);
  };
  const char* each = bytes ? " · bytes" : "";
  return {
      .key = key,
      .title = title,
      .symbols = fmt::format("{}{} + {}{}{}", symbols_a, each, symbols_b, each,
                             c ? std::string(" + M · N") + each : ""),
      .numbers = fmt::format("{} + {}{}", term(Operand::a, times_a), term(Operand::b, times_b),
                             c ? " + " + term(Operand::c, 1) : ""),
      .value = times_a * size(Operand::a) + times_b * size(Operand::b) + (c ? size(Operand::c) : 0),
      .unit = unit_of(count),
      .exact = exact};
}

Formula write_c(const char* key, const char* title, const Analysis& a, Count count, bool exact) {
  Product p;
  p.times("M", a.problem.m).times("N", a.problem.n).each(count, element_bytes(a.problem.type_c));
  return p.as(key, title, count, exact);
}

Formula l1_read(const Analysis& a, Count count) {
  const bool direct = a.plan.copy_a.kind == CopyKind::direct;
  Formula f = per_matrix("l1.read",
                         count == Count::bytes ? "L1 requests, bytes asked by lanes"
                                               : "L1 requests, elements asked by lanes",
                         a, count, direct ? "N · M · K" : "tiles along N · M · K",
                         direct ? "M · K · N" : "tiles along M · K · N",
                         direct ? a.problem.n : a.plan.work.raster.tiles_n,
                         direct ? a.problem.m : a.plan.work.raster.tiles_m, true, true);
  const Counts& c = a.traffic.counts;
  return plus_pass(plus_sums(std::move(f), kParts, c.load_sums.bytes, count),
                   static_cast<double>(c.load_pack.bytes), count);
}

Formula sectors(const Analysis& a) {
  const Counts& c = a.traffic.counts;
  const auto text = [](const GlobalSum& s) { return grouped(static_cast<long long>(s.sectors)); };
  GlobalSum sums = c.load_sums, pass = c.load_pack;
  sums.add(c.store_sums, 1), pass.add(c.store_pack, 1);
  return {.key = "l1.sectors",
          .title = "L1 requests, sectors of 32 B",
          .symbols = std::string("A + B + C read + C written") +
                     (sums.sectors > 0 ? " + sums of parts of k" : "") +
                     (pass.sectors > 0 ? " + packing" : "") +
                     ": distinct sectors of each warp's lanes",
          .numbers = fmt::format("{} + {} + {} + {}", text(c.load_a), text(c.load_b),
                                 text(c.load_c), text(c.store_c)) +
                     (sums.sectors > 0 ? " + " + text(sums) : "") +
                     (pass.sectors > 0 ? " + " + text(pass) : ""),
          .value = static_cast<double>(c.global_load().sectors + c.global_store().sectors),
          .unit = "sectors",
          .exact = true};
}

/// Sectors that L2 sends past L1 (cp.async of 16 bytes), or each byte once a CTA.
Formula l2_read(const Analysis& a, Count count) {
  if (!passes_l1_by(a.plan.copy_a) || !passes_l1_by(a.plan.copy_b)) {
    return plus_pass(plus_sums(per_matrix("l2.read", "L2 → SM", a, count, "tiles along N · M · K",
                                          "tiles along M · K · N", a.plan.work.raster.tiles_n,
                                          a.plan.work.raster.tiles_m, false),
                               kParts, a.traffic.counts.load_sums.sectors * kSectorBytes, count),
                     packed_size(a), count);
  }
  const Counts& c = a.traffic.counts;
  const Problem& p = a.problem;
  const bool reads_c = p.beta != 0.0f, bytes = count == Count::bytes;
  const std::string one = bytes ? "" : fmt::format(" / {} B", element_bytes(p.type_a));
  const std::string each = bytes ? " · bytes" : "";
  const std::string c_size = bytes ? grouped(operand_size_bytes(p, Operand::c)) + " B"
                                   : grouped(operand_elements(p, Operand::c));
  Formula f{.key = "l2.read",
            .title = "L2 → SM",
            .symbols = "(sectors of A + of B) · 32 B" + one + (reads_c ? " + M · N" + each : ""),
            .numbers = fmt::format("({} + {}) · 32 B{}{}",
                                   grouped(static_cast<long long>(c.load_a.sectors)),
                                   grouped(static_cast<long long>(c.load_b.sectors)), one,
                                   reads_c ? " + " + c_size : ""),
            .value = bytes ? a.traffic.l2.read : a.traffic.l2.read_elements,
            .unit = unit_of(count),
            .exact = false};
  const uint64_t sums = c.load_sums.sectors * kSectorBytes;
  const double pass = packed_size(a);
  f.value -= static_cast<double>(sums) / (bytes ? 1 : 4);
  f.value -= pass / (bytes ? 1 : Packing::kElementBytes);
  return plus_pass(plus_sums(std::move(f), kParts, sums, count), pass, count);
}

Formula l2_write(const Analysis& a, Count count) {
  const long long written = static_cast<long long>(a.traffic.counts.store_c.sectors);
  const int size = element_bytes(a.problem.type_c);
  Product p;
  p.times("sectors of C", written);
  if (count == Count::bytes) {
    p.times("32 B", "32 B", kSectorBytes);
  } else {
    const std::string share = fmt::format("32 B / {} B", size);
    p.times(share, share, 1.0 * kSectorBytes / size);
  }
  const uint64_t sums = a.traffic.counts.store_sums.sectors * kSectorBytes;
  return plus_pass(plus_sums(p.as("l2.write", "SM → L2", count, false), kParts, sums, count),
                   packed_size(a), count);
}

Formula intensity(const char* key, const char* title, const Analysis& a, Count count,
                  const Level& level) {
  const double flop = flops(a.problem), moved = level.all(count);
  const char* unit = count == Count::bytes ? "byte" : "element";
  return {.key = key,
          .title = fmt::format("FLOP a{} {} {}", count == Count::bytes ? "" : "n", unit, title),
          .symbols = fmt::format("2 · M · N · K / {}s", unit),
          .numbers = fmt::format("{} / {}", four_digits(flop), four_digits(moved)),
          .value = moved > 0 ? flop / moved : 0,
          .unit = count == Count::bytes ? "FLOP/B" : "FLOP/element",
          .exact = level.exact};
}

}  // namespace

Analysis analyse(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                 const DeviceRow& device, std::optional<int> registers) {
  return analyse(plan, problem, launch, device, traffic(plan, problem), registers);
}

Analysis analyse(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                 const DeviceRow& device, const Traffic& counted, std::optional<int> registers) {
  Analysis a{.plan = plan,
             .problem = problem,
             .launch = launch,
             .device = device,
             .traffic = counted,
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

std::vector<Formula> traffic_formulas(const Analysis& a, Count count) {
  std::vector<Formula> all = {registers(a, true, count), registers(a, false, count)};
  if (a.plan.stages() > 0) {
    all.insert(all.end(), {shared_read(a, count), shared_write(a, count)});
    add_wavefronts(a, all);
  }
  all.push_back(l1_read(a, count));
  const Counts& c = a.traffic.counts;
  all.push_back(
      plus_pass(plus_sums(write_c("l1.write",
                                  count == Count::bytes ? "L1 requests, bytes written by lanes"
                                                        : "L1 requests, elements written by lanes",
                                  a, count, true),
                          kParts, c.store_sums.bytes, count),
                static_cast<double>(c.store_pack.bytes), count));
  all.push_back(sectors(a));
  all.push_back(l2_read(a, count));
  all.push_back(l2_write(a, count));
  all.push_back(plus_pass(
      per_matrix("dram.read", "DRAM, read at best", a, count, "M · K", "K · N", 1, 1, false),
      packed_size(a), count));
  all.push_back(plus_pass(write_c("dram.write", "DRAM, written at best", a, count, false),
                          packed_size(a), count));
  const Traffic& t = a.traffic;
  all.push_back(intensity("registers.intensity", "of registers", a, count, t.registers));
  if (a.plan.stages() > 0) {
    all.push_back(intensity("shared.intensity", "of shared memory", a, count, t.shared));
  }
  all.push_back(intensity("l1.intensity", "asked of L1", a, count, t.l1));
  all.push_back(intensity("l2.intensity", "from L2", a, count, t.l2));
  all.push_back(intensity("dram.intensity", "of DRAM", a, count, t.dram));
  return all;
}

std::vector<Formula> all_formulas(const Analysis& a) {
  std::vector<Formula> all = traffic_formulas(a);
  const std::vector<Formula> launch = launch_formulas(a);
  all.insert(all.end(), launch.begin(), launch.end());
  return all;
}

}  // namespace tilescope::model
