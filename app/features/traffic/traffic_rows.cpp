#include "app/features/traffic/traffic_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>

#include "app/state/expectation.h"
#include "app/state/present.h"
#include "core/language/language.h"
#include "core/model/format.h"

namespace tilescope {
namespace {

using model::Count;
using model::MemoryLevel;
using model::Traffic;
using worker::CountedTraffic;

enum class Way { all, read, write };

double part_of(const MemoryLevel& level, Way part, Count count) {
  const bool bytes = count == Count::bytes;
  const double read = bytes ? level.read : level.read_elements;
  const double write = bytes ? level.write : level.write_elements;
  return part == Way::all ? read + write : part == Way::read ? read : write;
}

double counted_l1(const CountedTraffic& c, const model::Counts& m, const Problem& p, Count count) {
  const auto load = static_cast<double>(c.global_load.bytes);
  const auto store = static_cast<double>(c.global_store.bytes);
  return count == Count::bytes ? load + store : model::global_elements(p, load, store, m);
}
double shared_part(double bytes, uint64_t sums, const model::Counts& m, const Problem& p,
                   Count count) {
  return count == Count::bytes ? bytes : model::shared_elements(p, bytes, sums, m);
}
double counted_shared_write(const CountedTraffic& c, const model::Counts& m, const Problem& p,
                            Count count) {
  return shared_part(static_cast<double>(c.shared_store.bytes + c.shared_copy.bytes),
                     m.sums_written(), m, p, count);
}
double counted_shared_read(const CountedTraffic& c, const model::Counts& m, const Problem& p,
                           Count count) {
  return shared_part(static_cast<double>(c.shared_load.bytes + c.shared_product.bytes),
                     m.sums_read(), m, p, count);
}

/// What a line is made of.
struct RowSource {
  const char* id;
  const char* label;
  const char* what;
  const MemoryLevel Traffic::*level;
  Way part;
  double (*counted)(const CountedTraffic&, const model::Counts&, const Problem&,
                    Count);  // null: `no_count` says why
  const char* no_count;
  TrafficHue hue;
};
constexpr RowSource kRowSources[] = {
    {"dram.read", "DRAM read", "", &Traffic::dram, Way::read, nullptr, "no cache",
     TrafficHue::dram},
    {"dram.write", "DRAM write", "C once, and what a pass before the kernel packs", &Traffic::dram,
     Way::write, nullptr, "no cache", TrafficHue::dram},
    {"l2", "L2 → SM", "What the SMs fetch from L2 and write to it: requests less L1 hits",
     &Traffic::l2, Way::all, nullptr, "no cache", TrafficHue::l2},
    {"l1", "L1 requests", "What the lanes of the kernel ask global memory for", &Traffic::l1,
     Way::all, counted_l1, "not run", TrafficHue::l1},
    {"shared.write", "shared write", "Written to shared memory, cp.async included",
     &Traffic::shared, Way::write, counted_shared_write, "not run", TrafficHue::shared_write},
    {"shared.read", "shared read", "Read from shared memory, ldmatrix included", &Traffic::shared,
     Way::read, counted_shared_read, "not run", TrafficHue::shared_read},
    {"registers", "registers", "Operands that mma or fma read from registers, and results",
     &Traffic::registers, Way::all, nullptr, "no counter", TrafficHue::registers},
};

/// What DRAM is read: at best, or as the L2 was simulated.
std::string dram_read_words(const AppState& state) {
  const Traffic& t = state.derived.traffic;
  if (!state.derived.l2) {
    return wording(
        "Each operand once, {}: the least that must come from memory. What is read again, as the "
        "L2 "
        "forgets, {}.",
        model::bytes_text(t.dram.read),
        model::can_simulate_l2(state.derived.plan) ? "is being simulated"
                                                   : "is not simulated: the grid has too many "
                                                     "tiles, larger ones are");
  }
  const model::L2Traffic& l2 = *state.derived.l2;
  return wording(
      "As the L2 lets it through, simulated: {} read, {} at best. The L2 has {:.1f} % "
      "of what CTAs read from it; it keeps about {} while others come.",
      model::bytes_text(l2.read), model::bytes_text(l2.compulsory), 100 * l2.hits(),
      model::bytes_text(state.derived.l2_machine.bytes));
}

}  // namespace

std::vector<TrafficRow> traffic_rows(const AppState& state, Count count) {
  const Results& r = present_results(state);
  std::vector<TrafficRow> rows;
  const Traffic traffic = expected_traffic(state);
  for (const RowSource& s : kRowSources) {
    const MemoryLevel& level = traffic.*s.level;
    TrafficRow& row = rows.emplace_back();
    row.id = s.id, row.label = s.label, row.what = s.what;
    if (row.what.empty()) row.what = dram_read_words(state);
    row.modelled = part_of(level, s.part, count);
    row.exact = level.exact;
    if (s.counted && r.emulated) {
      row.counted =
          s.counted(r.emulated->counted, state.derived.traffic.counts, state.edit.problem, count);
    }
    row.counted_exactly = !r.emulated || r.emulated->counted.exact;
    row.no_count = s.no_count;
    row.measured = measured_figure(state, row.id, count);
    if (!row.measured) row.no_measure = why_not_measured(state, row.id);
    row.has_counter = has_counter(row.id);
    row.hue = s.hue;
  }
  return rows;
}

void put_accesses(std::vector<TrafficRow>& rows, const std::vector<AccessRow>& accesses) {
  /// The level that a kind of access is asked of. As ptxas joins shared loads they are the same
  /// ones once more.
  struct Level {
    std::string_view row, access;
  };
  static constexpr Level kLevels[] = {
      {"l1", "global.load"},           {"l1", "global.store"},
      {"shared.write", "shared.copy"}, {"shared.write", "shared.store"},
      {"shared.read", "shared.load"},  {"shared.read", "shared.product"}};
  for (TrafficRow& row : rows) {
    row.accesses_counted = true;
    for (const AccessRow& access : accesses) {
      const bool of_it = std::ranges::any_of(
          kLevels, [&](const Level& l) { return l.row == row.id && l.access == access.id; });
      if (!of_it) continue;
      const AccessFigures& known = access.counted ? *access.counted : access.modelled;
      AccessFigures& sum = row.accesses ? *row.accesses : row.accesses.emplace();
      sum.requests += known.requests, sum.cost += known.cost, sum.ideal += known.ideal;
      row.accesses_counted = row.accesses_counted && access.counted.has_value();
      row.access_unit = access.unit;
    }
  }
}

namespace {

/// Kinds of a figure, the best of those that both sides have is compared.
struct Compared {
  std::optional<double> a, b;
  const char* how;  // "as counted"
};
std::optional<AgainstSecond> best_of(std::initializer_list<Compared> kinds,
                                     const std::function<std::string(double)>& text) {
  for (const Compared& kind : kinds) {
    if (!kind.a || !kind.b) continue;
    if (*kind.a == 0 && *kind.b == 0) return {};
    AgainstSecond against;
    against.part = *kind.b == 0 ? std::numeric_limits<double>::infinity() : *kind.a / *kind.b - 1;
    against.words = wording("{} here, {} in B, {}", text(*kind.a), text(*kind.b), kind.how);
    return against;
  }
  return {};
}

}  // namespace

std::optional<AgainstSecond> against_second(const TrafficRow& a, const TrafficRow& b,
                                            model::Count count) {
  const auto card = [](const TrafficRow& row) {
    return row.measured && row.measured->unit.empty() ? std::optional(row.measured->value)
                                                      : std::nullopt;
  };
  const auto exactly = [](const TrafficRow& row) {
    return row.counted_exactly ? row.counted : std::nullopt;
  };
  return best_of({{card(a), card(b), "as the card counted"},
                  {exactly(a), exactly(b), "as counted"},
                  {a.modelled, b.modelled, "as modelled"}},
                 [&](double value) {
                   return count == Count::elements ? model::four_digits(value / 1e6) + " M"
                                                   : model::bytes_text(value);
                 });
}

std::optional<AgainstSecond> against_second(const AccessRow& a, const AccessRow& b) {
  const auto counted = [](const AccessRow& row) {
    return row.counted ? std::optional(static_cast<double>(row.counted->cost)) : std::nullopt;
  };
  const auto modelled = [](const AccessRow& row) {
    return row.has_model ? std::optional(static_cast<double>(row.modelled.cost)) : std::nullopt;
  };
  return best_of(
      {{counted(a), counted(b), "as counted"}, {modelled(a), modelled(b), "as modelled"}},
      [&](double value) { return wording("{} {}", model::grouped(std::llround(value)), a.unit); });
}

std::string against_text(const AgainstSecond& against) {
  const double part = against.part;
  if (std::isinf(part)) return "new";
  if (std::abs(part) < 5e-4) return "same";
  if (part >= 1) return fmt::format("× {}", model::four_digits(1 + part));
  return fmt::format("{}{:.1f} %", part > 0 ? "+" : "−", 100 * std::abs(part));
}

}  // namespace tilescope
