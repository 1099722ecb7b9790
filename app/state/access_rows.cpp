#include "app/state/access_rows.h"

#include <algorithm>
#include <map>
#include <set>

#include "app/state/card_counters.h"
#include "app/state/expectation.h"
#include "app/state/present.h"
#include "worker/messages/counters.h"

namespace tilescope {
namespace {

using LineKind = worker::TraceEvent::Kind;
using worker::CountedTraffic;
using worker::MeasuredTraffic;

AccessFigures of_global(uint64_t requests, uint64_t sectors, uint64_t bytes) {
  // Lanes that share an address ask for it together: less than all bytes can be the best.
  return {requests, sectors,
          std::min<uint64_t>(sectors, (bytes + kSectorBytes - 1) / kSectorBytes)};
}
AccessFigures of(const model::GlobalSum& s) { return of_global(s.requests, s.sectors, s.bytes); }
AccessFigures of(const CountedTraffic::Global& s) {
  return of_global(s.requests, s.sectors, s.bytes);
}
template <class Shared>
AccessFigures of_shared(const Shared& s) {
  return {s.requests, s.wavefronts, s.ideal};
}

constexpr std::string_view kPlainLoads = "shared.load", kJoinedLoads = "shared.load.joined";

/// What one line costs, by what the trace saw on it.
struct LineCost {
  LineKind kind{};
  uint64_t sectors = 0, wavefronts = 0;
  bool bulk = false;  // a bulk copy, either way
};

/// What a row is made of.
struct Source {
  std::string_view id;
  const char* label;
  const char* unit;
  const char* what;
  LineMetric metric;
  AccessFigures (*modelled)(const model::Counts&);
  AccessFigures (*counted)(const CountedTraffic&);  // null: not to be seen in the PTX
  // Null: no counter of a card is of these alone.
  std::optional<double> MeasuredTraffic::*measured = nullptr;
  std::optional<double> MeasuredTraffic::*conflicts = nullptr;  // null: a card has none of them
  bool (*is_of)(const LineCost&);
  bool (*is_there)(const model::Counts&) = nullptr;  // null: wherever there are such accesses
};
constexpr bool is_shared_load(const LineCost& l) {
  return l.wavefronts > 0 && l.sectors == 0 && l.kind == LineKind::load;
}
constexpr Source kSources[] = {
    {.id = "global.load",
     .label = "global loads",
     .unit = "sectors",
     .what =
         "Loads and cp.async from global memory: distinct sectors of 32 bytes that the lanes of "
         "each warp instruction touch",
     .metric = LineMetric::sectors,
     .modelled = [](const model::Counts& c) { return of(c.global_load()); },
     .counted = [](const CountedTraffic& c) { return of(c.global_load); },
     .measured = &MeasuredTraffic::l1_read_sectors,
     .is_of =
         [](const LineCost& l) { return l.sectors > 0 && l.kind != LineKind::store && !l.bulk; }},
    {.id = "global.store",
     .label = "global stores",
     .unit = "sectors",
     .what = "Stores of C, and of sums that CTAs share: distinct sectors of 32 bytes",
     .metric = LineMetric::sectors,
     .modelled = [](const model::Counts& c) { return of(c.global_store()); },
     .counted = [](const CountedTraffic& c) { return of(c.global_store); },
     .measured = &MeasuredTraffic::l1_write_sectors,
     .is_of =
         [](const LineCost& l) { return l.sectors > 0 && l.kind == LineKind::store && !l.bulk; }},
    {.id = "global.bulk",
     .label = "bulk loads",
     .unit = "sectors",
     .what = "What boxes and other bulk copies read of global memory, past the L1: sectors of 32 "
             "bytes, line by line. What CTAs of a cluster share counts once",
     .metric = LineMetric::sectors,
     .modelled = [](const model::Counts& c) { return of(c.bulk_load()); },
     .counted = [](const CountedTraffic& c) { return of(c.bulk_load); },
     .is_of =
         [](const LineCost& l) { return l.sectors > 0 && l.bulk && l.kind != LineKind::store; }},
    {.id = "global.bulk_store",
     .label = "bulk stores",
     .unit = "sectors",
     .what = "What boxes write of C, past the L1: sectors of 32 bytes, line by line",
     .metric = LineMetric::sectors,
     .modelled = [](const model::Counts& c) { return of(c.bulk_store()); },
     .counted = [](const CountedTraffic& c) { return of(c.bulk_store); },
     .is_of =
         [](const LineCost& l) { return l.sectors > 0 && l.bulk && l.kind == LineKind::store; }},
    {.id = "shared.copy",
     .label = "copies to shared",
     .unit = "wavefronts",
     .what = "What cp.async and bulk copies write to shared memory: a wavefront serves each bank "
             "once",
     .metric = LineMetric::wavefronts,
     .modelled = [](const model::Counts& c) { return of_shared(c.shared_copy); },
     .counted = [](const CountedTraffic& c) { return of_shared(c.shared_copy); },
     .measured = &MeasuredTraffic::shared_copy_wavefronts,
     .is_of =
         [](const LineCost& l) {
           return l.wavefronts > 0 && l.sectors > 0 && l.kind != LineKind::store;
         }},
    {.id = "shared.store",
     .label = "shared stores",
     .unit = "wavefronts",
     .what = "Stores to shared memory: a wavefront serves each bank once",
     .metric = LineMetric::wavefronts,
     .modelled = [](const model::Counts& c) { return of_shared(c.shared_store); },
     .counted = [](const CountedTraffic& c) { return of_shared(c.shared_store); },
     .measured = &MeasuredTraffic::shared_store_wavefronts,
     .conflicts = &MeasuredTraffic::shared_store_conflicts,
     .is_of =
         [](const LineCost& l) {
           return l.wavefronts > 0 && l.sectors == 0 && l.kind != LineKind::load &&
                  l.kind != LineKind::mma;
         }},
    {.id = "shared.product",
     .label = "read past threads",
     .unit = "wavefronts",
     .what = "What wgmma reads of shared memory by itself: A by each warp its rows, B once for the "
             "four; and boxes of C. A wavefront is 128 bytes; layouts for descriptors have no "
             "conflicts",
     .metric = LineMetric::wavefronts,
     .modelled = [](const model::Counts& c) { return of_shared(c.shared_product); },
     .counted = [](const CountedTraffic& c) { return of_shared(c.shared_product); },
     .is_of =
         [](const LineCost& l) {
           return l.wavefronts > 0 &&
                  (l.kind == LineKind::mma || (l.bulk && l.kind == LineKind::store));
         }},
    {.id = kPlainLoads,
     .label = "shared loads",
     .unit = "wavefronts",
     .what = "Loads from shared memory, ldmatrix included: a wavefront serves each bank once",
     .metric = LineMetric::wavefronts,
     .modelled = [](const model::Counts& c) { return of_shared(c.shared_load); },
     .counted = [](const CountedTraffic& c) { return of_shared(c.shared_load); },
     .measured = &MeasuredTraffic::shared_load_wavefronts,
     .conflicts = &MeasuredTraffic::shared_load_conflicts,
     .is_of = is_shared_load},
    {.id = kJoinedLoads,
     .label = "  joined by ptxas",
     .unit = "wavefronts",
     .what = "The same loads as a card counts them",
     .metric = LineMetric::wavefronts,
     .modelled = [](const model::Counts& c) { return of_shared(c.joined_shared_load()); },
     .counted = nullptr,
     .measured = &MeasuredTraffic::shared_load_wavefronts,
     .conflicts = &MeasuredTraffic::shared_load_conflicts,
     .is_of = is_shared_load,
     .is_there = [](const model::Counts& c) { return c.joins_shared_loads(); }},
};

const Source* source_of(const std::string& id) {
  for (const Source& source : kSources) {
    if (id == source.id) return &source;
  }
  return nullptr;
}

/// (line, PTX line) → its cost, of the lines that the trace saw and the emulator counted.
std::map<std::pair<int, int>, LineCost> line_costs(const AppState& state) {
  std::map<std::pair<int, int>, LineCost> costs;
  const Results& r = present_results(state);
  if (!r.trace || !r.emulated) return costs;
  std::map<int, const CountedTraffic::Line*> counted;
  for (const CountedTraffic::Line& line : r.emulated->counted.ptx_lines) {
    counted[line.line] = &line;
  }
  // No kernel here mixes bulk copies and cp.async; of stores one has both sides, a bulk store.
  const bool has_bulk = r.emulated->counted.bulk_load.requests > 0;
  const auto is_bulk = [has_bulk](LineKind kind, const CountedTraffic::Line& line) {
    const bool both = line.sectors > 0 && line.wavefronts > 0;
    return has_bulk && (kind == LineKind::copy || (kind == LineKind::store && both));
  };
  for (const worker::TraceEvent& e : r.trace->events) {
    const auto found = counted.find(e.ptx_line);
    if (found == counted.end()) continue;
    costs.try_emplace({e.line, e.ptx_line},
                      LineCost{e.kind, found->second->sectors, found->second->wavefronts,
                               is_bulk(e.kind, *found->second)});
  }
  return costs;
}

}  // namespace

uint64_t figure_of(const LineFigures& figures, LineMetric metric) {
  switch (metric) {
    case LineMetric::sectors:
      return figures.sectors;
    case LineMetric::wavefronts:
      return figures.wavefronts;
    case LineMetric::instructions:
    default:
      return figures.instructions;
  }
}

namespace {

/// Of a kernel without a plan: what was counted.
std::vector<AccessRow> counted_rows(const Results& r) {
  std::vector<AccessRow> rows;
  for (const Source& s : kSources) {
    if (!r.emulated || !s.counted) continue;
    AccessRow row;
    row.id = s.id.data(), row.label = s.label, row.unit = s.unit, row.what = s.what;
    row.metric = s.metric;
    row.has_model = false;
    row.counted = s.counted(r.emulated->counted);
    if (row.counted->requests > 0) rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::vector<AccessRow> access_rows(const AppState& state) {
  if (state.edit.own()) return counted_rows(present_results(state));
  std::vector<AccessRow> rows;
  if (!state.derived.legal() || !state.derived.kernel) return rows;
  const Results& r = present_results(state);
  const worker::CountersResult* card = counters_of(state);
  const MeasuredTraffic measured =
      card ? worker::measured_traffic(card->values) : MeasuredTraffic{};
  const model::Traffic& traffic = state.derived.traffic;
  const model::Traffic kernel = model::without_pass(traffic);
  for (const Source& s : kSources) {
    AccessRow row;
    row.id = s.id.data(), row.label = s.label, row.unit = s.unit, row.what = s.what;
    row.metric = s.metric, row.modelled = s.modelled(traffic.counts);
    row.kernel_alone = s.modelled(kernel.counts).cost;
    row.exact = s.metric == LineMetric::sectors ? traffic.l1.exact : traffic.shared.exact;
    if (s.is_there && !s.is_there(traffic.counts)) continue;
    row.of_card = s.counted == nullptr;
    row.exact = row.exact && !row.of_card;
    if (r.emulated && s.counted) row.counted = s.counted(r.emulated->counted);
    if (row.modelled.requests == 0 && (!row.counted || row.counted->requests == 0)) continue;
    // Where a card has other loads than the PTX, its figure stands beside those.
    if (s.id == kPlainLoads && traffic.counts.joins_shared_loads()) {
      rows.push_back(row);
      continue;
    }
    if (s.measured) row.measured = measured.*s.measured;
    if (s.conflicts) row.measured_more = measured.*s.conflicts;
    rows.push_back(row);
  }
  return rows;
}

std::vector<int> lines_of_access(const AppState& state, const std::string& id, CodeText text) {
  const Source* source = source_of(id);
  if (!source) return {};
  std::set<int> lines;
  for (const auto& [place, cost] : line_costs(state)) {
    if (!source->is_of(cost)) continue;
    const CodeLink link{place.first, place.second};
    for (const int line : linked_lines(state, text, link)) lines.insert(line);
  }
  return {lines.begin(), lines.end()};
}

int hottest_line_of_access(const AppState& state, const std::string& id, CodeText text) {
  const Source* source = source_of(id);
  if (!source) return 0;
  std::map<int, uint64_t> heat;
  for (const auto& [place, cost] : line_costs(state)) {
    if (!source->is_of(cost)) continue;
    // Of several instructions that a PTX line became the first one bears its counts.
    const auto lines = linked_lines(state, text, CodeLink{place.first, place.second});
    if (lines.empty()) continue;
    heat[lines.front()] += source->metric == LineMetric::sectors ? cost.sectors : cost.wavefronts;
  }
  const auto hottest = std::ranges::max_element(heat, {}, &std::pair<const int, uint64_t>::second);
  return hottest == heat.end() ? 0 : hottest->first;
}

std::vector<std::string> accesses_at(const AppState& state, const CodeLink& link) {
  std::vector<std::string> ids;
  if (!link.any()) return ids;
  const auto costs = line_costs(state);
  for (const Source& source : kSources) {
    if (source.is_there && !source.is_there(state.derived.traffic.counts)) continue;
    const bool found = std::any_of(costs.begin(), costs.end(), [&](const auto& at) {
      const auto& [line, ptx_line] = at.first;
      return source.is_of(at.second) &&
             (link.ptx_line > 0 ? ptx_line == link.ptx_line : line == link.line);
    });
    if (found) ids.emplace_back(source.id);
  }
  return ids;
}

void choose_access(AppState& state, const std::string& id) {
  const Source* source = source_of(id);
  state.access_row = source ? id : "";
  state.code_link_serial = state.edit_serial;
  state.code_link = {};
  if (source) state.view.line_metric = static_cast<int>(source->metric);
}

std::string chosen_access(const AppState& state) {
  return state.code_link_serial == state.edit_serial ? state.access_row : "";
}

}  // namespace tilescope
