#include "core/model/formulas.h"

#include <fmt/format.h>

#include "core/language/language.h"
#include "core/model/formula_terms.h"
#include "core/model/names.h"
#include "core/model/warp_walk.h"

namespace tilescope::model {
namespace {
constexpr const char* kPartSums = "sums of parts of k";  // through the workspace

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
  const std::string each = bytes ? std::string(" · ") + tr("bytes") : std::string();
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

/// C by boxes leaves nothing for the L1 to store.
Formula l1_write(const Analysis& a, Count count) {
  const char* title = count == Count::bytes ? "L1 requests, bytes written by lanes"
                                            : "L1 requests, elements written by lanes";
  if (!a.traffic.counts.boxes_c) return write_c("l1.write", title, a, count, true);
  return {.key = "l1.write",
          .title = title,
          .symbols = tr("none: C goes past the L1, by TMA"),
          .numbers = "0",
          .value = 0,
          .unit = unit_of(count),
          .exact = true};
}

/// Where A and B are copied by boxes nothing but C is left for the L1.
Formula l1_read_of_c(const char* key, const char* title, const Analysis& a, Count count) {
  constexpr const char* kWhy = "A and B come past the L1, by TMA";
  if (a.problem.beta == 0.0f) {
    return {.key = key,
            .title = title,
            .symbols = wording("none: {}", kWhy),
            .numbers = "0",
            .value = 0,
            .unit = unit_of(count),
            .exact = true};
  }
  Product p;
  p.times("M", a.problem.m).times("N", a.problem.n).each(count, element_bytes(a.problem.type_c));
  Formula f = p.as(key, title, count, true);
  f.symbols += std::string(": ") + tr(kWhy);
  return f;
}

Formula l1_read(const Analysis& a, Count count) {
  const bool direct = !fills_shared(a.plan.copy_a.kind);
  const Raster& raster = a.plan.work.raster;
  const char* title = count == Count::bytes ? "L1 requests, bytes asked by lanes"
                                            : "L1 requests, elements asked by lanes";
  Formula f = by_boxes(a.plan.copy_a.kind)
                  ? l1_read_of_c("l1.read", title, a, count)
                  : per_matrix("l1.read", title, a, count,
                               direct ? "N · M · K" : tr("tiles along N · M · K"),
                               direct ? "M · K · N" : tr("tiles along M · K · N"),
                               direct ? a.problem.n : raster.tiles_n,
                               direct ? a.problem.m : raster.tiles_m, true, true);
  const Counts& c = a.traffic.counts;
  f = plus_bias(std::move(f), static_cast<double>(c.load_bias.bytes), a, count);
  return plus_pass(plus_sums(std::move(f), kPartSums, c.load_sums.bytes, count),
                   static_cast<double>(c.load_pack.bytes), a, count);
}

Formula sectors(const Analysis& a) {
  const Counts& c = a.traffic.counts;
  const auto text = [](const GlobalSum& s) { return grouped(static_cast<long long>(s.sectors)); };
  GlobalSum sums = c.load_sums, pass = c.load_pack;
  sums.add(c.store_sums, 1), pass.add(c.store_pack, 1);
  const GlobalSum a_loads = c.boxes_a ? GlobalSum() : c.load_a;
  const GlobalSum b_loads = c.boxes_b ? GlobalSum() : c.load_b;
  const GlobalSum c_stores = c.boxes_c ? GlobalSum() : c.store_c;
  std::string terms = tr("A + B + C read + C written");
  if (c.load_bias.sectors > 0) terms += std::string(" + ") + tr("bias");
  if (sums.sectors > 0) terms += std::string(" + ") + tr(kPartSums);
  if (pass.sectors > 0) terms += std::string(" + ") + tr("packing");
  return {.key = "l1.sectors",
          .title = "L1 requests, sectors of 32 B",
          .symbols = wording("{}: distinct sectors of each warp's lanes", terms),
          .numbers = fmt::format("{} + {} + {} + {}", text(a_loads), text(b_loads), text(c.load_c),
                                 text(c_stores)) +
                     (c.load_bias.sectors > 0 ? " + " + text(c.load_bias) : "") +
                     (sums.sectors > 0 ? " + " + text(sums) : "") +
                     (pass.sectors > 0 ? " + " + text(pass) : ""),
          .value = static_cast<double>(c.global_load().sectors + c.global_store().sectors),
          .unit = "sectors",
          .exact = true};
}

/// So many sectors of 32 bytes.
Product in_sectors(const char* symbol, uint64_t sectors, Count count, int element) {
  Product p;
  p.times(symbol, static_cast<long long>(sectors));
  if (count == Count::bytes) return p.times("32 B", "32 B", kSectorBytes);
  const std::string share = fmt::format("32 B / {} B", element);
  return p.times(share, share, 1.0 * kSectorBytes / element);
}

/// Why there are as many sectors as there are.
std::string fetched_words(const Analysis& a) {
  const Counts& c = a.traffic.counts;
  const bool past_a = passes_l1_by(a.plan.copy_a), past_b = passes_l1_by(a.plan.copy_b);
  const bool parted = (past_a && c.load_a.fetched != c.load_a.sectors) ||
                      (past_b && c.load_b.fetched != c.load_b.sectors);
  std::string words =
      past_a && past_b ? tr("each copied past the L1") : tr("each once per CTA, as L1 keeps it");
  if (past_a != past_b) words += wording("; {} past the L1", past_a ? "A" : "B");
  const int shared = a.plan.copy_a.shared_by * a.plan.copy_b.shared_by;
  if (shared > 1) words += tr("; what a cluster shares comes to each of its SMs");
  if (parted) words += tr("; twice where its halves go to two 32-byte blocks of shared memory");
  return words;
}

Formula l2_read(const Analysis& a, Count count) {
  const Counts& c = a.traffic.counts;
  const auto of = [&](const char* symbol, Operand o, uint64_t sectors) {
    return in_sectors(symbol, sectors, count, element_bytes(operand_type(a.problem, o)))
        .as("l2.read", "L2 → SM", count, false);
  };
  Formula f = plus(of(tr("sectors of A"), Operand::a, a.traffic.fetched_a),
                   of(tr("sectors of B"), Operand::b, a.traffic.fetched_b));
  if (a.problem.beta != 0.0f) {
    Product read_c;
    read_c.times("M", a.problem.m).times("N", a.problem.n);
    f = plus(
        std::move(f),
        read_c.each(count, element_bytes(a.problem.type_c)).as("l2.read", "L2 → SM", count, false));
  }
  f = plus_bias(std::move(f), static_cast<double>(a.traffic.fetched_bias) * kSectorBytes, a, count);
  f = plus_pass(plus_sums(std::move(f), kPartSums, c.load_sums.sectors * kSectorBytes, count),
                packed_size(a), a, count);
  f.symbols += ": " + fetched_words(a);
  return f;
}

Formula l2_write(const Analysis& a, Count count) {
  const Counts& c = a.traffic.counts;
  const Product of_c =
      in_sectors(tr("sectors of C"), c.store_c.sectors, count, element_bytes(a.problem.type_c));
  return plus_pass(plus_sums(of_c.as("l2.write", "SM → L2", count, false), kPartSums,
                             c.store_sums.sectors * kSectorBytes, count),
                   packed_size(a), a, count);
}

Formula intensity(const char* key, const char* title, const Analysis& a, Count count,
                  const MemoryLevel& level) {
  const double flop = flops(a.problem), moved = level.all(count);
  const char* unit = count == Count::bytes ? "byte" : "element";
  return {.key = key,
          .title = wording("FLOP per {} {}", unit, title),
          .symbols =
              count == Count::bytes ? tr("2 · M · N · K / bytes") : tr("2 · M · N · K / elements"),
          .numbers = fmt::format("{} / {}", four_digits(flop), four_digits(moved)),
          .value = moved > 0 ? flop / moved : 0,
          .unit = count == Count::bytes ? "FLOP/B" : "FLOP/element",
          .exact = level.exact};
}

Formula dram_simulated(const Analysis& a, Count count) {
  const MemoryLevel& dram = a.traffic.dram;
  const double again = (*a.dram_read + a.traffic.packed_bytes) / dram.read;
  const double best = count == Count::bytes ? dram.read : dram.read_elements;
  return {.key = "dram.read.simulated",
          .title = "DRAM, read as the L2 lets it through",
          .symbols = tr("read at best · times that a byte is read, by the simulation of the L2"),
          .numbers = fmt::format("{} · {}", grouped(std::llround(best)), four_digits(again)),
          .value = best * again,
          .unit = count == Count::bytes ? "B" : "elements",
          .exact = false};
}

}  // namespace

Analysis analyse(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                 const DeviceRow& device, const CompiledFacts& compiled,
                 std::optional<double> dram_read) {
  return analyse(plan, problem, launch, device, traffic(plan, problem), compiled, dram_read);
}

Analysis analyse(const KernelPlan& plan, const Problem& problem, const Launch& launch,
                 const DeviceRow& device, const Traffic& counted, const CompiledFacts& compiled,
                 std::optional<double> dram_read) {
  Analysis a{.plan = plan,
             .problem = problem,
             .launch = launch,
             .device = device,
             .traffic = counted,
             .dram_read = dram_read,
             .occupancy = {},
             .waves = {},
             .prediction = {},
             .ratios = {}};
  a.occupancy = occupancy(launch, device.limits, compiled.registers);
  a.waves = waves(launch, device.limits, a.occupancy);
  a.prediction = predict(plan, problem, launch, a.traffic, device, compiled, dram_read);
  a.ratios = ratios(plan, problem, a.traffic, device);
  return a;
}

std::vector<Formula> traffic_formulas(const Analysis& a, Count count) {
  std::vector<Formula> all = on_chip_formulas(a, count);
  all.push_back(l1_read(a, count));
  const Counts& c = a.traffic.counts;
  all.push_back(plus_pass(plus_sums(l1_write(a, count), kPartSums, c.store_sums.bytes, count),
                          static_cast<double>(c.store_pack.bytes), a, count));
  all.push_back(sectors(a));
  all.push_back(l2_read(a, count));
  all.push_back(l2_write(a, count));
  all.push_back(plus_pass(plus_bias(per_matrix("dram.read", "DRAM, read at best", a, count, "M · K",
                                               "K · N", 1, 1, false),
                                    static_cast<double>(bias_bytes(a.problem)), a, count),
                          packed_size(a), a, count));
  if (a.dram_read && a.traffic.dram.read > 0) all.push_back(dram_simulated(a, count));
  all.push_back(plus_pass(write_c("dram.write", "DRAM, written at best", a, count, false),
                          packed_size(a), a, count));
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
