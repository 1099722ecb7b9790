// The formulas tab: each operand's map in words, read off its layout, and the registers of the
// chosen lane, as many as there are.
#include <algorithm>
#include <cmath>

#include "core/instructions/fragment_text.h"
#include "core/layout/atom_plan.h"
#include "core/model/names.h"
#include "viz/scene/fragment/fragment_parts.h"

namespace tilescope::viz {
namespace {

using model::FormulaStyle;

struct Entry {
  std::string name, what;
  Color color;
  std::vector<std::pair<std::string, std::string>> formulas;  // left side, right side
  std::string note;
};

std::string held(const FragmentLayout& f) {
  const char* many = f.values() == 1 ? "" : "s";
  const std::string text =
      f.values_per_register > 1
          ? wording("{} value{} per lane, {} per register", f.values(), many, f.values_per_register)
          : wording("{} value{} per lane", f.values(), many);
  return f.copies() > 1 ? wording("{}; each element is held {} times", text, f.copies()) : text;
}

Entry entry_of(const MmaAtom& atom, const char* name, const FragmentLayout& f, ElementType type,
               const char* row, const char* col, Color color) {
  const model::LaneNames names = model::lane_names(atom);
  Entry e;
  e.name = name;
  e.what = "[" + std::string(row) + ", " + col + "]  " + std::to_string(f.rows) + "×" +
           std::to_string(f.cols) + " " + model::name_of(type) + ", " + held(f);
  e.color = color;
  e.formulas = {{row, model::row_formula(f, names, FormulaStyle::words)},
                {col, model::col_formula(f, names, FormulaStyle::words)},
                {names.lane, model::lane_formula(f, names, FormulaStyle::words)},
                {"v", model::value_formula(f, FormulaStyle::words)}};
  // Lane and value are told from row and column by their axes' own names.
  for (size_t i = 2; i < 4; ++i) {
    std::string& text = e.formulas[i].second;
    const auto replace = [&](const std::string& from, const std::string& to) {
      for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    };
    replace("row", row);
    replace("col", col);
  }
  return e;
}

/// Formulas two by two where there is room; returns the lowest y.
float draw_entry(SceneBuilder& b, const Entry& e, float x, float y, float width) {
  const Palette& p = b.palette();
  const float named = b.text(x, y, e.name, {e.color, 13, Weight::semibold});
  b.text(x + named + 8, y, e.what, {p.dim, 12, Weight::regular, Align::left, width - named - 8});
  y += 18;
  if (!e.note.empty()) {
    return y + 16 * static_cast<float>(b.wrap(x + 12, y, width - 12, e.note, {p.text, 12}, 16, 3));
  }
  float widest = 0, left = 0;
  for (const auto& [name, formula] : e.formulas) {
    left = std::max(left, b.width(name + " = ", 12, Weight::mono));
    widest = std::max(widest, b.width(formula, 12, Weight::mono));
  }
  const bool two = 12 + 2 * (left + widest) + 28 <= width;
  for (size_t i = 0; i < e.formulas.size(); ++i) {
    const float at = x + 12 + (two && i % 2 == 1 ? left + widest + 28 : 0);
    b.text(at, y, e.formulas[i].first, {p.dim, 12, Weight::mono});
    b.text(at + left - b.width("= ", 12, Weight::mono), y, "=", {p.dim, 12, Weight::mono});
    b.text(at + left, y, e.formulas[i].second,
           {p.text, 12, Weight::mono, Align::left, x + width - at - left});
    if (!two || i % 2 == 1) y += 17;
  }
  return y;
}

/// The registers in columns: "a0  V0–1  A[0, 0–1]".
void draw_registers(SceneBuilder& b, const FragmentContext& f, Box box) {
  const Palette& p = b.palette();
  const std::vector<RegisterRow> rows = register_rows(f);
  const char* names[] = {"A", "B", result_name(f.plan.atom)};
  const auto value_of = [](const RegisterRow& r) {
    return "V" + range_text(r.cells.front().value, r.cells.back().value);
  };
  const auto element_of = [&](const RegisterRow& r) {
    return register_text(r.cells, names[static_cast<int>(r.cells.front().matrix)]);
  };
  float name_w = 0, value_w = 0, element_w = 0;
  for (const RegisterRow& r : rows) {
    name_w = std::max(name_w, b.width(r.name, 11, Weight::mono_semibold));
    value_w = std::max(value_w, b.width(value_of(r), 11, Weight::mono));
    element_w = std::max(element_w, b.width(element_of(r), 11, Weight::mono));
  }
  const float column = name_w + value_w + element_w + 34, line = 16;
  const int columns = std::max(1, static_cast<int>((box.w + 18) / column));
  const int lines = static_cast<int>(box.h / line);
  if (lines <= 0) return;
  const auto count = static_cast<int>(rows.size());
  const int used = std::max(1, std::min(lines, (count + columns - 1) / columns));
  for (int i = 0; i < count; ++i) {
    const int at_column = i / used, at_line = i % used;
    const float x = box.x + static_cast<float>(at_column) * column,
                y = box.y + static_cast<float>(at_line) * line + line / 2;
    if (at_column >= columns ||
        (at_column == columns - 1 && at_line == used - 1 && i + 1 < count)) {
      b.text(x, y, wording("… {} more", count - i), {p.dim, 11});
      break;
    }
    const RegisterRow& r = rows[static_cast<size_t>(i)];
    Pick pick;
    pick.kind = Pick::Kind::reg, pick.level = Level::atom;
    pick.matrix = static_cast<int8_t>(r.cells.front().matrix);
    pick.warp = f.selection.warp, pick.lane = f.selection.lane, pick.reg = r.reg;
    pick.value = r.cells.front().value;
    pick.row = r.cells.front().at.row, pick.col = r.cells.front().at.col;
    b.rect({x - 3, y - line / 2, column - 12, line},
           r.chosen ? p.accent_ground : fade(p.accent_ground, 0));
    b.pickable(pick);
    b.text(x, y, r.name, {p.text, 11, Weight::mono_semibold});
    b.text(x + name_w + 8, y, value_of(r), {p.dim, 11, Weight::mono});
    b.text(x + name_w + value_w + 16, y, element_of(r),
           {operand_text(p, r.cells.front().matrix), 11, Weight::mono, Align::left,
            column - name_w - value_w - 28});
  }
}

}  // namespace

void draw_formulas_tab(SceneBuilder& b, const FragmentContext& f, Size size) {
  const Palette& p = b.palette();
  const MmaAtom& atom = f.plan.atom;
  const float pad = 8, width = size.w - 2 * pad;
  std::vector<Entry> entries;
  const auto in_shared = [&](const char* name, const char* axes, int rows, int cols,
                             ElementType type, Color color) {
    entries.push_back({name,
                       std::string(axes) + "  " + std::to_string(rows) + "×" +
                           std::to_string(cols) + " " + model::name_of(type),
                       color,
                       {},
                       "in shared memory, named by a matrix descriptor: no lane holds it"});
  };
  if (atom.a_in_shared) {
    in_shared("A", "[m, k]", atom.m, atom.k, atom.type_a, p.a_text);
  } else {
    entries.push_back(entry_of(atom, "A", atom.a, atom.type_a, "m", "k", p.a_text));
  }
  if (atom.b_in_shared) {
    in_shared("B", "[k, n]", atom.k, atom.n, atom.type_b, p.b_text);
  } else {
    entries.push_back(entry_of(atom, "B", atom.b, atom.type_b, "k", "n", p.b_text));
  }
  if (same_results(atom)) {
    entries.push_back(entry_of(atom, "C, D", atom.c, atom.type_c, "m", "n", p.c_text));
  } else {
    entries.push_back(entry_of(atom, "C", atom.c, atom.type_c, "m", "n", p.c_text));
    entries.push_back(entry_of(atom, "D", atom.d, atom.type_d, "m", "n", p.c_text));
  }
  float y = 12;
  for (const Entry& e : entries) y = draw_entry(b, e, pad, y, width) + 6;
  std::string note =
      tr("v: the lane's value; value v lies in register v / (values per register), low bits "
         "first.");
  if (atom.group.size() > 1)
    note += tr(" Four groups of eight lanes compute for themselves; add 4, 8 or 12 to the lane.");
  if (atom.kind == MmaKind::wmma)
    note += tr(" The PTX ISA leaves wmma's map open: this one was read from an H200.");
  y += 15 * static_cast<float>(b.wrap(pad, y, width, note, {p.dim, 11}, 15, 3)) + 4;
  if (y + 60 > size.h) return;
  y = lane_band(b, f, {pad, y, width, 30}) + 10;
  draw_registers(b, f, {pad, y, width, size.h - y - 4});
}

}  // namespace tilescope::viz
