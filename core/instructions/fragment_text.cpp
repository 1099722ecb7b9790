#include "core/instructions/fragment_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tilescope::model {
namespace {

/// One summand: times × (name / by % mod); by 1 and mod 0 are left out.
struct Term {
  std::string name;
  int by = 1, mod = 0, times = 1;
};

std::string text_of(const Term& t, FormulaStyle style) {
  std::string digit = t.name;
  if (t.by > 1) digit += fmt::format(" / {}", t.by);
  if (t.mod > 0) digit += fmt::format(" % {}", t.mod);
  if (t.times == 1) return digit;
  const bool compound = t.by > 1 || t.mod > 0;
  return fmt::format("{} {} {}", t.times, style == FormulaStyle::cpp ? "*" : "·",
                     compound ? "(" + digit + ")" : digit);
}

/// Neighbouring digits of one name that follow one another on both sides are one digit.
void add(std::vector<Term>& terms, const Term& t) {
  if (!terms.empty()) {
    Term& last = terms.back();
    if (last.name == t.name && last.mod > 0 && t.by == last.by * last.mod &&
        t.times == last.times * last.mod) {
      last.mod = t.mod > 0 ? last.mod * t.mod : 0;
      return;
    }
  }
  terms.push_back(t);
}

std::string sum(std::vector<Term> terms, FormulaStyle style) {
  std::string text;
  for (const Term& t : terms) text += (text.empty() ? "" : " + ") + text_of(t, style);
  return text.empty() ? "0" : text;
}

/// `by` and `mod` of the digit that steps `before` threads at a time, as a digit of the lane.
Term lane_digit(const LaneNames& names, int before, int shape) {
  int first = 1, by = before;
  for (int i = 0; i < names.lanes.rank; ++i) {
    const Mode& mode = names.lanes.mode[i];
    if (before >= first && before < first * mode.shape) by = mode.stride * (before / first);
    first *= mode.shape;
  }
  const int lanes = names.lanes.size() * names.group.size();
  return {names.lane, by, by * shape < lanes ? shape : 0, 1};
}

enum class Axis { row, col };

/// The step of a mode along an axis; 0 if it goes along the other one, or nowhere.
int step_along(const FragmentLayout& f, const Mode& mode, Axis axis) {
  if (mode.shape == 1) return 0;
  const bool is_row = mode.stride < f.rows;
  if (is_row != (axis == Axis::row)) return 0;
  return is_row ? mode.stride : mode.stride / f.rows;
}

std::string place_formula(const FragmentLayout& f, const LaneNames& names, Axis axis,
                          FormulaStyle style) {
  std::vector<Term> terms;
  int before = 1;
  for (int i = 0; i < f.thread.rank; ++i) {
    const Mode& mode = f.thread.mode[i];
    if (const int step = step_along(f, mode, axis); step > 0) {
      Term t = lane_digit(names, before, mode.shape);
      t.times = step;
      add(terms, t);
    }
    before *= mode.shape;
  }
  before = 1;
  for (int i = 0; i < f.value.rank; ++i) {
    const Mode& mode = f.value.mode[i];
    if (const int step = step_along(f, mode, axis); step > 0) {
      add(terms, {"v", before, before * mode.shape < f.values() ? mode.shape : 0, step});
    }
    before *= mode.shape;
  }
  return sum(std::move(terms), style);
}

/// Index of a layout from row and column; `weight(before)` is what a digit counts there.
template <class Weight>
std::string index_formula(const FragmentLayout& f, const Layout& layout, Weight&& weight,
                          FormulaStyle style) {
  std::vector<Term> terms;
  int before = 1;
  for (int i = 0; i < layout.rank; ++i) {
    const Mode& mode = layout.mode[i];
    if (mode.stride > 0 && mode.shape > 1) {
      const bool is_row = mode.stride < f.rows;
      const int step = is_row ? mode.stride : mode.stride / f.rows;
      const int extent = is_row ? f.rows : f.cols;
      add(terms, {is_row ? "row" : "col", step, step * mode.shape < extent ? mode.shape : 0,
                  weight(before)});
    }
    before *= mode.shape;
  }
  return sum(std::move(terms), style);
}

}  // namespace

LaneNames lane_names(const MmaAtom& atom) {
  return {atom.lanes, atom.group, atom.threads() > 32 ? "thread" : "lane"};
}

std::string row_formula(const FragmentLayout& f, const LaneNames& names, FormulaStyle style) {
  return place_formula(f, names, Axis::row, style);
}
std::string col_formula(const FragmentLayout& f, const LaneNames& names, FormulaStyle style) {
  return place_formula(f, names, Axis::col, style);
}
std::string lane_formula(const FragmentLayout& f, const LaneNames& names, FormulaStyle style) {
  return index_formula(
      f, f.thread, [&](int before) { return lane_digit(names, before, 1).by; }, style);
}
std::string value_formula(const FragmentLayout& f, FormulaStyle style) {
  return index_formula(
      f, f.value, [](int before) { return before; }, style);
}

}  // namespace tilescope::model
