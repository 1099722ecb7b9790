#include "app/features/traffic/traffic_measured.h"

#include <fmt/format.h>

#include <cmath>

#include "app/features/traffic/counting.h"
#include "app/state/card_counters.h"
#include "app/state/expectation.h"
#include "app/state/present.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "worker/messages/counters.h"

namespace tilescope {
namespace {

using model::Count;
using model::MemoryLevel;
using worker::CountedTraffic;
using worker::MeasuredTraffic;
using Optional = std::optional<double>;

double number_of(uint64_t value) { return static_cast<double>(value); }

/// What stands behind a figure: the model without the pass that packs operands, as counters have
/// it; the emulator's counts (null: it has not run), the card.
struct Witnesses {
  const model::Traffic model;
  const CountedTraffic* counted;
  const MeasuredTraffic& card;
};

/// Bytes of a level, as elements where those are asked for: the counters know no matrices, so in
/// the model's proportion.
double in(Count count, double bytes, double level_bytes, double level_elements) {
  return count == Count::bytes || level_bytes <= 0 ? bytes : bytes * level_elements / level_bytes;
}

std::string bytes_words(const char* what, const Optional& card, double modelled) {
  if (!card) return {};
  return wording("\n{}: {} B, modelled {} B", what, model::grouped(std::llround(*card)),
                 model::grouped(std::llround(modelled)));
}

std::optional<MeasuredFigure> dram_read(const Witnesses& w, Count count) {
  if (!w.card.dram_read) return {};
  const MemoryLevel& level = w.model.dram;
  MeasuredFigure f;
  f.value = in(count, *w.card.dram_read, level.read, level.read_elements);
  f.modelled = count == Count::bytes ? level.read : level.read_elements;
  f.tip = tr("Bytes that the L2 fetched from DRAM, all caches emptied before.") +
          bytes_words("read", w.card.dram_read, level.read);
  return f;
}

std::optional<MeasuredFigure> dram_write(const Witnesses& w, Count count) {
  if (!w.card.dram_write) return {};
  const MemoryLevel& level = w.model.dram;
  MeasuredFigure f;
  f.value = in(count, *w.card.dram_write, level.write, level.write_elements);
  f.no_error =
      tr("What the kernel wrote lies partly in the L2 still when it ends: that goes to DRAM later, "
         "and this counter does not see it. So it is no error of the model.");
  f.tip = wording("Bytes that had gone to DRAM when the kernel ended. {}{}", f.no_error,
                  bytes_words("written", w.card.dram_write, level.write));
  return f;
}

std::optional<MeasuredFigure> l2(const Witnesses& w, Count count) {
  if (!w.card.l2_read || !w.card.l2_write) return {};
  const MemoryLevel& level = w.model.l2;
  MeasuredFigure f;
  f.value = in(count, *w.card.l2_read, level.read, level.read_elements) +
            in(count, *w.card.l2_write, level.write, level.write_elements);
  f.modelled = level.all(count);
  f.tip = tr("Bytes that SMs receive from the L2 and send to it.") +
          bytes_words("read", w.card.l2_read, level.read) +
          bytes_words("written", w.card.l2_write, level.write);
  if (w.card.l2_read_sectors) {
    f.tip += wording(
        "\nThe L2 itself read {} B for them: what SMs of a GPC ask for together, it reads once.",
        model::grouped(std::llround(*w.card.l2_read_sectors) * kSectorBytes));
  }
  return f;
}

/// Two counts that are no bytes: of the card, the model, the emulator.
struct CountedPart {
  const char* what;
  Optional card;
  double modelled;
  Optional counted;
  std::string why = {};  // the model's is another figure than the PTX's, which was counted
};
std::optional<MeasuredFigure> sum_of(const char* unit, std::initializer_list<CountedPart> parts) {
  MeasuredFigure f;
  f.unit = unit;
  f.modelled = 0, f.counted = 0;
  for (const CountedPart& part : parts) {
    if (part.modelled == 0 && part.counted.value_or(0) == 0 && !part.card) continue;
    if (!part.card) return {};
    f.value += *part.card;
    *f.modelled += part.modelled;
    f.counted = f.counted && part.counted ? Optional(*f.counted + *part.counted) : Optional();
    f.tip += wording("{}{} {}: {}, modelled {}", f.tip.empty() ? "" : "\n", unit, part.what,
                     model::grouped(std::llround(*part.card)),
                     model::grouped(std::llround(part.modelled)));
    if (part.counted) {
      f.tip += wording(", counted {}{}", part.why.empty() ? "" : "in the PTX ",
                       model::grouped(std::llround(*part.counted)));
    }
    if (part.why.empty()) continue;
    f.tip += "; " + part.why;
    f.counted = {};  // of other loads
  }
  return f;
}

Optional counted_of(const Witnesses& w, uint64_t (*figure)(const CountedTraffic&)) {
  return w.counted ? Optional(number_of(figure(*w.counted))) : Optional();
}

std::optional<MeasuredFigure> l1(const Witnesses& w, Count) {
  const model::Counts& c = w.model.counts;
  return sum_of("sectors",
                {{"read", w.card.l1_read_sectors, number_of(c.global_load().sectors),
                  counted_of(w, [](const CountedTraffic& t) { return t.global_load.sectors; })},
                 {"written", w.card.l1_write_sectors, number_of(c.global_store().sectors),
                  counted_of(w, [](const CountedTraffic& t) { return t.global_store.sectors; })}});
}

// What products read by themselves has no counter at all: loads alone are not what is read.
std::optional<MeasuredFigure> shared_read(const Witnesses& w, Count) {
  const model::Counts& c = w.model.counts;
  if (c.shared_product.requests > 0) return {};
  return sum_of(
      "wavefronts",
      {{"of loads", w.card.shared_load_wavefronts, number_of(c.joined_shared_load().wavefronts),
        counted_of(w, [](const CountedTraffic& t) { return t.shared_load.wavefronts; }),
        c.joins_shared_loads() ? tr(model::kJoinedWhy) : ""}});
}

// What cp.async writes has counters of its own, which not every card has: stores alone are not what
// is written.
std::optional<MeasuredFigure> shared_write(const Witnesses& w, Count) {
  const model::Counts& c = w.model.counts;
  return sum_of(
      "wavefronts",
      {{"of stores", w.card.shared_store_wavefronts, number_of(c.shared_store.wavefronts),
        counted_of(w, [](const CountedTraffic& t) { return t.shared_store.wavefronts; })},
       {"of copies", w.card.shared_copy_wavefronts, number_of(c.shared_copy.wavefronts),
        counted_of(w, [](const CountedTraffic& t) { return t.shared_copy.wavefronts; })}});
}

struct CounterSource {
  const char* row;
  std::optional<MeasuredFigure> (*figure)(const Witnesses&, Count);
};
constexpr CounterSource kCounterSources[] = {
    {"dram.read", dram_read},       {"dram.write", dram_write},  {"l2", l2}, {"l1", l1},
    {"shared.write", shared_write}, {"shared.read", shared_read}};

const CounterSource* counter_source(const std::string& row) {
  for (const CounterSource& source : kCounterSources) {
    if (row == source.row) return &source;
  }
  return nullptr;
}

}  // namespace

std::string why_not_measured(const AppState& state, const std::string& row) {
  if (!counters_of(state)) return {};
  if (row == "shared.read" && state.derived.traffic.counts.shared_product.requests > 0) {
    return "The card has no counter of what wgmma reads of shared memory by itself.";
  }
  if (row != "shared.write") return {};
  return by_boxes(state.derived.plan.copy_a.kind)
             ? "The card has no counter of what TMA writes to shared memory."
             : "The card has no counter of what cp.async writes to shared memory.";
}

bool has_counter(const std::string& row) { return counter_source(row) != nullptr; }

std::optional<MeasuredFigure> measured_figure(const AppState& state, const std::string& row,
                                              Count count) {
  const worker::CountersResult* counters = counters_of(state);
  const CounterSource* source = counter_source(row);
  if (!counters || !source) return {};
  const MeasuredTraffic card = worker::measured_traffic(counters->values);
  const Results& r = present_results(state);
  const CountedTraffic* counted = r.emulated ? &r.emulated->counted : nullptr;
  return source->figure({model::without_pass(expected_traffic(state)), counted, card}, count);
}

std::string error_text(const std::optional<double>& figure, double measured) {
  if (!figure || measured <= 0) return {};
  const double error = (*figure - measured) / measured * 100;
  // A rounded zero has no sign.
  return fmt::format("{:+.1f} %", std::abs(error) < 0.05 ? 0.0 : error);
}

}  // namespace tilescope
