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
  if (!atom.a_in_shared) {
    add_rows(rows, f, atom.a, Operand::a, 'a', {f.axes.m.first, f.axes.k.first});
  }
  if (!atom.b_in_shared) {
    add_rows(rows, f, atom.b, Operand::b, 'b', {f.axes.k.first, f.axes.n.first});
  }
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
  const std::string where =
      f.atom_threads() > 32
          ? wording("warp {}, lane {}", f.selection.warp % f.plan.warps_per_atom(), lane)
          : wording("lane {}", lane);
  const float w = b.text(box.x, box.y + 6, where, {p.text, 12, Weight::semibold});
  if (f.atom_threads() > 32) {
    b.text(box.x + w + 8, box.y + 6, wording("thread {} of the warpgroup", f.atom_lane()),
           {p.dim, 12, Weight::regular, Align::left, box.w - w - 8});
  }
  const bool two = box.w < 480;
  const float strip = two ? 24.0f : 14.0f;
  lane_strip(b, {box.x, box.y + 13, std::min(box.w, 640.0f), strip}, two ? 2 : 1, lane,
             f.state.hover ? std::optional<int>(f.state.hover->lane) : std::nullopt, 32,
             f.state.marks);
  return box.y + 13 + strip;
}

namespace {

/// The registers of the chosen lane as a table: halves in two columns; where a register holds more,
/// its values lie side by side and one column will do.
class RegisterTable {
 public:
  RegisterTable(SceneBuilder& b, const FragmentContext& f, Box box, bool small)
      : b_(b), p_(b.palette()), f_(f), box_(box), small_(small), rows_(register_rows(f)) {
    halves_ = std::all_of(rows_.begin(), rows_.end(),
                          [](const RegisterRow& row) { return row.cells.size() <= 2; });
    first_ = box.x + std::max(box.w * 0.09f, 20.0f) + 4, second_ = box.x + box.w * 0.55f;
  }

  /// Returns the lowest y drawn.
  float draw(float y) {
    row_h_ = std::clamp(std::floor((box_.bottom() - y - 14 - (small_ ? 0 : 22)) /
                                   static_cast<float>(rows_.size()) * 2) /
                            2,
                        12.0f, 23.0f);
    choose_size();
    const TextStyle head{p_.dim, 10};
    b_.text(box_.x, y, "reg", head);
    b_.text(first_, y, halves_ ? "low half" : "values, low bits first", head);
    if (halves_) b_.text(second_, y, "high half", head);
    y += 8;
    b_.line({box_.x, std::round(y)}, {box_.x + box_.w, std::round(y)}, p_.border);
    y += row_h_ / 2 + 2;
    const auto room = static_cast<size_t>(
        std::max(0.0f, std::floor((box_.bottom() + 2 - (y - row_h_ / 2)) / row_h_)));
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (room < rows_.size() && i + 1 >= room) {  // cannot fit: say how many are left out
        b_.text(box_.x, y - 1, wording("… {} more, in formulas", rows_.size() - i), head);
        y += row_h_;
        break;
      }
      draw_row(rows_[i], y);
      y += row_h_;
      if (rows_[i].last_of_operand) {
        const float line = std::round(y - row_h_ / 2);
        b_.line({box_.x, line}, {box_.right(), line}, p_.grid);
      }
    }
    return y - row_h_ / 2;
  }

 private:
  struct Entry {
    std::string value, element;  // V#, A[…]
  };

  std::vector<Entry> texts_of(const RegisterRow& row) const {
    const char* names[] = {"A", "B", result_name(f_.plan.atom)};
    const auto name_of = [&](const RegisterCell& cell) {
      return names[static_cast<int>(cell.matrix)];
    };
    std::vector<Entry> texts;
    if (row.cells.size() > 2 || (!halves_ && row.cells.size() > 1)) {
      texts.push_back({"V" + range_text(row.cells.front().value, row.cells.back().value),
                       register_text(row.cells, name_of(row.cells.front()))});
      return texts;
    }
    for (const RegisterCell& cell : row.cells) {
      texts.push_back({"V" + std::to_string(cell.value), register_text({cell}, name_of(cell))});
    }
    return texts;
  }

  /// What a row says beside its register, whole and brief.
  struct Note {
    std::string whole, brief;
  };
  Note note_of(const RegisterRow& row) const {
    if (row.cells.size() > 1) return {};
    if (row.chosen) return {small_ ? "chosen output" : "output behind the dashes", "the output"};
    if (row.reg != 0) return {};
    const MmaAtom& atom = f_.plan.atom;
    const Operand o = row.cells.front().matrix;
    const ElementType type = o == Operand::a   ? atom.type_a
                             : o == Operand::b ? atom.type_b
                                               : atom.type_d;
    const std::string name = model::name_of(type);
    return {element_bits(type) == 64 ? wording("{}, two registers", name)
                                     : wording("{}, a whole register", name),
            name};
  }

