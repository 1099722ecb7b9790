// Formulas of fragments evaluate to the layout, in words and in C++; a small evaluator reads them.
#include "core/instructions/fragment_text.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string_view>

#include "core/instructions/instructions.h"

namespace tilescope::model {
namespace {

/// sum := product { "+" product }; product := unary { ("*" | "·" | "/" | "%") unary }, from the
/// left; unary := number | name | "(" sum ")".
class EvaluatedFormula {
 public:
  EvaluatedFormula(std::string_view text, const std::map<std::string, int, std::less<>>& names)
      : text_(text), names_(names) {}
  int value() {
    const int v = sum();
    if (!text_.empty()) ADD_FAILURE() << "left over: " << text_;
    return v;
  }

 private:
  bool take(std::string_view token) {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  int sum() {
    int v = product();
    while (take("+")) v += product();
    return v;
  }
  int product() {
    int v = unary();
    for (;;) {
      if (take("*") || take("·")) {
        v *= unary();
      } else if (take("/")) {
        v /= unary();
      } else if (take("%")) {
        v %= unary();
      } else {
        return v;
      }
    }
  }
  int unary() {
    if (take("(")) {
      const int v = sum();
      EXPECT_TRUE(take(")"));
      return v;
    }
    size_t end = 0;
    while (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end]))) ++end;
    const std::string word(text_.substr(0, end));
    text_.remove_prefix(end);
    if (word.empty()) {
      ADD_FAILURE() << "no number or name before: " << text_;
      text_ = {};
      return 0;
    }
    if (word[0] >= '0' && word[0] <= '9') return std::stoi(word);
    const auto found = names_.find(word);
    if (found == names_.end()) ADD_FAILURE() << "unknown name " << word;
    return found == names_.end() ? 0 : found->second;
  }

  std::string_view text_;
  const std::map<std::string, int, std::less<>>& names_;
};

/// All that formulas are made of: layouts alike need to be evaluated once.
std::string key_of(const FragmentLayout& f, const LaneNames& lanes) {
  std::string key = std::to_string(f.rows) + "x" + std::to_string(f.cols) + lanes.lane;
  for (const Layout* layout : {&f.thread, &f.value, &lanes.lanes, &lanes.group}) {
    key += "|";
    for (int i = 0; i < layout->rank; ++i) {
      key += std::to_string(layout->mode[i].shape) + ":" + std::to_string(layout->mode[i].stride) +
             ",";
    }
  }
  return key;
}

void expect_formulas(const FragmentLayout& f, const LaneNames& names, const std::string& what) {
  for (FormulaStyle style : {FormulaStyle::words, FormulaStyle::cpp}) {
    const std::string row = row_formula(f, names, style), col = col_formula(f, names, style);
    const std::string lane = lane_formula(f, names, style), value = value_formula(f, style);
    for (int t = 0; t < f.threads(); ++t) {
      for (int v = 0; v < f.values(); ++v) {
        const Coord at = fragment_coord(f, t, v);
        for (int g = 0; g < names.group.size(); ++g) {
          const std::map<std::string, int, std::less<>> forth = {
              {names.lane, names.lanes(t) + names.group(g)}, {"v", v}};
          ASSERT_EQ(EvaluatedFormula(row, forth).value(), at.row) << what << ": " << row;
          ASSERT_EQ(EvaluatedFormula(col, forth).value(), at.col) << what << ": " << col;
        }
        const std::map<std::string, int, std::less<>> back = {{"row", at.row}, {"col", at.col}};
        const Holder holder = fragment_holder(f, at);
        ASSERT_EQ(EvaluatedFormula(lane, back).value(), names.lanes(holder.thread))
            << what << ": " << lane;
        ASSERT_EQ(EvaluatedFormula(value, back).value(), holder.value) << what << ": " << value;
      }
    }
  }
}

TEST(FragmentText, FormulasOfEveryInstructionAreItsLayout) {
  std::set<std::string> seen;
  const auto expect = [&](const FragmentLayout& f, const LaneNames& names,
                          const std::string& what) {
    if (seen.insert(key_of(f, names)).second) expect_formulas(f, names, what);
  };
  ASSERT_EQ(instructions().size(), 701u);
  for (const Instruction& i : instructions()) {
    if (i.kind == Instruction::Kind::move) {
      expect(i.move.registers, {}, i.name);
      expect(i.move.result, {}, i.name);
      continue;
    }
    const LaneNames names = lane_names(i.mma);
    expect(i.mma.a, names, i.name + " A");
    if (!i.mma.b_in_shared) expect(i.mma.b, names, i.name + " B");
    expect(i.mma.c, names, i.name + " C");
    expect(i.mma.d, names, i.name + " D");
  }
  EXPECT_GT(seen.size(), 60u);  // layouts that differ
}

TEST(FragmentText, ReadsAsPeopleWriteIt) {
  const MmaAtom atom = mma_m16n8k16_f16_f32();
  const LaneNames names = lane_names(atom);
  EXPECT_EQ(row_formula(atom.c, names, FormulaStyle::words), "lane / 4 + 8 · (v / 2)");
  EXPECT_EQ(col_formula(atom.c, names, FormulaStyle::words), "2 · (lane % 4) + v % 2");
  EXPECT_EQ(row_formula(atom.c, names, FormulaStyle::cpp), "lane / 4 + 8 * (v / 2)");
  EXPECT_EQ(lane_formula(atom.c, names, FormulaStyle::cpp), "col / 2 + 4 * (row % 8)");
}

// A mode of one step goes nowhere, wherever its stride would lead.
TEST(FragmentText, ModesOfOneStepAreLeftOut) {
  FragmentLayout f;
  f.rows = 8, f.cols = 1;
  f.thread = make_layout({8, 1}, {1, 8});
  LaneNames names;
  names.lanes = make_layout({8, 1});
  EXPECT_EQ(row_formula(f, names, FormulaStyle::cpp), "lane");
  EXPECT_EQ(lane_formula(f, names, FormulaStyle::cpp), "row");
}

}  // namespace
}  // namespace tilescope::model
