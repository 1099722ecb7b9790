#include "viz/scene/layer/rank_fill.h"

#include <algorithm>
#include <cmath>

namespace tilescope::viz {
namespace {

constexpr int kRankHues = 8;  // of the palette, four lanes each
constexpr float kBand = 15;   // pixels, about
constexpr float kPlateText = 11;
constexpr float kPlate = 15;  // height of a plate
constexpr float kThin = 3;    // narrower boxes have no edge and no hatch

/// Ranks beyond the palette's hues have them again, with wider hatches.
float hatch_step(int rank) { return rank < kRankHues ? 6.0f : 9.0f; }

void fill(SceneBuilder& b, Box box, int rank, float strength, bool edge) {
  const Palette& p = b.palette();
  const Color color = rank_color(p, rank);
  Rect r;
  r.box = box;
  r.fill = mix(p.panel, color, strength);
  const bool thin = std::min(box.w, box.h) < kThin;
  if (rank_hatched(rank) && !thin) {
    r.hatch = fade(color, 0.7f), r.hatch_step = hatch_step(rank);
  }
  if (edge && !thin) r.stroke = color;
  b.add(r);
}

}  // namespace

Color rank_color(const Palette& palette, int rank) {
  return palette.lanes[static_cast<size_t>(rank % kRankHues * 4)];
}

bool rank_hatched(int rank) { return rank % 2 == 1 || rank >= kRankHues; }

void rank_rect(SceneBuilder& b, Box box, int rank, float strength) {
  fill(b, box, rank, strength, true);
}

void shared_rect(SceneBuilder& b, Box box, int ranks) {
  if (ranks <= 1) return rank_rect(b, box, 0);
  // Whole rounds of the ranks where they have room, at least a band of two of them.
  const int room = std::max(2, static_cast<int>(box.h / kBand));
  const int shown = std::min(ranks, room);
  const int bands = box.h < 8 ? 1 : room / shown * shown;
  // A box too low for bands is cut the other way.
  const int columns = box.h < 8 ? std::clamp(static_cast<int>(box.w / kBand), 2, 2 * ranks) : 1;
  for (int i = 0; i < bands * columns; ++i) {
    const float w = box.w / static_cast<float>(columns), h = box.h / static_cast<float>(bands);
    const Box band{box.x + static_cast<float>(i % columns) * w,
                   box.y + static_cast<float>(i / columns) * h, w, h};
    fill(b, band, i % (columns > 1 ? ranks : shown), 0.32f, false);
  }
  b.rect(box, {}, fade(b.palette().text, 0.6f));
}

bool plate_fits(const SceneBuilder& b, Box box, std::string_view text) {
  return box.h >= kPlate && b.width(text, kPlateText, Weight::semibold) + 10 <= box.w;
}

bool plate(SceneBuilder& b, Box box, std::initializer_list<std::string_view> choices) {
  for (const std::string_view text : choices) {
    if (text.empty() || !plate_fits(b, box, text)) continue;
    const float width = b.width(text, kPlateText, Weight::semibold);
    const float x = box.x + box.w / 2, y = box.y + box.h / 2;
    b.rect({x - width / 2 - 4, y - kPlate / 2, width + 8, kPlate}, fade(b.palette().panel, 0.85f),
           {}, 2);
    b.text(x, y, text, {b.palette().text, kPlateText, Weight::semibold, Align::center});
    return true;
  }
  return false;
}

}  // namespace tilescope::viz