  /// The largest text with which all entries fit.
  void choose_size() {
    size_ = row_h_ >= 21 ? 13.0f : row_h_ >= 19 ? 12.0f : row_h_ >= 16 ? 11.0f : 10.0f;
    const auto widest = [&](auto text_of) {
      float most = 0;
      for (const RegisterRow& row : rows_) {
        for (const Entry& entry : texts_of(row)) {
          most = std::max(most, b_.width(text_of(entry), size_, Weight::mono));
        }
      }
      return most;
    };
    const auto whole = [](const Entry& e) { return e.value + " " + e.element; };
    const float room_for_one =
        halves_ ? std::min(second_ - first_ - 4, box_.right() - second_) : box_.right() - first_;
    while (size_ > 9 && widest(whole) > room_for_one) size_ -= 0.5f;
    value_width_ = widest([](const Entry& e) { return e.value + " "; });
  }

  void draw_row(const RegisterRow& row, float y) {
    Pick pick;
    pick.kind = Pick::Kind::reg, pick.level = Level::atom;
    pick.matrix = static_cast<int8_t>(row.cells.front().matrix);
    pick.lane = f_.selection.lane, pick.reg = row.reg, pick.value = row.cells.front().value;
    pick.row = row.cells.front().at.row, pick.col = row.cells.front().at.col;
    b_.rect({box_.x - 3, y - row_h_ / 2, box_.w + 6, row_h_},
            row.chosen ? p_.accent_ground : fade(p_.accent_ground, 0));
    b_.pickable(pick);
    b_.text(box_.x, y, row.name, {p_.text, size_, Weight::mono_semibold});
    const std::vector<Entry> texts = texts_of(row);
    for (size_t j = 0; j < texts.size(); ++j) {
      const RegisterCell& cell = row.cells[j];
      const float at = j == 0 ? first_ : second_;
      const float room = (j == 0 && halves_ ? second_ : box_.right()) - at - value_width_ - 4;
      b_.text(at, y, texts[j].value, {p_.dim, size_, Weight::mono});
      const Color color = cell.inside ? operand_text(p_, cell.matrix) : p_.dim;
      b_.text(at + value_width_, y, cell.inside ? texts[j].element : std::string("outside: 0"),
              {color, size_, Weight::mono, Align::left, room});
    }
    const Note note = note_of(row);
    if (note.whole.empty() || !halves_) return;
    b_.text_that_fits(
        second_, y, {note.whole, note.brief},
        {p_.dim, std::min(size_, 11.5f), Weight::regular, Align::left, box_.right() - second_});
  }

  SceneBuilder& b_;
  const Palette& p_;
  const FragmentContext& f_;
  const Box box_;
  const bool small_;
  const std::vector<RegisterRow> rows_;
  bool halves_ = true;
  float first_ = 0, second_ = 0;  // where the columns begin
  float row_h_ = 12, size_ = 10, value_width_ = 0;
};

/// "group 4, thread 1 of 4": PTX calls lane / 4 the group; the layout says how many lanes that is.
std::string group_text(const MmaAtom& atom, int lane) {
  if (atom.group.size() > 1) {
    const int group = atom_thread(atom, lane).group;
    const auto lane_of = [&](int thread) { return atom_lane(atom, thread, group); };
    return wording("of lanes {}–{} and {}–{}", lane_of(0), lane_of(3), lane_of(4), lane_of(7));
  }
  const int in_group = std::max(1, atom.c.thread.mode[0].shape);
  return wording("group {}, thread {} of {}", lane / in_group, lane % in_group, in_group);
}

}  // namespace

float draw_mma_registers(SceneBuilder& b, const FragmentContext& f, Box box, bool small) {
  const Palette& p = b.palette();
  const int lane = f.selection.lane;
  const float x =
      b.text(box.x, box.y + 5, wording("lane {}", lane), {p.text, 12, Weight::semibold});
  b.text(box.x + x + 8, box.y + 5, group_text(f.plan.atom, lane),
         {p.dim, 12, Weight::regular, Align::left, box.w - x - 8});
  const float strip = box.h >= 380 ? 22.0f : box.h >= 270 ? 18.0f : 14.0f;
  // Into the margin of B, where its V# do not begin at once.
  const bool free_margin = box.h >= 190 && f.plan.atom.b.registers() <= 2;
  const float wider = small ? (free_margin ? 22.0f : 0.0f) : 10.0f;
  lane_strip(b, {box.x, box.y + 14, box.w + wider, 2 * strip}, 2, lane,
             f.state.hover ? std::optional<int>(f.state.hover->lane) : std::nullopt, 32,
             f.state.marks);
  return RegisterTable(b, f, box, small).draw(box.y + 14 + 2 * strip + (small ? 10 : 15));
}

}  // namespace tilescope::viz
