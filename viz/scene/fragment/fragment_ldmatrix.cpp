// The ldmatrix tab: lanes give the addresses of rows of 16 bytes, and each gets four bytes of every
// 8×16-byte matrix: two halves, four bytes of s8, 32 bits of b1.
#include <algorithm>
#include <cmath>

#include "core/layout/atom_plan.h"
#include "viz/scene/fragment/fragment_parts.h"
#include "viz/scene/shared_access.h"

namespace tilescope::viz {
namespace {

constexpr float kReadTag = 30, kReadTagGap = 10, kMiddle = 6;

struct ReadCell {
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
  int per_word() const { return values_in_register(fragment.bits); }     // elements
  int per_row() const { return kMatrixRowBytes * 8 / fragment.bits; }    // elements in 16 bytes

  /// Who holds the word: elements [line, word · per_word …] of the tile.
  ReadCell holder(int line, int word) const {
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
  const int row = f.selection.mma_m;
  if (tile.operand == Operand::a) return wording("A of mma {},{}", row, f.selection.mma_n);
  const int tiles = std::max(1, tile.lines() / f.plan.atom.n);
  const int first = f.selection.mma_n / tiles * tiles, last = first + tiles - 1;
  if (tiles == 1) return wording("B of mma {},{}", row, first);
  return tiles == 2 ? wording("B of mma {},{} and {},{}", row, first, row, last)
                    : wording("B of mma {},{} to {},{}", row, first, row, last);
}

/// Where the stored tile, the tags of its rows and the words beside it lie.
struct ReadPlaces {
  static constexpr float kPad = 8;
  bool beside = true;  // the reading right of the picture, else below it
  float reading_w = 0;
  float sides = 1;  // tags left, and right of the second matrices
  float cw = 0, ch = 0, size_label = 9;
  float ox = 0, ax = 0, ay = 44;

  ReadPlaces(const Tile& tile, Size size) {
    const auto words = static_cast<float>(tile.words()), lines = static_cast<float>(tile.lines());
    beside = size.w >= 500;
    reading_w = beside ? std::clamp(size.w * 0.3f, 170.0f, 260.0f) : size.w - 2 * kPad;
    const float reading_h = beside ? 0 : 128;
    sides = tile.across() > 1 ? 2 : 1;
    const float room_w = size.w - 2 * kPad - (beside ? reading_w + 20 : 0) -
                         sides * (kReadTag + kReadTagGap) - kMiddle;
    const float room_h = size.h - 44 - kMiddle - reading_h - 10;
    cw = std::clamp(std::floor(room_w / words), 14.0f, 68.0f);
    ch = std::clamp(std::floor(room_h / lines), 9.0f, std::min(30.0f, 0.75f * cw));
    size_label = ch >= 22 ? 11.0f : ch >= 15 ? 10.0f : 9.0f;
    const float total =
        sides * (kReadTag + kReadTagGap) + words * cw + kMiddle + (beside ? 24 + reading_w : 0);
    ox = kPad + std::max(0.0f, std::floor((size.w - 2 * kPad - total) / 2));
    ax = ox + kReadTag + kReadTagGap;
  }
  float x_of(int word) const {
    return ax + static_cast<float>(word) * cw + (word >= 4 ? kMiddle : 0.0f);
  }
  float y_of(int r) const {
    const int above = r / kMatrixRows;
    return ay + static_cast<float>(r) * ch + static_cast<float>(above) * kMiddle;
  }
};

class LdmatrixTab {
 public:
  LdmatrixTab(SceneBuilder& b, const FragmentContext& f, const Tile& tile, Size size)
      : b_(b), p_(b.palette()), f_(f), tile_(tile), size_(size), at_(tile, size) {
    lane_ = f.selection.lane, hovered_ = hovered_lane(f.state.hover);
    // First row of the tile in the matrix: m for A, n for B.
    const Coord in_block = ldmatrix_origin(f.plan, f.selection, f.moment, tile.operand);
    const Coord block = block_origin(f.plan, f.selection.cta);
    first_outer_ = in_block.row + (is_a() ? block.row : block.col);
    first_k_ = f.axes.k.first;
  }

  void draw() {
    draw_heads();
    draw_words();
    draw_tags();
    for (const Box& box : hovers_) b_.hover_ring(box);
    for (const Box& box : gets_) b_.cell_ring(box, true);
    draw_reading();
  }

 private:
  bool is_a() const { return tile_.operand == Operand::a; }
  int registers() const { return tile_.map.matrices; }
  char letter() const { return is_a() ? 'a' : 'b'; }

