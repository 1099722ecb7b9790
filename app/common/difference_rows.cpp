#include "app/common/difference_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "core/language/language.h"
#include "core/model/format.h"
#include "core/model/time_difference.h"
#include "worker/messages/counters.h"

namespace tilescope {
namespace {

using Figure = std::optional<double>;
using model::Analysis;
using worker::CountedTraffic;

/// Of the model, of the emulator, of a card's counters: nothing where that was not asked.
template <class F>
Figure of_model(const LaunchFacts& f, F figure) {
  return f.analysis ? Figure(static_cast<double>(figure(*f.analysis))) : std::nullopt;
}
template <class F>
Figure counted(const LaunchFacts& f, F figure) {
  return f.counted ? Figure(static_cast<double>(figure(*f.counted))) : std::nullopt;
}
Figure counter(const LaunchFacts& f, worker::MeasuredTraffic::Figure worker::MeasuredTraffic::*of) {
  return f.counters.empty() ? std::nullopt : worker::measured_traffic(f.counters).*of;
}

Figure count_of(const std::optional<int>& value) { return value ? Figure(*value) : std::nullopt; }
Figure launched(const LaunchFacts& f, int Launch::*member, const std::optional<int>& other) {
  return f.analysis ? Figure(f.analysis->launch.*member) : count_of(other);
}

double all_of(const model::MemoryLevel& level) { return level.read + level.write; }

struct Shown {
  FigureUnit unit;
  bool modelled = false;
  constexpr Shown(FigureUnit u, bool by_model = false) : unit(u), modelled(by_model) {}  // NOLINT
};
constexpr Shown by_model(FigureUnit unit) { return {unit, true}; }

struct Row {
  const char* id;
  const char* title;
  Shown shown;
  Better better;
  Figure (*of)(const LaunchFacts&);
  const char* what = "";
};
struct Section {
  const char* title;
  std::span<const Row> rows;
};

using U = FigureUnit;
constexpr Better kMore = Better::higher, kLess = Better::lower, kNeither = Better::neither;

constexpr Row kSpeedRows[] = {
    {"tflops", "TFLOPS", U::tflops, kMore, [](const LaunchFacts& f) { return f.tflops; }},
    {"time", "time", U::us, kLess, [](const LaunchFacts& f) { return f.time_us; },
     "One launch, the median, with the L2 flushed before each where they are long enough"},
    {"of_library", "of the library", U::share, kMore,
     [](const LaunchFacts& f) {
       return f.tflops && f.library_tflops ? Figure(*f.tflops / *f.library_tflops) : std::nullopt;
     },
     "Of NVIDIA's library on the same problem, measured in turns with it"},
    {"clock", "SM clock", U::mhz, kNeither, [](const LaunchFacts& f) { return f.clock_mhz; }},
    {"power", "power", U::watt, kNeither, [](const LaunchFacts& f) { return f.power_w; }},
};
constexpr Row kModelRows[] = {
    {"model.tflops", "TFLOPS", by_model(U::tflops), kMore,
     [](const LaunchFacts& f) {
       return of_model(f, [](const Analysis& a) { return a.prediction.tflops; });
     }},
    {"model.time", "time", by_model(U::us), kLess,
     [](const LaunchFacts& f) {
       return of_model(f, [](const Analysis& a) { return a.prediction.us; });
     }},
};
constexpr Row kSmRows[] = {
    {"registers", "registers a thread", U::count, kNeither,
     [](const LaunchFacts& f) { return count_of(f.registers); }},
    {"spilled", "spilled, B a thread", U::count, kLess,
     [](const LaunchFacts& f) { return count_of(f.spill_bytes); }},
    {"shared_bytes", "shared, B a CTA", U::count, kNeither,
     [](const LaunchFacts& f) { return launched(f, &Launch::shared_bytes, f.shared_bytes); }},
    {"threads", "threads a CTA", U::count, kNeither,
     [](const LaunchFacts& f) { return launched(f, &Launch::threads, f.threads); }},
    {"ctas", "CTAs", U::count, kNeither,
     [](const LaunchFacts& f) {
       const Figure modelled = of_model(f, [](const Analysis& a) { return a.traffic.counts.ctas; });
       return modelled ? modelled : counted(f, [](const CountedTraffic& c) { return c.ctas; });
     }},
    {"ctas_per_sm", "CTAs an SM", by_model(U::count), kNeither,
     [](const LaunchFacts& f) {
       return of_model(f, [](const Analysis& a) { return a.occupancy.ctas_per_sm; });
     }},
    {"warps_per_sm", "warps an SM", by_model(U::count), kMore,
     [](const LaunchFacts& f) { return of_model(f, model::warps_per_sm); }},
    {"waves", "waves", by_model(U::plain), kNeither,
     [](const LaunchFacts& f) {
       return of_model(
           f, [](const Analysis& a) { return std::max(0, a.waves.count - 1) + a.waves.last_fill; });
     }},
    {"last_wave", "last wave full", by_model(U::share), kMore,
     [](const LaunchFacts& f) {
       return of_model(f, [](const Analysis& a) { return a.waves.last_fill; });
     }},
};
constexpr Row kTrafficRows[] = {
    {"dram.read", "DRAM read", by_model(U::bytes), kLess,
     [](const LaunchFacts& f) {
       return of_model(
           f, [](const Analysis& a) { return a.dram_read ? *a.dram_read : a.traffic.dram.read; });
     }},
    {"dram.read.counted", "DRAM read, a card's", U::bytes, kLess,
     [](const LaunchFacts& f) { return counter(f, &worker::MeasuredTraffic::dram_read); }},
    {"l2", "L2 → SM", by_model(U::bytes), kLess,
     [](const LaunchFacts& f) {
       return of_model(f, [](const Analysis& a) { return all_of(a.traffic.l2); });
     }},
    {"l2.counted", "L2 → SM, a card's", U::bytes, kLess,
     [](const LaunchFacts& f) { return counter(f, &worker::MeasuredTraffic::l2_read); }},
    {"sectors", "sectors read", U::count, kLess,
     [](const LaunchFacts& f) {
       return counted(
           f, [](const CountedTraffic& c) { return c.global_load.sectors + c.bulk_load.sectors; });
     },
     "Of 32 bytes, asked for by loads and copies: counted by the emulator"},
    {"flop_per_byte.l2", "FLOP a byte, L2", by_model(U::plain), kMore,
     [](const LaunchFacts& f) {
       return of_model(f, [](const Analysis& a) { return a.traffic.l2.flop_per_byte; });
     }},
    {"flop_per_byte.shared", "FLOP a byte, shared", by_model(U::plain), kMore,
     [](const LaunchFacts& f) {
       return of_model(f, [](const Analysis& a) { return a.traffic.shared.flop_per_byte; });
     }},
};
constexpr Row kSharedRows[] = {
    {"wavefronts.read", "wavefronts, read", U::count, kLess,
     [](const LaunchFacts& f) {
       return counted(f, [](const CountedTraffic& c) {
         return c.shared_load.wavefronts + c.shared_product.wavefronts;
       });
     },
     "Counted by the emulator: loads, and what products read by themselves"},
    {"wavefronts.written", "wavefronts, written", U::count, kLess,
     [](const LaunchFacts& f) {
       return counted(f, [](const CountedTraffic& c) {
         return c.shared_store.wavefronts + c.shared_copy.wavefronts;
       });
     }},
    {"conflicts", "bank conflicts", U::count, kLess,
     [](const LaunchFacts& f) {
       return counted(f, [](const CountedTraffic& c) {
         const auto more = [](const CountedTraffic::Shared& s) { return s.wavefronts - s.ideal; };
         return more(c.shared_load) + more(c.shared_store) + more(c.shared_copy);
       });
     },
     "Wavefronts beyond those that the bytes need"},
};
constexpr Section kSections[] = {
    {"speed, by the clock", kSpeedRows}, {kModelSection, kModelRows},   {kSmSection, kSmRows},
    {kTrafficSection, kTrafficRows},     {kSharedSection, kSharedRows},
};
constexpr const char* kInstructions = "instructions, warps'";

/// "mma", "ld.shared", "cp.async": the name, and where an access goes.
std::string family_of(const std::string& opcode) {
  static const std::set<std::string, std::less<>> kPlaces = {"global", "shared", "local",
                                                             "param",  "const",  "async"};
  const size_t first = opcode.find('.');
  if (first == std::string::npos) return opcode;
  const size_t second = opcode.find('.', first + 1);
  const std::string place = opcode.substr(first + 1, second - first - 1);
  return kPlaces.contains(place) ? opcode.substr(0, second) : opcode.substr(0, first);
}

std::map<std::string, double> families(const LaunchFacts& f) {
  std::map<std::string, double> all;
  if (!f.counted) return all;
  for (const auto& [opcode, count] : f.counted->by_opcode) {
    all[family_of(opcode)] += static_cast<double>(count);
  }
  return all;
}

/// Those that either side has most of, the rest as one row, and all.
void add_instructions(const LaunchFacts& a, const LaunchFacts& b,
                      std::vector<DifferenceRow>& rows) {
  if (!a.counted && !b.counted) return;
  constexpr size_t kMost = 8;
  const auto ours = families(a), theirs = families(b);
  const auto in = [](const std::map<std::string, double>& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? 0.0 : found->second;
  };
  std::set<std::string> names;
  for (const auto* side : {&ours, &theirs}) {
    for (const auto& [name, count] : *side) names.insert(name);
  }
  std::vector<std::string> order(names.begin(), names.end());
  std::ranges::stable_sort(order, [&](const std::string& x, const std::string& y) {
    return std::max(in(ours, x), in(theirs, x)) > std::max(in(ours, y), in(theirs, y));
  });
  const auto add = [&](const std::string& id, const std::string& title, double x, double y) {
    DifferenceRow row{kInstructions, id, title, "Warp instructions: counted by the emulator"};
    row.unit = FigureUnit::count;
    row.better = id == "opcode.all" || id == "opcode.other" ? Better::lower : Better::neither;
    if (a.counted) row.a = x;
    if (b.counted) row.b = y;
    rows.push_back(std::move(row));
  };
  double rest_a = 0, rest_b = 0, all_a = 0, all_b = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const double x = in(ours, order[i]), y = in(theirs, order[i]);
    all_a += x, all_b += y;
    if (i < kMost) {
      add("opcode." + order[i], order[i], x, y);
    } else {
      rest_a += x, rest_b += y;
    }
  }
  if (order.size() > kMost) add("opcode.other", "other", rest_a, rest_b);
  add("opcode.all", "all", all_a, all_b);
}

/// A figure without its ~, of at most four digits.
std::string plain_text(FigureUnit unit, double value) {
  switch (unit) {
    case FigureUnit::us:
      return model::time_text(value);
    case FigureUnit::tflops:
      return model::four_digits(value);
    case FigureUnit::mhz:
      return model::four_digits(value) + " MHz";
    case FigureUnit::watt:
      return model::four_digits(value) + " W";
    case FigureUnit::share:
      return fmt::format("{:.1f} %", 100 * value);
    case FigureUnit::bytes:
      return model::bytes_text(value);
    case FigureUnit::count:
      return value < 1e6    ? model::grouped(std::llround(value))
             : value < 1e9  ? fmt::format("{:.4g} M", value / 1e6)
             : value < 1e12 ? fmt::format("{:.4g} G", value / 1e9)
                            : fmt::format("{:.4g} T", value / 1e12);
    case FigureUnit::plain:
      break;
  }
  return model::four_digits(value);
}

}  // namespace

