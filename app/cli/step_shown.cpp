#include "app/cli/step_shown.h"

#include <fmt/format.h>

namespace tilescope::cli {

using emulator::StepState;

Json line_json(int line) { return line > 0 ? Json(line) : Json(); }

std::string lanes_text(uint32_t lanes) {
  return lanes == ~0u ? "all" : fmt::format("{:#010x}", lanes);
}

namespace {

/// Bytes of shared memory behind each other that one warp instruction wrote last.
struct WrittenRange {
  uint64_t first = 0, bytes = 0;
  emulator::StepWriter by;
  uint32_t lanes = 0;
  int line = 0;  // of the source, 0: not known
};

void add_ranges(const StepState& state, uint64_t first, uint64_t bytes,
                std::vector<WrittenRange>& ranges) {
  bool goes_on = false;
  for (uint64_t at = first; at < first + bytes; ++at) {
    const auto by = state.writers.at(at);
    if (!by) {
      goes_on = false;
      continue;
    }
    const bool same = goes_on && by->warp == ranges.back().by.warp &&
                      by->step == ranges.back().by.step &&
                      by->ptx_line == ranges.back().by.ptx_line;
    if (!same) {
      ranges.push_back({at, 0, *by, 0, state.writers.source(by->ptx_line).line});
    }
    ++ranges.back().bytes;
    ranges.back().lanes |= 1u << by->lane;
    goes_on = true;
  }
}

/// Of the bytes of shared memory that are shown; of all of it where none are.
std::vector<WrittenRange> written_ranges(const StepState& state,
                                         const std::vector<ShownBytes>& shown) {
  std::vector<WrittenRange> ranges;
  bool chosen = false;
  for (const ShownBytes& b : shown) {
    if (!b.shared) continue;
    add_ranges(state, b.offset, b.bytes.size(), ranges);
    chosen = true;
  }
  if (!chosen) add_ranges(state, 0, state.writers.entries.size() * state.writers.grain, ranges);
  return ranges;
}

}  // namespace

Json writers_json(const StepState& state, const std::vector<ShownBytes>& shown) {
  Json all = Json::array();
  for (const WrittenRange& r : written_ranges(state, shown)) {
    all.push_back({{"offset", r.first},
                   {"bytes", r.bytes},
                   {"warp", r.by.warp},
                   {"lanes", r.lanes},
                   {"ptx_line", r.by.ptx_line},
                   {"line", line_json(r.line)},
                   {"step", r.by.step}});
  }
  return all;
}

void print_writers(const StepState& state, const std::vector<ShownBytes>& shown) {
  const std::vector<WrittenRange> ranges = written_ranges(state, shown);
  if (ranges.empty()) return print("Nobody has written shared memory there.");
  print("Who wrote shared memory last (--to at:WARP.STEP stops before it)");
  Table table({"bytes", "warp", "lanes", "PTX", "line", "step"}, "rrrrrr");
  for (const WrittenRange& r : ranges) {
    table.add({fmt::format("s+{}:{}", r.first, r.bytes), std::to_string(r.by.warp),
               lanes_text(r.lanes), std::to_string(r.by.ptx_line),
               r.line ? std::to_string(r.line) : "", std::to_string(r.by.step)});
  }
  table.print();
}

Json checks_json(const worker::StepChecks& checks) {
  Json found = Json::array();
  for (const worker::StepFinding& f : checks.found) {
    found.push_back({{"kind", f.finding.kind},
                     {"count", f.finding.count},
                     {"message", f.finding.message},
                     {"ptx_line", line_json(f.finding.ptx_line)},
                     {"line", line_json(f.finding.line)},
                     {"warp", f.seen_warp >= 0 ? Json(f.seen_warp) : Json()},
                     {"step", f.seen_warp >= 0 ? Json(f.seen_step) : Json()}});
  }
  return {{"findings", found}, {"later", checks.later}, {"cut_short", checks.cut_short}};
}

void print_checks(const worker::StepChecks& checks) {
  print(checks.found.empty() ? "The checks have found nothing up to here."
                             : "What the checks have found up to here:");
  for (const worker::StepFinding& f : checks.found) {
    const std::string go =
        f.seen_warp >= 0 ? fmt::format(" (--to at:{}.{})", f.seen_warp, f.seen_step) : "";
    print("  " + f.finding.message + go);
  }
  if (checks.later > 0) print(fmt::format("{} more come later in this run.", checks.later));
  if (checks.cut_short) print("The checks ended at their limit: there may be more.");
}

}  // namespace tilescope::cli
