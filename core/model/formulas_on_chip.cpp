#include "core/language/language.h"
#include "core/layout/hierarchy.h"
#include "core/model/formula_terms.h"

namespace tilescope::model {
namespace {

/// Values of one operand that an instruction's threads hold, or their bytes.
long long held(const FragmentLayout& f, long long values, Count count) {
  return count == Count::bytes ? values * f.bits / 8 : values;
}

Formula registers(const Analysis& a, bool read, Count count) {
  const KernelPlan& plan = a.plan;
  const char* key = read ? "registers.read" : "registers.write";
  const char* title = read ? "Registers, read by arithmetic" : "Registers, written by arithmetic";
  const Hierarchy h = hierarchy_of(plan);
  const Arithmetic one = arithmetic_of(plan);
  if (h.lanes_share_atoms()) {
    const long long in_a = held(plan.atom.a, one.a, count), in_b = held(plan.atom.b, one.b, count);
    const long long c = held(plan.atom.c, one.c, count);
    const std::string unit = count == Count::bytes ? " B" : "";
    Product p;
    p.times(tr("tiles"), plan.work.raster.tiles())
        .times(tr("slices"), plan.work.k_slices)
        .times(tr("warps"), h[Level::warp].parts());
    p.times(tr("mma per slice"), h[Level::atom].parts());
    if (plan.split.present()) p.times(tr("products of parts"), plan.split.products());
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
    p.times(tr("tiles"), plan.work.raster.tiles()).times(tr("slices"), plan.work.k_slices);
    p.times("block M", plan.block_m).times("block N", plan.block_n).times("block K", plan.block_k);
  } else {
    p.times("M", a.problem.m).times("N", a.problem.n).times("K", a.problem.k);
  }
  p.times(read ? tr("3 operands") : tr("1 result"), read ? one.a + one.b + one.c : one.c)
      .each(count, 4);
  return p.as(key, title, count, true);
}

/// Adds sums on their way to C through shared memory.
Formula plus_shared_sums(Formula f, uint64_t bytes, const Analysis& a, Count count) {
  return plus(std::move(f), tr("epilogue"), static_cast<double>(bytes),
              sum_element_bytes(a.problem, a.traffic.counts), count);
}

/// What whoever splits a slice reads of it.
Formula read_to_split(const Analysis& a, Count count) {
  const KernelPlan& plan = a.plan;
  Product p;
  p.times(tr("tiles"), plan.work.raster.tiles()).times(tr("slices"), plan.work.k_slices);
  p.times("(block M + block N)", fmt::format("({} + {})", plan.block_m, plan.block_n),
          plan.block_m + plan.block_n);
  p.times("block K", plan.block_k).each(count, plan.shared_a().bytes_per_element);
  Formula f = p.as("shared.read", "Shared memory, read", count, true);
  f.symbols = wording("{} to split", f.symbols);
  return f;
}

Formula shared_read(const Analysis& a, Count count) {
  const KernelPlan& plan = a.plan;
  const long long tiles = plan.work.raster.tiles();
  const Hierarchy h = hierarchy_of(plan);
  const LevelRow &warp = h[Level::warp], &atom = h[Level::atom];
  Product p;
  p.times(tr("tiles"), tiles);
  if (h.lanes_share_atoms()) {
    // Fragments may be loaded one k step ahead: one step more than the slices hold.
    const int e = plan.shared_a().bytes_per_element;
    const long long steps = 1LL * atom.count.k * warp.count.k;
    const long long ahead = (plan.load_a.register_stages - 1LL) * warp.count.k;
    const long long items = count_items(plan.work);
    if (ahead > 0 && items != tiles) {
      p = Product();
      const std::string each = ahead > 1 ? fmt::format(" · {}", ahead) : "";
      p.times(wording("(tiles · slices · k steps + work items{})", each),
              fmt::format("({} · {} · {} + {}{})", grouped(tiles), grouped(plan.work.k_slices),
                          steps, grouped(items), each),
              static_cast<double>(tiles * plan.work.k_slices * steps + items * ahead));
    } else if (ahead > 0) {
      p.times(wording("(slices · k steps + {})", ahead),
              fmt::format("({} · {} + {})", grouped(plan.work.k_slices), steps, ahead),
              static_cast<double>(plan.work.k_slices * steps + ahead));
    } else {
      p.times(tr("slices"), plan.work.k_slices).times(tr("k steps"), steps);
    }
    // A fragment in registers serves all products of its warp; in shared memory each reads it anew.
    const bool by_products = plan.atom.in_shared(Operand::b);
    const int a_times = warp.count.n * (plan.atom.in_shared(Operand::a) ? atom.count.n : 1);
    const int b_times = warp.count.m * (by_products ? atom.count.m : 1);
    const char* reader = by_products ? "products" : "warps";
    p.times(wording("(block M · {0} along N + block N · {0} along M)", reader),
            fmt::format("({} · {} + {} · {})", plan.block_m, a_times, plan.block_n, b_times),
            1.0 * plan.block_m * a_times + 1.0 * plan.block_n * b_times);
    if (plan.split.present()) p.times(tr("products of parts"), plan.split.products());
    p.times("mma K", atom.box.k).each(count, e);
    if (plan.split.present()) {
      return plus_shared_sums(
          plus(p.as("shared.read", "Shared memory, read", count, true), read_to_split(a, count)),
          a.traffic.counts.sums_read(), a, count);
    }
  } else {
    p.times(tr("slices"), plan.work.k_slices)
        .times("block K", plan.block_k)
        .times(tr("threads"), plan.threads);
    // Several atoms per thread: a thread tile of each.
    const char* words = mmas_m(plan) * mmas_n(plan) == 1 ? "(thread M + thread N)"
                                                         : tr("(rows + columns of a thread)");
    p.times(words, fmt::format("({} + {})", atom.box.m, atom.box.n), atom.box.m + atom.box.n);
    p.each(count, 4);
  }
  return plus_shared_sums(p.as("shared.read", "Shared memory, read", count, true),
                          a.traffic.counts.sums_read(), a, count);
}

Formula shared_write(const Analysis& a, Count count) {
  const KernelPlan& plan = a.plan;
  const int e = plan.shared_a().bytes_per_element;
  Product p;
  p.times(tr("tiles"), plan.work.raster.tiles()).times(tr("slices"), plan.work.k_slices);
  p.times("(block M + block N)", fmt::format("({} + {})", plan.block_m, plan.block_n),
          plan.block_m + plan.block_n);
  p.times("block K", plan.block_k);
  if (plan.split.present()) p.times(tr("elements and rests"), 2);
  p.each(count, e);
  return plus_shared_sums(p.as("shared.write", "Shared memory, written", count, true),
                          a.traffic.counts.sums_written(), a, count);
}

Formula wavefronts_of(const char* key, const char* title, const SharedSum& sum) {
  return {.key = key,
          .title = title,
          .symbols = tr("at best + conflicts"),
          .numbers = fmt::format("{} + {}", grouped(static_cast<long long>(sum.ideal)),
                                 grouped(static_cast<long long>(sum.conflicts()))),
          .value = static_cast<double>(sum.wavefronts),
          .unit = "",
          .exact = true};
}

/// Loads and stores apart, since the hardware serves them by different rules, and their sum.
void add_wavefronts(const Analysis& a, std::vector<Formula>& all) {
  const Counts& c = a.traffic.counts;
  all.push_back(
      wavefronts_of("shared.read.wavefronts", "Shared memory, wavefronts of loads", c.shared_load));
  if (c.joins_shared_loads()) {
    Formula joined =
        wavefronts_of("shared.read.joined_wavefronts",
                      "Shared memory, wavefronts of loads on a card", c.joined_shared_load());
    joined.symbols += fmt::format(": {}", tr(kJoinedWhy));
    joined.exact = false;
    all.push_back(std::move(joined));
  }
  if (c.shared_store.requests > 0) {
    all.push_back(wavefronts_of("shared.write.wavefronts", "Shared memory, wavefronts of stores",
                                c.shared_store));
  }
  if (c.shared_copy.requests > 0) {
    all.push_back(wavefronts_of("shared.write.copy_wavefronts",
                                by_boxes(a.plan.copy_a.kind)
                                    ? "Shared memory, wavefronts of TMA"
                                    : "Shared memory, wavefronts of cp.async",
                                c.shared_copy));
  }
  const auto text = [](const SharedSum& sum) {
    return grouped(static_cast<long long>(sum.wavefronts));
  };
  all.push_back({.key = "shared.wavefronts",
                 .title = "Shared memory, wavefronts",
                 .symbols = tr("loads + stores, lane by lane"),
                 .numbers = fmt::format("{} + {}", text(c.shared_load), text(c.shared_store)),
                 .value = static_cast<double>(c.shared_load.wavefronts + c.shared_store.wavefronts),
                 .unit = "",
                 .exact = true});
}

}  // namespace

std::vector<Formula> on_chip_formulas(const Analysis& a, Count count) {
  std::vector<Formula> all = {registers(a, true, count), registers(a, false, count)};
  if (a.plan.stages() > 0) {
    all.insert(all.end(), {shared_read(a, count), shared_write(a, count)});
    add_wavefronts(a, all);
  }
  return all;
}

}  // namespace tilescope::model
