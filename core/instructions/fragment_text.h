// A fragment's map as formulas, read off its shape:stride layouts: in words ("row = lane / 4 +
// 8 · (v / 2)") and as C++ expressions.
#pragma once
#include <string>

#include "core/layout/mma.h"

namespace tilescope::model {

enum class FormulaStyle { words, cpp };

/// Which lane a fragment's thread is, and what a formula calls it.
struct LaneNames {
  Layout lanes = make_layout({32, 1});  // thread of the fragment → lane
  Layout group = make_layout({1, 0});   // groups of lanes that compute for themselves
  std::string lane = "lane";
};
LaneNames lane_names(const MmaAtom& atom);

/// (lane, v) → row or column, for example "lane / 4 + 8 · (v / 2 % 2)"; "0" if it never changes.
std::string row_formula(const FragmentLayout& f, const LaneNames& names, FormulaStyle style);
std::string col_formula(const FragmentLayout& f, const LaneNames& names, FormulaStyle style);
/// (row, col) → lane or value; of copies and of groups of lanes the first.
std::string lane_formula(const FragmentLayout& f, const LaneNames& names, FormulaStyle style);
std::string value_formula(const FragmentLayout& f, FormulaStyle style);

}  // namespace tilescope::model