  void draw_heads() {
    b_.runs(ReadPlaces::kPad, 12,
            {{"ldmatrix.x" + std::to_string(tile_.map.matrices), p_.text, Weight::mono_semibold},
             {"  " + wording("{}: {} rows of {} B in shared memory", tile_name(f_, tile_),
                             tile_.lines(), tile_.across() * kMatrixRowBytes),
              p_.dim}},
            12, size_.w - 2 * ReadPlaces::kPad);
    const int per_row = tile_.per_row();
    for (int half = 0; half < tile_.across(); ++half) {
      b_.text(at_.x_of(4 * half) + 2 * at_.cw, at_.ay - 10,
              "k " + range_text(first_k_ + per_row * half, first_k_ + per_row * (half + 1) - 1),
              {p_.dim, 11, Weight::regular, Align::center, 4 * at_.cw});
    }
  }

  void draw_words() {
    for (int r = 0; r < tile_.lines(); ++r) {
      for (int word = 0; word < tile_.words(); ++word) draw_word(r, word);
    }
  }
  void draw_word(int r, int word) {
    const ReadCell cell = tile_.holder(r, word);
    const int k = word * tile_.per_word();
    const Box box{at_.x_of(word), at_.y_of(r), at_.cw - 1, at_.ch - 1};
    const Color fill = p_.lane(cell.thread, cell.thread == lane_ ? 1.0f : 0.92f);
    b_.rect(box, fill);
    Pick pick;
    pick.kind = Pick::Kind::element, pick.level = Level::atom;
    pick.matrix = static_cast<int8_t>(tile_.operand);
    pick.row = is_a() ? first_outer_ + r : first_k_ + k;
    pick.col = is_a() ? first_k_ + k : first_outer_ + r;
    pick.lane = cell.thread, pick.value = cell.value, pick.reg = cell.reg;
    b_.pickable(pick);
    if (b_.width("T28", at_.size_label) + 2 <= box.w) {
      b_.text(box.x + box.w / 2, box.y + box.h / 2, "T" + std::to_string(cell.thread),
              {ink_on(fill), at_.size_label,
               cell.thread == lane_ ? Weight::semibold : Weight::regular, Align::center});
    }
    if (cell.thread == lane_) gets_.push_back(box);
    if (cell.thread == hovered_ && hovered_ != lane_) hovers_.push_back(box);
  }

  /// Who gives the address of each row: tags left of the first matrices, right of the others.
  void draw_tags() {
    Box addressed{};
    for (int l = 0; l < tile_.map.matrices * kMatrixRows; ++l) {
      const Coord at = ldmatrix_row(tile_.map, l);
      const bool left = at.col < kMatrixUnits, mine = l == lane_;
      const float y = at_.y_of(at.row), middle = y + (at_.ch - 1) / 2;
      const float right_x = at_.x_of(tile_.words() - 1) + at_.cw + kReadTagGap;
      const Box tag{left ? at_.ox : right_x, y + 1, kReadTag, at_.ch - 3};
      b_.rect(tag, mine ? p_.accent_ground : p_.frame_strong, mine ? p_.accent : Color{}, 2);
      Pick pick;
      pick.kind = Pick::Kind::lane, pick.level = Level::atom, pick.lane = l;
      b_.pickable(pick);
      b_.text(tag.x + tag.w / 2, middle, "T" + std::to_string(l),
              {mine ? p_.text : p_.dim, at_.size_label, mine ? Weight::semibold : Weight::regular,
               Align::center});
      b_.triangle({left ? tag.right() + 4.5f : tag.x - 4.5f, middle}, 3,
                  left ? Way::right : Way::left, mine ? p_.accent : p_.faint);
      if (mine) addressed = {at_.x_of(at.col / 2) - 2, y - 2, 4 * at_.cw + 3, at_.ch + 3};
      if (l == hovered_ && !mine) hovers_.push_back(tag);
    }
    if (addressed.w > 0) b_.rect(addressed, {}, p_.accent, 0, 2);
  }

  std::string gives_text() const {
    const int addresses = tile_.map.matrices * kMatrixRows;
    if (lane_ >= addresses) {
      return wording("gives no address: lanes 0 to {} do", addresses - 1);
    }
    const Coord row = ldmatrix_row(tile_.map, lane_);
    // A unit of the map is 16 bits: how many elements that is depends on the type.
    const int k = first_k_ + row.col * 16 / tile_.fragment.bits;
    const int outer = first_outer_ + row.row;
    const std::string ks = range_text(k, k + tile_.per_row() - 1);
    return is_a() ? wording("gives the address of row {}, k {}", outer, ks)
                  : wording("gives the address of column {}, k {}", outer, ks);
  }
  std::string gets_text() const {
    std::string rows;
    for (int r = 0; r < tile_.lines(); ++r) {
      bool holds = false;
      for (int word = 0; word < 4; ++word) holds |= tile_.holder(r, word).thread == lane_;
      if (!holds) continue;
      const std::string row = std::to_string(first_outer_ + r);
      rows = rows.empty()         ? row
             : tile_.lines() > 16 ? rows + ", " + row
                                  : wording("{} and {}", rows, row);
    }
    const std::string last =
        registers() > 1 ? "0–" + std::string(1, letter()) + std::to_string(registers() - 1) : "0";
    return is_a() ? wording("gets {}{}: rows {}", letter(), last, rows)
                  : wording("gets {}{}: columns {}", letter(), last, rows);
  }

