#include "app/features/findings/findings_list.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/playback.h"
#include "app/state/present.h"
#include "app/state/verifying.h"
#include "core/language/language.h"
#include "core/language/retold.h"
#include "core/model/counted_time.h"
#include "core/model/format.h"
#include "worker/messages/findings.h"

namespace tilescope {
namespace {

using worker::CodeFinding;
using worker::CountedTraffic;

/// How a kind of remark is called, and which units it keeps busy.
struct Slow {
  std::string_view kind;
  const char* title;
  std::array<std::string_view, 2> units;  // levels of model::Prediction
  bool wavefronts;                        // else sectors
};
constexpr Slow kSlow[] = {
    {"bank_conflict", "bank conflicts", {"shared memory"}, true},
    {"uncoalesced", "not coalesced", {"L1 requests", "L2"}, false},
    {"equal_stores", "stores of equal values", {}, false},
};

const Slow* slow_of(const std::string& kind) {
  const auto found = std::ranges::find(kSlow, std::string_view(kind), &Slow::kind);
  return found == std::end(kSlow) ? nullptr : found;
}

const CountedTraffic::Line* counted_line(const CountedTraffic& counted, const CodeFinding& f) {
  const auto& lines = f.line > 0 ? counted.source_lines : counted.ptx_lines;
  const int line = f.line > 0 ? f.line : f.ptx_line;
  const auto found = std::ranges::find(lines, line, &CountedTraffic::Line::line);
  return found == lines.end() ? nullptr : &*found;
}

/// Which part of all that its unit does is too much, 0 to 1.
double part_too_much(const CountedTraffic& counted, const CodeFinding& f, const Slow& slow) {
  const CountedTraffic::Line* line = counted_line(counted, f);
  if (!line || f.cost <= f.ideal) return 0;
  const uint64_t all = slow.wavefronts
                           ? counted.shared_load.wavefronts + counted.shared_store.wavefronts +
                                 counted.shared_copy.wavefronts + counted.shared_product.wavefronts
                           : counted.global_load.sectors + counted.global_store.sectors;
  const uint64_t own = slow.wavefronts ? line->wavefronts : line->sectors;
  if (all == 0) return 0;
  const double more = 1 - static_cast<double>(f.ideal) / static_cast<double>(f.cost);
  return std::min(1.0, more * static_cast<double>(own) / static_cast<double>(all));
}

/// What units of the card take for the launch, and the launch itself at least.
struct UnitTimes {
  std::vector<model::LevelTime> levels;
  double us = 0;
};

/// By the model; of a kernel without a plan what the counted work takes at full rates.
UnitTimes unit_times(const AppState& state, const Results& r) {
  const model::Prediction& prediction = state.derived.prediction;
  if (!state.edit.own()) return {prediction.levels, prediction.us};
  if (!r.emulated) return {};
  const CountedTraffic& c = r.emulated->counted;
  UnitTimes times;
  times.levels = model::busy_times({c.ctas, c.warp_instructions,
                                    c.shared_load.wavefronts + c.shared_store.wavefronts +
                                        c.shared_copy.wavefronts + c.shared_product.wavefronts,
                                    c.global_load.sectors + c.global_store.sectors},
                                   state.gpu);
  for (const model::LevelTime& level : times.levels) times.us = std::max(times.us, level.us);
  return times;
}

/// Of the units that it keeps busy the one that takes longest.
const model::LevelTime* unit_of(const UnitTimes& times, const Slow& slow) {
  const model::LevelTime* longest = nullptr;
  for (const model::LevelTime& level : times.levels) {
    if (std::ranges::find(slow.units, std::string_view(level.name)) == slow.units.end()) continue;
    if (!longest || level.us > longest->us) longest = &level;
  }
  return longest;
}

void estimate_gain(const AppState& state, const Results& r, const CodeFinding& f, const Slow& slow,
                   FindingRow& row) {
  const UnitTimes times = unit_times(state, r);
  const model::LevelTime* unit = unit_of(times, slow);
  if (!r.emulated || times.us <= 0 || !unit) return;
  row.gain_us = std::min(times.us, unit->us * part_too_much(r.emulated->counted, f, slow));
  row.launch_us = times.us;
  row.unit = unit->name;
  row.hidden =
      std::ranges::any_of(times.levels, [&](const model::LevelTime& l) { return l.us > unit->us; });
  for (const model::LevelTime& level : times.levels) {
    if (row.hidden && level.us >= times.us) row.longest = level.name;
  }
  if (row.hidden && !state.edit.own()) row.longest = state.derived.prediction.bound;
}

FindingRow row_of(const AppState& state, const Results& r, const CodeFinding& f) {
  FindingRow row;
  row.error = !f.remark;
  const Slow* slow = slow_of(f.kind);
  row.title = f.remark && slow ? slow->title : worker::finding_word(f.kind);
  row.text = retold(f.message);
  row.place = {f.line, f.ptx_line};
  // Remarks come from counts of all CTAs: no single one stands for them.
  if (!f.remark) {
    row.seen = {
        {static_cast<int>(f.cta[0]), static_cast<int>(f.cta[1]), static_cast<int>(f.cta[2])},
        static_cast<int>(f.warp),
        static_cast<int>(f.lane)};
  }
  if (f.remark && slow) estimate_gain(state, r, f, *slow, row);
  return row;
}

/// The row that a finding belongs to, if it is there: same line, same words.
FindingRow* same_place(std::vector<FindingRow>& rows, const FindingRow& row) {
  const auto same = std::ranges::find_if(rows, [&](const FindingRow& other) {
    const bool line = row.place.line > 0 ? other.place.line == row.place.line
                                         : other.place.ptx_line == row.place.ptx_line;
    return line && other.title == row.title && other.error == row.error;
  });
  return same == rows.end() ? nullptr : &*same;
}

void add_findings(const AppState& state, const Results& r, std::vector<FindingRow>& rows) {
  for (const CodeFinding& f : r.findings) {
    FindingRow row = row_of(state, r, f);
    FindingRow* same = row.place.any() ? same_place(rows, row) : nullptr;
    if (!same) {
      rows.push_back(std::move(row));
      continue;
    }
    ++same->alike;
    if (row.gain_us.value_or(0) > same->gain_us.value_or(0)) same->gain_us = row.gain_us;
  }
}

void add_verdict(const AppState& state, std::vector<FindingRow>& rows) {
  const Verdict verdict = verdict_of(state);
  if (verdict.kind != Verdict::Kind::wrong) return;
  FindingRow row;
  row.error = true, row.title = "wrong C";
  row.text = verdict.text + (verdict.tip.empty() ? "" : ". " + verdict.tip);
  std::ranges::replace(row.text, '\n', ' ');
  rows.push_back(std::move(row));
}

void add_spills(const Results& r, std::vector<FindingRow>& rows) {
  if (!r.compile || r.compile->spill_bytes <= 0) return;
  FindingRow row;
  row.title = "spilled registers";
  row.text = wording(
      "{} bytes per thread go to local memory and back, since {} registers do not hold them; a "
      "smaller thread or warp tile needs fewer.",
      model::grouped(r.compile->spill_bytes), r.compile->registers);
  rows.push_back(std::move(row));
}

}  // namespace

std::vector<FindingRow> findings_list(const AppState& state) {
  std::vector<FindingRow> rows;
  const Results& r = present_results(state);
  add_verdict(state, rows);
  add_findings(state, r, rows);
  add_spills(r, rows);
  std::ranges::stable_sort(rows, [](const FindingRow& a, const FindingRow& b) {
    if (a.error != b.error) return a.error;
    if (a.error) return false;
    if (a.hidden != b.hidden && a.gain_us && b.gain_us) return b.hidden;
    return a.gain_us.value_or(-1) > b.gain_us.value_or(-1);
  });
  return rows;
}

std::string looked_at(const AppState& state) {
  const Results& r = present_results(state);
  if (!r.emulated) return {};
  std::string text = state.edit.own()
                         ? wording("The checks of {} CTAs found no race and nothing else.",
                                   model::grouped(static_cast<long long>(r.emulated->checks.ctas)))
                         : checked_words(r.emulated->checks, state.edit.problem);
  const Verdict verdict = verdict_of(state);
  if (verdict.kind == Verdict::Kind::partial || verdict.kind == Verdict::Kind::whole) {
    text += " C: " + verdict.text + ".";
  }
  return text;
}

void go_to(AppState& state, const FindingRow& row) {
  if (row.seen && state.derived.kernel) {
    const KernelPlan& plan = state.derived.plan;
    const int cta = launch_index(state.derived.launch, row.seen->cta);
    if (cta < cta_count(plan.work) && work_items(plan.work, cta) > 0) {
      select_cta(state, work_item(plan.work, cta, 0).tile);
      select_warp(state, row.seen->warp);
      select_lane(state, row.seen->lane);
    }
  }
  if (row.seen && state.edit.own()) {
    select_cta(state, {row.seen->cta.y, row.seen->cta.x}, row.seen->cta.z);
    select_warp(state, row.seen->warp);
    select_lane(state, row.seen->lane);
  }
  if (!row.place.any()) return;
  // The kernel's own line where it is known; a click there marks all of its PTX.
  if (row.place.line > 0) {
    link_code(state, CodeText::kernel, row.place.line);
  } else {
    link_code(state, CodeText::ptx, row.place.ptx_line);
  }
  const Results& r = present_results(state);
  if (!r.trace || !r.timeline) return;
  const auto event = std::ranges::find_if(r.trace->events, [&](const worker::TraceEvent& e) {
    return row.place.line > 0 ? e.line == row.place.line : e.ptx_line == row.place.ptx_line;
  });
  if (event == r.trace->events.end()) return;
  const auto index = static_cast<int>(event - r.trace->events.begin());
  if (!row.seen) select_warp(state, event->warp);
  scrub(state, r.timeline->placed(index).column);
}

std::string findings_text(const AppState& state, const std::vector<FindingRow>& rows) {
  std::string text;
  for (const FindingRow& row : rows) {
    text += row.error ? "error\t" : "remark\t";
    text += row.title + "\t" + place_words(state, row.place) + "\t";
    text += row.gain_us ? wording("up to ~{}\t", model::time_text(*row.gain_us)) : "\t";
    text += row.text + "\n";
  }
  return text;
}

}  // namespace tilescope
