// The ldmatrix tab: each lane gives the address of one row of eight halves, and gets a pair of
// halves of every 8×8 matrix.
#include <algorithm>
#include <cmath>

#include "viz/scene/fragment_parts.h"
#include "viz/scene/shared_access.h"

namespace tilescope::viz {
namespace {

constexpr float kTag = 30, kTagGap = 10, kMiddle = 6;

struct Cell {
  int thread = -1, value = 0, reg = 0;
};

/// Who holds element [outer, k] of the 16×16 tile after the load.
Cell holder(const FragmentContext& f, Operand o, int outer, int k) {
  const MmaAtom& atom = f.plan.atom;
  if (o == Operand::a) {
    const Holder h = fragment_holder(atom.a, {outer, k});
    return {h.thread, h.value, h.value / atom.a.values_per_register};
  }
  const Holder h = fragment_holder(atom.b, {k, outer % atom.n});
  const int tile = outer / atom.n;  // which of the two n tiles
  return {h.thread, h.value, h.value / atom.b.values_per_register + tile * atom.b.registers()};
}

std::string tile_name(const FragmentContext& f, Operand o) {
  if (o == Operand::a) {
    return "A of mma " + std::to_string(f.selection.mma_m) + "," +
           std::to_string(f.selection.mma_n);
  }
  const int first = f.selection.mma_n / 2 * 2;
  return "B of mma " + std::to_string(f.selection.mma_m) + "," + std::to_string(first) + " and " +
         std::to_string(f.selection.mma_m) + "," + std::to_string(first + 1);
}

}  // namespace

void draw_ldmatrix_tab(SceneBuilder& b, const FragmentContext& f, Size size) {
  const Palette& p = b.palette();
  const Operand o = f.state.operand == Operand::b ? Operand::b : Operand::a;
  const LdmatrixMap& map = o == Operand::a ? f.plan.ldmatrix_a : f.plan.ldmatrix_b;
  const int lane = f.selection.lane, hovered = hovered_lane(f.state.hover);
  const SharedAccess access = shared_access(f.plan, f.selection, f.moment, o);
  // First row of the tile in the matrix: m for A, n for B.
  const Coord in_block = ldmatrix_origin(f.plan, f.selection, f.moment, o);
  const int first_outer = in_block.row + (o == Operand::a ? f.selection.cta.row * f.plan.block_m
                                                          : f.selection.cta.col * f.plan.block_n);
  const int first_k = f.axes.k.first;
  const char* outer_name = o == Operand::a ? "row " : "column ";

  const float pad = 8;
  b.runs(pad, 12,
         {{"ldmatrix.x" + std::to_string(map.matrices), p.text, Weight::mono_semibold},
          {"  " + tile_name(f, o) + ": 16 rows of 32 B in shared memory", p.dim}},
         12, size.w - 2 * pad);

  const bool beside = size.w >= 500;  // the reading right of the picture, else below it
  const float reading_w = beside ? std::clamp(size.w * 0.3f, 170.0f, 260.0f) : size.w - 2 * pad;
  const float reading_h = beside ? 0 : 128;
  const float room_w =
      size.w - 2 * pad - (beside ? reading_w + 20 : 0) - 2 * (kTag + kTagGap) - kMiddle;
  const float room_h = size.h - 44 - kMiddle - reading_h - 10;
  const float cw = std::clamp(std::floor(room_w / 16), 7.0f, 34.0f);
  const float ch = std::clamp(std::floor(room_h / 16), 9.0f, std::min(30.0f, 1.5f * cw));
  const float size_label = ch >= 22 ? 11.0f : ch >= 15 ? 10.0f : 9.0f;
  const float total = 2 * (kTag + kTagGap) + 16 * cw + kMiddle + (beside ? 24 + reading_w : 0);
  const float ox = pad + std::max(0.0f, std::floor((size.w - 2 * pad - total) / 2));
  const float ax = ox + kTag + kTagGap, ay = 44;
  const auto x_of = [&](int k) {
    return ax + static_cast<float>(k) * cw + (k >= 8 ? kMiddle : 0.0f);
  };
  const auto y_of = [&](int r) {
    return ay + static_cast<float>(r) * ch + (r >= 8 ? kMiddle : 0.0f);
  };
  for (int half = 0; half < 2; ++half) {
    b.text(x_of(8 * half) + 4 * cw, ay - 10,
           "k " + range_text(first_k + 8 * half, first_k + 8 * half + 7),
           {p.dim, 11, Weight::regular, Align::center, 8 * cw});
  }

  std::vector<Box> gets, hovers;
  for (int r = 0; r < 16; ++r) {
    for (int k = 0; k < 16; k += 2) {
      const Cell cell = holder(f, o, r, k);
      const Box box{x_of(k), y_of(r), 2 * cw - 1, ch - 1};
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
  for (int l = 0; l < map.matrices * 8; ++l) {
    const Coord at = ldmatrix_row(map, l);
    const bool left = at.col < 8, mine = l == lane;
    const float y = y_of(at.row), middle = y + (ch - 1) / 2;
    const Box tag{left ? ox : x_of(15) + cw + kTagGap, y + 1, kTag, ch - 3};
    b.rect(tag, mine ? p.accent_ground : p.frame_strong, mine ? p.accent : Color{}, 2);
    Pick pick;
    pick.kind = Pick::Kind::lane, pick.level = Level::thread, pick.lane = l;
    b.pickable(pick);
    b.text(tag.x + tag.w / 2, middle, "T" + std::to_string(l),
           {mine ? p.text : p.dim, size_label, mine ? Weight::semibold : Weight::regular,
            Align::center});
    b.triangle({left ? tag.right() + 4.5f : tag.x - 4.5f, middle}, 3, left ? Way::right : Way::left,
               mine ? p.accent : p.faint);
    if (mine) addressed = {x_of(at.col) - 2, y - 2, 8 * cw + 3, ch + 3};
    if (l == hovered && !mine) hovers.push_back(tag);
  }
  if (addressed.w > 0) b.rect(addressed, {}, p.accent, 0, 2);
  for (const Box& box : hovers) b.hover_ring(box);
  for (const Box& box : gets) b.cell_ring(box, true);

  // The reading.
  const float tx = beside ? x_of(15) + cw + kTagGap + kTag + 24 : pad;
  const float tw = beside ? std::min(reading_w, size.w - pad - tx) : reading_w;
  float y = beside ? 38 : y_of(15) + ch + 16;
  b.text(tx, y, "lane " + std::to_string(lane), {p.text, 13, Weight::semibold});
  y += 20;
  const Coord row = ldmatrix_row(map, std::min(lane, map.matrices * 8 - 1));
  b.rect({tx, y - 5, 10, 10}, {}, p.accent, 0, 2);
  y += 16 * static_cast<float>(b.wrap(
                tx + 17, y, tw - 17,
                "gives the address of " + (outer_name + std::to_string(first_outer + row.row)) +
                    ", k " + range_text(first_k + row.col, first_k + row.col + 7),
                {p.text, 12}, 16, 3)) +
       (beside ? 8 : 2);
  const int registers = map.matrices;
  const char letter = o == Operand::a ? 'a' : 'b';
  std::string rows;
  for (int r = 0; r < 16; ++r) {
    if (holder(f, o, r, 0).thread != lane && holder(f, o, r, 2).thread != lane &&
        holder(f, o, r, 4).thread != lane && holder(f, o, r, 6).thread != lane)
      continue;
    rows += (rows.empty() ? "" : " and ") + std::to_string(first_outer + r);
  }
  b.rect({tx, y - 5, 10, 10}, {}, p.select, 0, 2);
  y += 16 * static_cast<float>(b.wrap(tx + 17, y, tw - 17,
                                      std::string("gets ") + letter + "0–" + letter +
                                          std::to_string(registers - 1) + ": " +
                                          (o == Operand::a ? "rows " : "columns ") + rows,
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