std::optional<double> DifferenceRow::change() const {
  return a && b ? std::optional(*a - *b) : std::nullopt;
}

std::optional<double> DifferenceRow::part() const {
  return a && b && *b != 0 ? std::optional(*a / *b - 1) : std::nullopt;
}

int DifferenceRow::verdict() const {
  const std::optional<double> by = change();
  if (!by || *by == 0 || better == Better::neither) return 0;
  return (*by > 0) == (better == Better::higher) ? 1 : -1;
}

std::vector<DifferenceRow> difference_rows(const LaunchFacts& a, const LaunchFacts& b) {
  std::vector<DifferenceRow> rows;
  for (const Section& section : kSections) {
    for (const Row& r : section.rows) {
      DifferenceRow row{section.title, r.id, r.title, r.what, r.shown.unit, r.better};
      row.modelled = r.shown.modelled;
      row.a = r.of(a), row.b = r.of(b);
      if (row.a || row.b) rows.push_back(std::move(row));
    }
  }
  add_instructions(a, b, rows);
  return rows;
}

std::string_view difference_section(std::string_view id) {
  if (id.starts_with("opcode.")) return kInstructions;
  for (const Section& section : kSections) {
    if (std::ranges::any_of(section.rows, [&](const Row& row) { return id == row.id; }))
      return section.title;
  }
  return {};
}

std::string figure_text(const DifferenceRow& row, const std::optional<double>& value) {
  if (!value) return "–";
  return (row.modelled ? "~" : "") + plain_text(row.unit, *value);
}

std::string change_text(const DifferenceRow& row) {
  const std::optional<double> by = row.change();
  if (!by) return "–";
  if (*by == 0) return "same";
  const std::string sign = (row.modelled ? "~" : "") + std::string(*by > 0 ? "+" : "−");
  if (row.unit == FigureUnit::share) return sign + wording("{:.1f} pt", 100 * std::abs(*by));
  return sign + plain_text(row.unit, std::abs(*by));
}

std::string part_text(const DifferenceRow& row) {
  const std::optional<double> part = row.part();
  if (!part || *row.change() == 0) return {};
  const double percent = 100 * *part;
  if (std::abs(percent) < 0.05) return "0 %";
  return fmt::format("{}{} %", percent > 0 ? "+" : "−",
                     std::abs(percent) < 9.95 ? fmt::format("{:.1f}", std::abs(percent))
                                              : model::grouped(std::llround(std::abs(percent))));
}

}  // namespace tilescope