  /// What the chosen lane gives and gets, and what the access costs.
  void draw_reading() {
    const bool beside = at_.beside;
    const float tx = beside ? at_.x_of(tile_.words() - 1) + at_.cw +
                                  (at_.sides > 1 ? kReadTagGap + kReadTag : 0.0f) + 24
                            : ReadPlaces::kPad;
    const float tw =
        beside ? std::min(at_.reading_w, size_.w - ReadPlaces::kPad - tx) : at_.reading_w;
    float y = beside ? 38 : at_.y_of(tile_.lines() - 1) + at_.ch + 16;
    b_.text(tx, y, wording("lane {}", lane_), {p_.text, 13, Weight::semibold});
    y += 20;
    const auto sentence = [&](Color sign, const std::string& text) {
      b_.rect({tx, y - 5, 10, 10}, {}, sign, 0, 2);
      const int lines = b_.wrap(tx + 17, y, tw - 17, text, {p_.text, 12}, 16, 3);
      y += 16 * static_cast<float>(lines) + (beside ? 8 : 2);
    };
    sentence(p_.accent, gives_text());
    sentence(p_.select, gets_text());
    draw_cost({tx, y}, tw);
  }

  void draw_cost(Point from, float tw) {
    const SharedAccess access = shared_access(f_.plan, f_.selection, f_.moment, tile_.operand);
    const float tx = from.x;
    float y = from.y;
    const bool conflicts = access.wavefronts > access.ideal;
    const Color loud = conflicts ? p_.warning : p_.text, calm = conflicts ? p_.warning : p_.ok;
    const std::string verdict = wording("{} wavefronts", access.wavefronts);
    const std::string detail =
        wording("ideal {}, conflicts {}", access.ideal, access.wavefronts - access.ideal);
    if (!at_.beside) {
      const float w = b_.text(tx, y + 4, verdict, {loud, 13, Weight::semibold});
      b_.text(tx + w + 12, y + 4, detail, {calm, 12, Weight::regular, Align::left, tw - w - 12});
      return;
    }
    b_.line({tx, std::round(y) - 6}, {tx + tw, std::round(y) - 6}, p_.border);
    y += 8;
    for (int m = 0; m < registers(); ++m) {
      b_.text(tx, y, std::string(1, letter()) + std::to_string(m),
              {p_.text, 12, Weight::mono_semibold});
      const int waves = m < static_cast<int>(access.per_phase.size())
                            ? access.per_phase[static_cast<size_t>(m)]
                            : 0;
      const std::string note =
          waves > 1 ? wording("T{}–T{}, phase {}: {} wavefronts", m * 8, m * 8 + 7, m, waves)
                    : wording("T{}–T{}, phase {}", m * 8, m * 8 + 7, m);
      b_.text(tx + 22, y, note,
              {waves > 1 ? p_.warning : p_.dim, 12, Weight::regular, Align::left, tw - 22});
      y += 18;
    }
    b_.line({tx, std::round(y) - 4}, {tx + tw, std::round(y) - 4}, p_.border);
    y += 14;
    b_.text(tx, y, verdict, {loud, 15, Weight::semibold, Align::left, tw});
    b_.text(tx, y + 19, detail, {calm, 12, Weight::regular, Align::left, tw});
  }

  SceneBuilder& b_;
  const Palette& p_;
  const FragmentContext& f_;
  const Tile& tile_;
  const Size size_;
  const ReadPlaces at_;
  int lane_ = 0, hovered_ = -1;
  int first_outer_ = 0, first_k_ = 0;
  std::vector<Box> gets_, hovers_;
};

}  // namespace

void draw_ldmatrix_tab(SceneBuilder& b, const FragmentContext& f, Size size) {
  const MmaAtom& atom = f.plan.atom;
  const Operand other = f.state.operand == Operand::b ? Operand::b : Operand::a;
  const Operand o = ldmatrix_loads(atom, other) ? other : Operand::a;
  const Tile tile{f, o, o == Operand::a ? f.plan.load_a.map : f.plan.load_b.map,
                  o == Operand::a ? atom.a : atom.b};
  LdmatrixTab(b, f, tile, size).draw();
}

}  // namespace tilescope::viz
