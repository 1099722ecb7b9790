// The ldmatrix tab: lanes give the addresses of rows of 16 bytes, and each gets four bytes of every
// 8×16-byte matrix: two halves, four bytes of s8, 32 bits of b1.
#include <algorithm>
#include <cmath>

#include "core/layout/atom_plan.h"
#include "viz/scene/fragment/fragment_parts.h"
#include "viz/scene/shared_access.h"

namespace tilescope::viz {
namespace {

constexpr float kTag = 30, kTagGap = 10, kMiddle = 6;

struct Cell {
  int thread = -1, value = 0, reg = 0;
};

/// The stored tile that one ldmatrix reads.
struct Tile {
  const FragmentContext& f;
  Operand operand;
  const LdmatrixMap& map;
  const FragmentLayout& fragment;

  int lines() const { return map.lines; }
  int across() const { return map.matrices * kMatrixRows / map.lines; }  // matrices side by side
  int words() const { return across() * 4; }                             // of 4 bytes in a line
  int per_word() const { return values_a_register(fragment.bits); }      // elements
  int per_row() const { return kMatrixRowBytes * 8 / fragment.bits; }    // elements in 16 bytes

  /// Who holds the word: elements [line, word · per_word …] of the tile.
  Cell holder(int line, int word) const {
    const MmaAtom& atom = f.plan.atom;
    const int k = word * per_word();
    const int warp = f.atom_lane() / 32;
    const int tile = operand == Operand::b ? line / atom.n : 0;  // B: which of several n tiles
    const Coord at =
        operand == Operand::a ? Coord{line + warp * lines(), k} : Coord{k, line % atom.n};
    const Holder h = fragment_holder(fragment, at);
    return {h.thread % 32, h.value,
            h.value / fragment.values_per_register + tile * fragment.registers()};
  }
};

std::string tile_name(const FragmentContext& f, const Tile& tile) {
  const std::string row = std::to_string(f.selection.mma_m) + ",";
  if (tile.operand == Operand::a) return "A of mma " + row + std::to_string(f.selection.mma_n);
  const int tiles = std::max(1, tile.lines() / f.plan.atom.n);
  const int first = f.selection.mma_n / tiles * tiles;
  if (tiles == 1) return "B of mma " + row + std::to_string(first);
  return "B of mma " + row + std::to_string(first) + (tiles == 2 ? " and " : " to ") + row +
         std::to_string(first + tiles - 1);
}

}  // namespace

void draw_ldmatrix_tab(SceneBuilder& b, const FragmentContext& f, Size size) {
  const Palette& p = b.palette();
  const MmaAtom& atom = f.plan.atom;
  const Operand other = f.state.operand == Operand::b ? Operand::b : Operand::a;
  const Operand o = ldmatrix_loads(atom, other) ? other : Operand::a;
  const LdmatrixMap& map = o == Operand::a ? f.plan.load_a.map : f.plan.load_b.map;
  const Tile tile{f, o, map, o == Operand::a ? atom.a : atom.b};
  const int lines = tile.lines(), words = tile.words(), per_row = tile.per_row();
  const int lane = f.selection.lane, hovered = hovered_lane(f.state.hover);
  const SharedAccess access = shared_access(f.plan, f.selection, f.moment, o);
  // First row of the tile in the matrix: m for A, n for B.
  const Coord in_block = ldmatrix_origin(f.plan, f.selection, f.moment, o);
  const Coord block = block_origin(f.plan, f.selection.cta);
  const int first_outer = in_block.row + (o == Operand::a ? block.row : block.col);
  const int first_k = f.axes.k.first;
  const char* outer_name = o == Operand::a ? "row " : "column ";
  // A unit of the map is 16 bits: how many elements that is depends on the type.
  const auto k_of_unit = [&](int unit) { return unit * 16 / tile.fragment.bits; };

  const float pad = 8;
  b.runs(pad, 12,
         {{"ldmatrix.x" + std::to_string(map.matrices), p.text, Weight::mono_semibold},
          {"  " + tile_name(f, tile) + ": " + std::to_string(lines) + " rows of " +
               std::to_string(tile.across() * kMatrixRowBytes) + " B in shared memory",
           p.dim}},
         12, size.w - 2 * pad);

  const bool beside = size.w >= 500;  // the reading right of the picture, else below it
  const float reading_w = beside ? std::clamp(size.w * 0.3f, 170.0f, 260.0f) : size.w - 2 * pad;
  const float reading_h = beside ? 0 : 128;
  const float sides = tile.across() > 1 ? 2 : 1;  // tags left, and right of the second matrices
  const float room_w =
      size.w - 2 * pad - (beside ? reading_w + 20 : 0) - sides * (kTag + kTagGap) - kMiddle;
  const float room_h = size.h - 44 - kMiddle - reading_h - 10;
  const float cw = std::clamp(std::floor(room_w / static_cast<float>(words)), 14.0f, 68.0f);
  const float ch =
      std::clamp(std::floor(room_h / static_cast<float>(lines)), 9.0f, std::min(30.0f, 0.75f * cw));
  const float size_label = ch >= 22 ? 11.0f : ch >= 15 ? 10.0f : 9.0f;
  const float total = sides * (kTag + kTagGap) + static_cast<float>(words) * cw + kMiddle +
                      (beside ? 24 + reading_w : 0);
  const float ox = pad + std::max(0.0f, std::floor((size.w - 2 * pad - total) / 2));
  const float ax = ox + kTag + kTagGap, ay = 44;
  const auto x_of = [&](int word) {
    return ax + static_cast<float>(word) * cw + (word >= 4 ? kMiddle : 0.0f);
  };
  const auto y_of = [&](int r) {
    return ay + static_cast<float>(r) * ch + static_cast<float>(r / kMatrixRows) * kMiddle;
  };
  for (int half = 0; half < tile.across(); ++half) {
    b.text(x_of(4 * half) + 2 * cw, ay - 10,
           "k " + range_text(first_k + per_row * half, first_k + per_row * (half + 1) - 1),
           {p.dim, 11, Weight::regular, Align::center, 4 * cw});
  }

  std::vector<Box> gets, hovers;
  for (int r = 0; r < lines; ++r) {
    for (int word = 0; word < words; ++word) {
      const Cell cell = tile.holder(r, word);
      const int k = word * tile.per_word();
      const Box box{x_of(word), y_of(r), cw - 1, ch - 1};
      const Color fill = p.lane(cell.thread, cell.thread == lane ? 1.0f : 0.92f);
      b.rect(box, fill);
      Pick pick;
      pick.kind = Pick::Kind::element, pick.level = Level::thread;
      pick.matrix = static_cast<int8_t>(o);
      pick.row = o == Operand::a ? first_outer + r : first_k + k;
      pick.col = o == Operand::a ? first_k + k : first_outer + r;
      pick.lane = cell.thread, pick.value = cell.value, pick.reg = cell.reg;
      b.pickable(pick);
      if (b.width("T28", size_label) + 2 <= box.w) {
        b.text(box.x + box.w / 2, box.y + box.h / 2, "T" + std::to_string(cell.thread),
               {ink_on(fill), size_label, cell.thread == lane ? Weight::semibold : Weight::regular,
                Align::center});
      }
      if (cell.thread == lane) gets.push_back(box);
      if (cell.thread == hovered && hovered != lane) hovers.push_back(box);
    }
  }
  // Who gives the address of each row: tags left of the first matrices, right of the others.
  Box addressed{};
  for (int l = 0; l < map.matrices * kMatrixRows; ++l) {
    const Coord at = ldmatrix_row(map, l);
    const bool left = at.col < kMatrixUnits, mine = l == lane;
    const float y = y_of(at.row), middle = y + (ch - 1) / 2;
    const Box tag{left ? ox : x_of(words - 1) + cw + kTagGap, y + 1, kTag, ch - 3};
    b.rect(tag, mine ? p.accent_ground : p.frame_strong, mine ? p.accent : Color{}, 2);
    Pick pick;
    pick.kind = Pick::Kind::lane, pick.level = Level::thread, pick.lane = l;
    b.pickable(pick);
    b.text(tag.x + tag.w / 2, middle, "T" + std::to_string(l),
           {mine ? p.text : p.dim, size_label, mine ? Weight::semibold : Weight::regular,
            Align::center});
    b.triangle({left ? tag.right() + 4.5f : tag.x - 4.5f, middle}, 3, left ? Way::right : Way::left,
               mine ? p.accent : p.faint);
    if (mine) addressed = {x_of(at.col / 2) - 2, y - 2, 4 * cw + 3, ch + 3};
    if (l == hovered && !mine) hovers.push_back(tag);
  }
  if (addressed.w > 0) b.rect(addressed, {}, p.accent, 0, 2);
  for (const Box& box : hovers) b.hover_ring(box);
  for (const Box& box : gets) b.cell_ring(box, true);

  // The reading.
  const float tx = beside ? x_of(words - 1) + cw + (sides > 1 ? kTagGap + kTag : 0.0f) + 24 : pad;
  const float tw = beside ? std::min(reading_w, size.w - pad - tx) : reading_w;
  float y = beside ? 38 : y_of(lines - 1) + ch + 16;
  b.text(tx, y, "lane " + std::to_string(lane), {p.text, 13, Weight::semibold});
  y += 20;
  std::string gives =
      "gives no address: lanes 0 to " + std::to_string(map.matrices * kMatrixRows - 1) + " do";
  if (lane < map.matrices * kMatrixRows) {
    const Coord row = ldmatrix_row(map, lane);
    const int k = first_k + k_of_unit(row.col);
    gives = "gives the address of " + (outer_name + std::to_string(first_outer + row.row)) +
            ", k " + range_text(k, k + per_row - 1);
  }
  b.rect({tx, y - 5, 10, 10}, {}, p.accent, 0, 2);
  y += 16 * static_cast<float>(b.wrap(tx + 17, y, tw - 17, gives, {p.text, 12}, 16, 3)) +
       (beside ? 8 : 2);
  const int registers = map.matrices;
  const char letter = o == Operand::a ? 'a' : 'b';
  std::string rows;
  for (int r = 0; r < lines; ++r) {
    bool holds = false;
    for (int word = 0; word < 4; ++word) holds |= tile.holder(r, word).thread == lane;
    if (!holds) continue;
    rows += (rows.empty() ? "" : lines > 16 ? ", " : " and ") + std::to_string(first_outer + r);
  }
  b.rect({tx, y - 5, 10, 10}, {}, p.select, 0, 2);
  y += 16 * static_cast<float>(b.wrap(
                tx + 17, y, tw - 17,
                std::string("gets ") + letter +
                    (registers > 1 ? "0–" + std::string(1, letter) + std::to_string(registers - 1)
                                   : "0") +
                    ": " + (o == Operand::a ? "rows " : "columns ") + rows,
                {p.text, 12}, 16, 3)) +
       (beside ? 8 : 2);
  const bool conflicts = access.wavefronts > access.ideal;
  const std::string verdict = std::to_string(access.wavefronts) + " wavefronts";
  const std::string detail = "ideal " + std::to_string(access.ideal) + ", conflicts " +
                             std::to_string(access.wavefronts - access.ideal);
  if (!beside) {
    const float w =
        b.text(tx, y + 4, verdict, {conflicts ? p.warning : p.text, 13, Weight::semibold});
    b.text(tx + w + 12, y + 4, detail,
           {conflicts ? p.warning : p.ok, 12, Weight::regular, Align::left, tw - w - 12});
    return;
  }
  b.line({tx, std::round(y) - 6}, {tx + tw, std::round(y) - 6}, p.border);
  y += 8;
  for (int m = 0; m < registers; ++m) {
    b.text(tx, y, std::string(1, letter) + std::to_string(m), {p.text, 12, Weight::mono_semibold});
    const int waves = m < static_cast<int>(access.per_phase.size())
                          ? access.per_phase[static_cast<size_t>(m)]
                          : 0;
    std::string note = "T" + std::to_string(m * 8) + "–T" + std::to_string(m * 8 + 7) + ", phase " +
                       std::to_string(m);
    if (waves > 1) note += ": " + std::to_string(waves) + " wavefronts";
    b.text(tx + 22, y, note,
           {waves > 1 ? p.warning : p.dim, 12, Weight::regular, Align::left, tw - 22});
    y += 18;
  }
  b.line({tx, std::round(y) - 4}, {tx + tw, std::round(y) - 4}, p.border);
  y += 14;
  b.text(tx, y, verdict, {conflicts ? p.warning : p.text, 15, Weight::semibold, Align::left, tw});
  b.text(tx, y + 19, detail, {conflicts ? p.warning : p.ok, 12, Weight::regular, Align::left, tw});
}

}  // namespace tilescope::viz
