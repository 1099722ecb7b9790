// The free corner of the mma tab: the lanes of the warp and the registers of the chosen one.
#include <algorithm>
#include <cmath>

#include "viz/scene/fragment_parts.h"

namespace tilescope::viz {
namespace {

struct Row {
  std::string name;                 // a0 …
  std::vector<RegisterCell> cells;  // the register's values, low bits first
  std::string note;                 // in the second column of a register of one value
  bool chosen = false;
  bool last_of_operand = false;
  int reg = 0;
};

void add_rows(std::vector<Row>& rows, const FragmentContext& f, const FragmentLayout& layout,
              Operand operand, Coord origin) {
  for (int reg = 0; reg < layout.registers(); ++reg) {
    Row row;
    row.name = std::string(1, "abc"[static_cast<int>(operand)]) + std::to_string(reg);
    row.reg = reg;
    for (int i = 0; i < layout.values_per_register; ++i) {
      const int value = reg * layout.values_per_register + i;
      const Coord at = origin + fragment_coord(layout, f.selection.lane, value);
      row.cells.push_back({value, operand, at, inside(f.state.problem, operand, at)});
      if (operand == Operand::c && value == f.selection.output) row.chosen = true;
    }
    rows.push_back(std::move(row));
  }
  rows.back().last_of_operand = operand != Operand::c;
}

}  // namespace

float draw_mma_registers(SceneBuilder& b, const FragmentContext& f, Box box, bool small) {
  const Palette& p = b.palette();
  const MmaAtom& atom = f.plan.atom;
  const int lane = f.selection.lane;
  std::vector<Row> rows;
  add_rows(rows, f, atom.a, Operand::a, {f.axes.m.first, f.axes.k.first});
  add_rows(rows, f, atom.b, Operand::b, {f.axes.k.first, f.axes.n.first});
  add_rows(rows, f, atom.c, Operand::c, {f.axes.m.first, f.axes.n.first});
  for (Row& row : rows) {
    if (row.cells.size() > 1) continue;
    if (row.chosen) {
      row.note = small ? "chosen output" : "output behind the dashes";
    } else if (row.reg == 0) {
      row.note = "f32, a whole register";
    }
  }

  // PTX calls lane / 4 the group; the layout says how many lanes that is.
  const int in_group = std::max(1, atom.c.thread.mode[0].shape);
  float x =
      b.text(box.x, box.y + 5, "lane " + std::to_string(lane), {p.text, 12, Weight::semibold});
  b.text(box.x + x + 8, box.y + 5,
         "group " + std::to_string(lane / in_group) + ", thread " +
             std::to_string(lane % in_group) + " of " + std::to_string(in_group),
         {p.dim, 12, Weight::regular, Align::left, box.w - x - 8});

  const float strip = box.h >= 380 ? 22.0f : box.h >= 270 ? 18.0f : 14.0f;
  const float wider = small ? (box.h >= 190 ? 22.0f : 0.0f) : 10.0f;
  lane_strip(b, {box.x, box.y + 14, box.w + wider, 2 * strip}, 2, lane,
             f.state.hover ? std::optional<int>(f.state.hover->lane) : std::nullopt);

  float y = box.y + 14 + 2 * strip + (small ? 10 : 15);
  const float row_h = std::clamp(
      std::floor((box.bottom() - y - 14 - (small ? 0 : 22)) / static_cast<float>(rows.size()) * 2) /
          2,
      12.0f, 23.0f);
  const float first = box.x + std::max(box.w * 0.09f, 20.0f) + 4, second = box.x + box.w * 0.55f;
  float size = row_h >= 21 ? 13.0f : row_h >= 19 ? 12.0f : row_h >= 16 ? 11.0f : 10.0f;
  const auto widest = [&](float at) {
    float most = 0;
    for (const Row& row : rows) {
      for (const RegisterCell& cell : row.cells) {
        most =
            std::max(most, b.width("V0 " + element_text(cell.matrix, cell.at), at, Weight::mono));
      }
    }
    return most;
  };
  while (size > 9 && widest(size) > std::min(second - first - 4, box.right() - second))
    size -= 0.5f;
  const TextStyle head{p.dim, 10};
  b.text(box.x, y, "reg", head);
  b.text(first, y, "low half", head);
  b.text(second, y, "high half", head);
  y += 8;
  b.line({box.x, std::round(y)}, {box.x + box.w, std::round(y)}, p.border);
  y += row_h / 2 + 2;
  const float value_width = b.width("V0 ", size, Weight::mono);
  const auto room =
      static_cast<size_t>(std::max(0.0f, std::floor((box.bottom() + 2 - (y - row_h / 2)) / row_h)));
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (room < rows.size() && i + 1 >= room) {  // cannot fit: say how many are left out
      b.text(box.x, y - 1, "… " + std::to_string(rows.size() - i) + " more", head);
      break;
    }
    Pick pick;
    pick.kind = Pick::Kind::reg, pick.level = Level::thread;
    pick.matrix = static_cast<int8_t>(row.cells.front().matrix);
    pick.lane = lane, pick.reg = row.reg, pick.value = row.cells.front().value;
    pick.row = row.cells.front().at.row, pick.col = row.cells.front().at.col;
    b.rect({box.x - 3, y - row_h / 2, box.w + 6, row_h},
           row.chosen ? p.accent_ground : fade(p.accent_ground, 0));
    b.pickable(pick);
    b.text(box.x, y, row.name, {p.text, size, Weight::mono_semibold});
    for (size_t j = 0; j < row.cells.size() && j < 2; ++j) {
      const RegisterCell& cell = row.cells[j];
      const float at = j == 0 ? first : second;
      const float room = (j == 0 ? second : box.right()) - at - value_width - 4;
      b.text(at, y, "V" + std::to_string(cell.value), {p.dim, size, Weight::mono});
      if (cell.inside) {
        b.text(at + value_width, y, element_text(cell.matrix, cell.at),
               {operand_text(p, cell.matrix), size, Weight::mono, Align::left, room});
      } else {
        b.text(at + value_width, y, "outside: 0", {p.faint, size, Weight::mono, Align::left, room});
      }
    }
    if (!row.note.empty()) {
      b.text_that_fits(
          second, y, {row.note, row.chosen ? "the output" : "f32"},
          {p.dim, std::min(size, 11.5f), Weight::regular, Align::left, box.right() - second});
    }
    y += row_h;
    if (row.last_of_operand) {
      b.line({box.x, std::round(y - row_h / 2)}, {box.right(), std::round(y - row_h / 2)}, p.grid);
    }
  }
  return y - row_h / 2;
}

}  // namespace tilescope::viz
