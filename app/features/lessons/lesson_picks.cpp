// Predictions that are a click on a place.

#include <algorithm>
#include <charconv>

#include "app/features/lessons/lesson_facts.h"
#include "app/state/access_rows.h"
#include "app/state/code_link.h"
#include "app/state/edit.h"
#include "app/state/present.h"
#include "core/language/language.h"
#include "core/layout/hierarchy.h"
#include "viz/scene/parts.h"

namespace tilescope {
namespace {

using PickArguments = std::vector<std::string>;

std::optional<int> whole_number_of(const std::string& text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end && value >= 0 ? std::optional(value) : std::nullopt;
}

/// "4 3" as row and column.
std::optional<Coord> coord_of_words(const PickArguments& of, size_t first) {
  if (of.size() != first + 2) return {};
  const auto row = whole_number_of(of[first]), col = whole_number_of(of[first + 1]);
  return row && col ? std::optional(Coord{*row, *col}) : std::nullopt;
}

std::optional<Operand> operand_of_word(const std::string& word) {
  for (int i = 0; i < 3; ++i) {
    if (word == viz::kOperandNames[i]) return static_cast<Operand>(i);
  }
  return {};
}

/// Of the present kernel's instruction: which lane holds an element of its fragment.
std::optional<int> lane_that_holds(const AppState& state, const PickArguments& of) {
  const KernelPlan& plan = state.derived.plan;
  if (!state.derived.legal() || !hierarchy_of(plan).lanes_share_atoms()) return {};
  if (plan.warps_per_atom() != 1) return {};
  const auto operand = operand_of_word(of[0]);
  const auto at = coord_of_words(of, 1);
  if (!operand || !at) return {};
  const Holder holder = fragment_holder(fragment_of(plan.atom, *operand), *at);
  return holder.thread >= 0 ? std::optional(holder.thread) : std::nullopt;
}

std::optional<LineMetric> metric_of_word(const std::string& word) {
  const auto at = std::ranges::find(kLineMetrics, word);
  if (at == std::end(kLineMetrics)) return {};
  return static_cast<LineMetric>(at - std::begin(kLineMetrics));
}

/// The lines of the kernel's own file that have most of a metric.
std::vector<int> hottest_lines(const AppState& state, LineMetric metric) {
  const Results& r = present_results(state);
  std::vector<int> lines;
  if (!r.emulated) return lines;
  uint64_t most = 0;
  for (const auto& line : r.emulated->counted.source_lines) {
    const LineFigures figures{line.warp_instructions, line.sectors, line.wavefronts, line.ideal};
    const uint64_t value = figure_of(figures, metric);
    if (value == 0 || value < most) continue;
    if (value > most) lines.clear();
    most = value;
    lines.push_back(line.line);
  }
  return lines;
}

constexpr PickFact kPickFacts[] = {
    {.id = "lane",
     .arguments = "OPERAND ROW COLUMN",
     .what = "the lane that holds an element of the instruction's fragment, of A, B or C",
     .fault =
         [](const PickArguments& of) {
           const bool good = of.size() == 3 && operand_of_word(of[0]) && coord_of_words(of, 1);
           return good ? std::string()
                       : std::string(
                             "lane takes an operand, a row and a column: "
                             "lane A 4 3");
         },
     .chosen = [](const AppState& s) { return wording("lane {}", s.selection.lane); },
     .right = [](const AppState& s, const PickArguments& of) -> std::optional<bool> {
       const auto lane = lane_that_holds(s, of);
       return lane ? std::optional(*lane == s.selection.lane) : std::nullopt;
     },
     .leave = [](AppState& s) { select_lane(s, (s.selection.lane + 16) % 32); },
     .choose =
         [](AppState& s, const PickArguments& of) {
           const auto lane = lane_that_holds(s, of);
           if (lane) select_lane(s, *lane);
           return lane.has_value();
         }},
    {.id = "cta",
     .arguments = "ROW COLUMN",
     .what = "the CTA that computes an element of C",
     .fault =
         [](const PickArguments& of) {
           return coord_of_words(of, 0) ? std::string()
                                        : std::string("cta takes a row and a column: cta 130 700");
         },
     .chosen =
         [](const AppState& s) {
           return wording("CTA {}, {}", s.selection.cta.row, s.selection.cta.col);
         },
     .right = [](const AppState& s, const PickArguments& of) -> std::optional<bool> {
       if (!s.derived.legal()) return {};
       return block_of(s.derived.plan, *coord_of_words(of, 0)) == s.selection.cta;
     },
     .leave =
         [](AppState& s) {
           const Problem& p = s.edit.problem;
           const Coord first{0, 0}, last = block_of(s.derived.plan, {p.m - 1, p.n - 1});
           select_cta(s, s.selection.cta == first ? last : first);
         },
     .choose =
         [](AppState& s, const PickArguments& of) {
           if (s.derived.legal()) select_cta(s, block_of(s.derived.plan, *coord_of_words(of, 0)));
           return s.derived.legal();
         }},
    {.id = "line",
     .arguments = "METRIC",
     .what = "the line of the kernel that has most instructions, sectors or wavefronts, as counted",
     .fault =
         [](const PickArguments& of) {
           return of.size() == 1 && metric_of_word(of[0])
                      ? std::string()
                      : std::string("line takes one of instructions, sectors, wavefronts");
         },
     .chosen =
         [](const AppState& s) {
           const CodeLink link = linked_code(s);
           return link.line > 0 ? wording("line {}", link.line) : std::string();
         },
     .right = [](const AppState& s, const PickArguments& of) -> std::optional<bool> {
       const std::vector<int> lines = hottest_lines(s, *metric_of_word(of[0]));
       if (lines.empty()) return {};
       return std::ranges::find(lines, linked_code(s).line) != lines.end();
     },
     .leave = [](AppState& s) { link_place(s, {}); },
     .choose =
         [](AppState& s, const PickArguments& of) {
           const std::vector<int> lines = hottest_lines(s, *metric_of_word(of[0]));
           if (!lines.empty()) link_code(s, CodeText::kernel, lines.front());
           return !lines.empty();
         }},
};

}  // namespace

std::span<const PickFact> pick_facts() { return kPickFacts; }

const PickFact* find_pick_fact(const std::string& id) {
  const auto at = std::ranges::find(kPickFacts, std::string_view(id), &PickFact::id);
  return at == std::end(kPickFacts) ? nullptr : at;
}

}  // namespace tilescope
