#include "viz/scene/fragment/mma_tab_layout.h"

#include <algorithm>
#include <cmath>

namespace tilescope::viz {
namespace {

constexpr float kPicturePad = 6;                         // left and right
constexpr float kCornerWidth = 170, kCornerHeight = 90;  // the least that registers are drawn in

/// Cells along k for one of C: a lane's neighbours share the room of two.
float k_share(const MmaAtom& atom) {
  const int run = values_in_register(atom.a.bits);
  return run <= 2 ? 1.0f : 2.0f / static_cast<float>(run);
}

}  // namespace

AtomPicture place_atom(const FragmentContext& f, Size size) {
  const MmaAtom& atom = f.plan.atom;
  AtomPicture p;
  const float share = k_share(atom);
  const float k = static_cast<float>(atom.k), m = static_cast<float>(atom.m),
              n = static_cast<float>(atom.n);
  const float columns = k * share + n, rows = k * share + m;
  const float gap = size.w > 600 ? 8.0f : 6.0f;
  const auto fit = [&](float head) {
    p.head = head;
    p.ch = (size.h - head - kAtomColumnLabels - kAtomBottom - gap - 5) / rows;
    p.cw = (size.w - 2 * kPicturePad - kAtomRowLabels - gap) / columns;
    const auto whole = [](float x) { return x >= 4 ? std::floor(x) : x; };
    // Small atoms get larger cells: their registers stand in a corner as wide as A.
    p.ch = std::clamp(whole(p.ch), 0.25f, std::max(32.0f, 600 / rows));
    p.cw = std::clamp(whole(p.cw), 0.25f, std::max(44.0f, 800 / columns));
    if (p.cw >= 8 && p.ch >= 8) {
      p.ch = std::min(p.ch, std::max(4.0f, std::floor(p.cw * 1.05f)));
      p.cw = std::min(p.cw, std::floor(p.ch * 1.5f));
    }
  };
  fit(0);
  p.corner =
      k * share * p.cw >= kCornerWidth && k * share * p.ch >= kCornerHeight && f.state.zoom <= 1;
  if (!p.corner) fit(size.w < 496 ? 58 : 46);  // the lanes in two rows, or in one
  p.values_in_cells = p.cw * share * static_cast<float>(values_in_register(atom.a.bits)) >= 36 &&
                      p.cw * share >= 18 && p.ch * share >= 17 && p.cw >= 18 && p.ch >= 17;
  if (p.corner && !p.values_in_cells) {  // room for V# above and below
    const float room = (size.h - kAtomColumnLabels - kAtomBottom - gap - 16) / rows;
    p.ch = std::clamp(room >= 4 ? std::floor(room) : room, 0.25f, p.ch);
    if (p.ch >= 8) p.cw = std::min(p.cw, std::max(p.ch + 3, std::floor(p.ch * 1.5f)));
  }
  const float zoom = std::max(1.0f, f.state.zoom);
  float cw = p.cw * zoom, ch = p.ch * zoom;
  const auto sides = [&](float x, float y) {
    const float ax = x + kAtomRowLabels, cx = ax + k * share * cw + gap;
    const float by = y + kAtomColumnLabels;
    const float ay = by + k * share * ch + gap + (p.values_in_cells || !p.corner ? 4 : 12);
    p.a = {ax, ay, k * share * cw, m * ch};
    p.b = {cx, by, n * cw, k * share * ch};
    p.c = {cx, ay, n * cw, m * ch};
  };
  const float total = kAtomRowLabels + k * share * cw + gap + n * cw;
  if (zoom <= 1) {
    sides(std::max(kPicturePad, std::floor((size.w - total) / 2)), p.head);
  } else {  // the chosen place of the whole picture comes to the panel's middle
    sides(0, 0);
    const float w = p.c.right(), h = p.c.bottom();
    const float left = std::floor(size.w / 2 - f.state.center.x * w);
    const float top = std::floor((size.h + p.head) / 2 - f.state.center.y * h);
    sides(std::clamp(left, std::min(0.0f, size.w - kPicturePad - w), kPicturePad),
          std::clamp(top, std::min(0.0f, size.h - kAtomBottom - h), 0.0f) + p.head);
  }
  p.cw = cw, p.ch = ch, p.k_size = share * cw;
  p.values_in_cells = p.cw >= 18 && p.ch >= 17 && (!p.corner || p.values_in_cells);
  const float narrow =
      std::min(cw, share * cw * static_cast<float>(std::min(2, values_in_register(atom.a.bits))));
  p.label_size =
      p.values_in_cells
          ? std::clamp(std::floor(std::min(p.ch * 0.475f, narrow * 0.5f) * 2) / 2, 9.0f, 14.0f)
          : 9.0f;
  return p;
}

float largest_zoom(const FragmentState& state, Size size) {
  if (!hierarchy_of(state.plan).lanes_share_atoms() || state.is_move()) return 1;
  FragmentState fitted = state;
  fitted.zoom = 1;
  const FragmentContext f{fitted, fitted.plan, {}, {}, {}};
  const AtomPicture p = place_atom(f, size);
  constexpr float kEasy = 34;  // a cell of this size carries T# and V#
  return std::max(1.0f, kEasy / std::max(0.1f, std::min({p.cw, p.ch, p.k_size * 2})));
}

}  // namespace tilescope::viz
