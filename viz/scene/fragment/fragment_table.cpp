// The free corner of the mma tab: the lanes of the warp and the registers of the chosen one.
#include <algorithm>
#include <cmath>

#include "core/model/names.h"
#include "viz/scene/fragment/fragment_parts.h"

namespace tilescope::viz {
namespace {

void add_rows(std::vector<RegisterRow>& rows, const FragmentContext& f,
              const FragmentLayout& layout, Operand operand, char letter, Coord origin) {
  for (int reg = 0; reg < layout.registers(); ++reg) {
    RegisterRow row;
    row.name = std::string(1, letter) + std::to_string(reg);
    row.reg = reg;
    for (int i = 0; i < layout.values_per_register; ++i) {
      const int value = reg * layout.values_per_register + i;
      const Coord at = origin + fragment_coord(layout, f.fragment_thread(), value);
      row.cells.push_back({value, operand, at, inside(f.state.problem, operand, at)});
      if (operand == Operand::c && value == f.selection.output) row.chosen = true;
    }
    rows.push_back(std::move(row));
  }
  rows.back().last_of_operand = operand != Operand::c;
}

}  // namespace

bool same_results(const MmaAtom& atom) {
  const auto same = [](const Layout& x, const Layout& y) {
    if (x.rank != y.rank) return false;
    for (int i = 0; i < x.rank; ++i) {
      if (x.mode[i].shape != y.mode[i].shape || x.mode[i].stride != y.mode[i].stride) return false;
    }
    return true;
  };
  return atom.c.bits == atom.d.bits && same(atom.c.thread, atom.d.thread) &&
         same(atom.c.value, atom.d.value);
}

std::vector<RegisterRow> register_rows(const FragmentContext& f) {
  const MmaAtom& atom = f.plan.atom;
  std::vector<RegisterRow> rows;
  add_rows(rows, f, atom.a, Operand::a, 'a', {f.axes.m.first, f.axes.k.first});
  if (!atom.b_in_shared)
    add_rows(rows, f, atom.b, Operand::b, 'b', {f.axes.k.first, f.axes.n.first});
  add_rows(rows, f, atom.d, Operand::c, same_results(atom) ? 'c' : 'd',
           {f.axes.m.first, f.axes.n.first});
  return rows;
}

std::string register_text(const std::vector<RegisterCell>& cells, const char* name) {
  const Coord first = cells.front().at, last = cells.back().at;
  return std::string(name) + "[" + range_text(first.row, last.row) + ", " +
         range_text(first.col, last.col) + "]";
}

float lane_band(SceneBuilder& b, const FragmentContext& f, Box box) {
  const Palette& p = b.palette();
  const int lane = f.selection.lane;
  std::string where = "lane " + std::to_string(lane);
  if (f.atom_threads() > 32) {
    where = "warp " + std::to_string(f.selection.warp % f.plan.warps_an_atom()) + ", " + where;
  }
  const float w = b.text(box.x, box.y + 6, where, {p.text, 12, Weight::semibold});
  if (f.atom_threads() > 32) {
    b.text(box.x + w + 8, box.y + 6,
           "thread " + std::to_string(f.atom_lane()) + " of the warpgroup",
           {p.dim, 12, Weight::regular, Align::left, box.w - w - 8});
  }
  const bool two = box.w < 480;
  const float strip = two ? 24.0f : 14.0f;
  lane_strip(b, {box.x, box.y + 13, std::min(box.w, 640.0f), strip}, two ? 2 : 1, lane,
             f.state.hover ? std::optional<int>(f.state.hover->lane) : std::nullopt);
  return box.y + 13 + strip;
}

float draw_mma_registers(SceneBuilder& b, const FragmentContext& f, Box box, bool small) {
  const Palette& p = b.palette();
  const MmaAtom& atom = f.plan.atom;
  const int lane = f.selection.lane;
  const std::vector<RegisterRow> rows = register_rows(f);
  const auto note_of = [&](const RegisterRow& row) -> std::string {
    if (row.cells.size() > 1) return "";
    if (row.chosen) return small ? "chosen output" : "output behind the dashes";
    if (row.reg != 0) return "";
    const Operand o = row.cells.front().matrix;
    const ElementType type = o == Operand::a   ? atom.type_a
                             : o == Operand::b ? atom.type_b
                                               : atom.type_d;
    return std::string(model::name_of(type)) +
           (element_bits(type) == 64 ? ", two registers" : ", a whole register");
  };
  // Two columns of halves; where a register holds more, they lie side by side and one will do.
  const bool halves = std::all_of(rows.begin(), rows.end(),
                                  [](const RegisterRow& row) { return row.cells.size() <= 2; });
  const char* names[] = {"A", "B", result_name(atom)};
  const auto name_of = [&](const RegisterCell& cell) {
    return names[static_cast<int>(cell.matrix)];
  };
  const auto texts_of = [&](const RegisterRow& row) {
    std::vector<std::pair<std::string, std::string>> texts;  // V#, element
    if (row.cells.size() > 2 || (!halves && row.cells.size() > 1)) {
      texts.emplace_back("V" + range_text(row.cells.front().value, row.cells.back().value),
                         register_text(row.cells, name_of(row.cells.front())));
      return texts;
    }
    for (const RegisterCell& cell : row.cells) {
      texts.emplace_back("V" + std::to_string(cell.value), register_text({cell}, name_of(cell)));
    }
    return texts;
  };

  // PTX calls lane / 4 the group; the layout says how many lanes that is.
  const int in_group = std::max(1, atom.c.thread.mode[0].shape);
  float x =
      b.text(box.x, box.y + 5, "lane " + std::to_string(lane), {p.text, 12, Weight::semibold});
  const bool own_groups = atom.group.size() > 1;
  const std::string group =
      own_groups ? "of lanes " + std::to_string(atom_lane(atom, 0, atom_thread(atom, lane).group)) +
                       "–" + std::to_string(atom_lane(atom, 3, atom_thread(atom, lane).group)) +
                       " and " + std::to_string(atom_lane(atom, 4, atom_thread(atom, lane).group)) +
                       "–" + std::to_string(atom_lane(atom, 7, atom_thread(atom, lane).group))
                 : "group " + std::to_string(lane / in_group) + ", thread " +
                       std::to_string(lane % in_group) + " of " + std::to_string(in_group);
  b.text(box.x + x + 8, box.y + 5, group, {p.dim, 12, Weight::regular, Align::left, box.w - x - 8});

  const float strip = box.h >= 380 ? 22.0f : box.h >= 270 ? 18.0f : 14.0f;
  // Into the margin of B, where its V# do not begin at once.
  const bool free_margin = box.h >= 190 && atom.b.registers() <= 2;
  const float wider = small ? (free_margin ? 22.0f : 0.0f) : 10.0f;
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
    for (const RegisterRow& row : rows) {
      for (const auto& [value, element] : texts_of(row))
        most = std::max(most, b.width(value + " " + element, at, Weight::mono));
    }
    return most;
  };
  const float room_for_one =
      halves ? std::min(second - first - 4, box.right() - second) : box.right() - first;
  while (size > 9 && widest(size) > room_for_one) size -= 0.5f;
  const TextStyle head{p.dim, 10};
  b.text(box.x, y, "reg", head);
  b.text(first, y, halves ? "low half" : "values, low bits first", head);
  if (halves) b.text(second, y, "high half", head);
  y += 8;
  b.line({box.x, std::round(y)}, {box.x + box.w, std::round(y)}, p.border);
  y += row_h / 2 + 2;
  float value_width = 0;
  for (const RegisterRow& row : rows) {
    for (const auto& [value, element] : texts_of(row))
      value_width = std::max(value_width, b.width(value + " ", size, Weight::mono));
  }
  const auto room =
      static_cast<size_t>(std::max(0.0f, std::floor((box.bottom() + 2 - (y - row_h / 2)) / row_h)));
  for (size_t i = 0; i < rows.size(); ++i) {
    const RegisterRow& row = rows[i];
    if (room < rows.size() && i + 1 >= room) {  // cannot fit: say how many are left out
      b.text(box.x, y - 1, "… " + std::to_string(rows.size() - i) + " more, in formulas", head);
      y += row_h;
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
    const auto texts = texts_of(row);
    for (size_t j = 0; j < texts.size(); ++j) {
      const RegisterCell& cell = row.cells[j];
      const float at = j == 0 ? first : second;
      const float room = (j == 0 && halves ? second : box.right()) - at - value_width - 4;
      b.text(at, y, texts[j].first, {p.dim, size, Weight::mono});
      if (cell.inside) {
        b.text(at + value_width, y, texts[j].second,
               {operand_text(p, cell.matrix), size, Weight::mono, Align::left, room});
      } else {
        b.text(at + value_width, y, "outside: 0", {p.faint, size, Weight::mono, Align::left, room});
      }
    }
    const std::string note = note_of(row);
    if (!note.empty() && halves) {
      b.text_that_fits(
          second, y, {note, row.chosen ? "the output" : note.substr(0, note.find(','))},
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
