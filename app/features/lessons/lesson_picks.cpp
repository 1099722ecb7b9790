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

/// Of the present kernel's instruction: which lanes hold an element of its fragment; none: it has
/// no such element, or no lane holds one.
std::vector<int> lanes_that_hold(const AppState& state, const PickArguments& of) {
  const KernelPlan& plan = state.derived.plan;
  if (!state.derived.legal() || !hierarchy_of(plan).lanes_share_atoms()) return {};
  if (plan.warps_per_atom() != 1) return {};
  const auto operand = operand_of_word(of[0]);
  const auto at = coord_of_words(of, 1);
  if (!operand || !at) return {};
  const FragmentLayout& fragment = fragment_of(plan.atom, *operand);
  std::vector<int> lanes;
  for (int lane = 0; lane < 32; ++lane) {
    const int thread = atom_thread_of(plan, 0, lane);
    bool holds = false;
    for (int v = 0; v < fragment.values(); ++v) holds |= fragment_coord(fragment, thread, v) == *at;
    if (holds) lanes.push_back(lane);
  }
  return lanes;
}

viz::Pick place_of_lane(const PickArguments& of, int lane) {
  viz::Pick place;
  place.kind = viz::Pick::Kind::lane, place.level = Level::atom;
  place.matrix = static_cast<int8_t>(operand_of_word(of[0]).value_or(Operand::c));
  place.lane = lane;
  return place;
}

viz::Pick place_of_cta(Coord tile) {
  viz::Pick place;
  place.kind = viz::Pick::Kind::cta, place.level = Level::grid;
  place.cta_row = tile.row, place.cta_col = tile.col;
  return place;
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
     .answered =
         [](const AppState& s, const PickArguments& of) {
           return AnswerPlaces{{place_of_lane(of, s.selection.lane)}, {}};
         },
     .wanted = [](const AppState& s, const PickArguments& of) -> std::optional<AnswerPlaces> {
       AnswerPlaces places;
       for (const int lane : lanes_that_hold(s, of)) {
         places.picks.push_back(place_of_lane(of, lane));
       }
       return places.picks.empty() ? std::nullopt : std::optional(places);
     },
     .leave = [](AppState& s) { select_lane(s, (s.selection.lane + 16) % 32); },
     .choose =
         [](AppState& s, const PickArguments& of) {
           const std::vector<int> lanes = lanes_that_hold(s, of);
           if (!lanes.empty()) select_lane(s, lanes.front());
           return !lanes.empty();
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
     .answered =
         [](const AppState& s, const PickArguments&) {
           return AnswerPlaces{{place_of_cta(s.selection.cta)}, {}};
         },
     .wanted = [](const AppState& s, const PickArguments& of) -> std::optional<AnswerPlaces> {
       if (!s.derived.legal()) return {};
       return AnswerPlaces{{place_of_cta(block_of(s.derived.plan, *coord_of_words(of, 0)))}, {}};
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
     .answered =
         [](const AppState& s, const PickArguments&) {
           const int line = linked_code(s).line;
           return line > 0 ? AnswerPlaces{{}, {line}} : AnswerPlaces{};
         },
     .wanted = [](const AppState& s, const PickArguments& of) -> std::optional<AnswerPlaces> {
       const std::vector<int> lines = hottest_lines(s, *metric_of_word(of[0]));
       return lines.empty() ? std::nullopt : std::optional(AnswerPlaces{{}, lines});
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

std::optional<bool> PickFact::right(const AppState& state,
                                    const std::vector<std::string>& of) const {
  const auto places = wanted(state, of);
  if (!places) return {};
  const AnswerPlaces at = answered(state, of);
  const auto is_wanted = [](const auto& one, const auto& all) {
    return std::ranges::find(all, one) != all.end();
  };
  // Somewhere, and nowhere else.
  return (!at.picks.empty() || !at.lines.empty()) &&
         std::ranges::all_of(at.picks,
                             [&](const auto& one) { return is_wanted(one, places->picks); }) &&
         std::ranges::all_of(at.lines, [&](int one) { return is_wanted(one, places->lines); });
}

std::span<const PickFact> pick_facts() { return kPickFacts; }

const PickFact* find_pick_fact(const std::string& id) {
  const auto at = std::ranges::find(kPickFacts, std::string_view(id), &PickFact::id);
  return at == std::end(kPickFacts) ? nullptr : at;
}

}  // namespace tilescope
