#include "viz/scene/answer_sign.h"

#include <algorithm>
#include <iterator>

#include "viz/scene/parts.h"

namespace tilescope::viz {
namespace {

constexpr float kLeastCells = 3;  // px: of less dashes are whole, and one sign covers the next
constexpr float kLeastPicked = 5, kSignReach = 3;  // px: of a box that is signed; of a sign beyond

constexpr int Pick::*kPlaceMembers[] = {&Pick::row,   &Pick::col,   &Pick::cta_row, &Pick::cta_col,
                                        &Pick::warp,  &Pick::mma_m, &Pick::mma_n,   &Pick::lane,
                                        &Pick::value, &Pick::reg,   &Pick::stage,   &Pick::k_slice,
                                        &Pick::event, &Pick::line};

/// The part of a box that its clip shows.
Box box_within(const Box& box, const Box& clip) {
  const float x = std::max(box.x, clip.x), y = std::max(box.y, clip.y);
  return {x, y, std::max(0.0f, std::min(box.right(), clip.right()) - x),
          std::max(0.0f, std::min(box.bottom(), clip.bottom()) - y)};
}

/// What is picked at these places, in the order that it is drawn in.
std::vector<Box> picked_boxes(const Scene& scene, const std::vector<Pick>& places) {
  std::vector<Box> boxes;
  if (places.empty()) return boxes;
  for (const Primitive& primitive : scene.primitives) {
    const auto* rect = std::get_if<Rect>(&primitive.shape);
    if (rect == nullptr || primitive.pick < 0) continue;
    const Pick& there = scene.picks[static_cast<size_t>(primitive.pick)];
    const auto is_here = [&](const Pick& place) { return is_at_place(there, place); };
    if (std::none_of(places.begin(), places.end(), is_here)) continue;
    Box box = box_within(rect->box, scene.clips[static_cast<size_t>(primitive.clip)]);
    if (box.w <= 0 || box.h <= 0) continue;
    const float more = std::max(0.0f, kLeastPicked - box.w);
    box.x -= more / 2, box.w += more;
    // A thing of two parts, or of its neighbour the sign would lie on this one's.
    const bool joins = !boxes.empty() && boxes.back().y == box.y && boxes.back().h == box.h &&
                       box.x >= boxes.back().x && box.x - boxes.back().right() < 2 * kSignReach;
    if (joins) {
      boxes.back().w = std::max(boxes.back().right(), box.right()) - boxes.back().x;
    } else {
      boxes.push_back(box);
    }
  }
  return boxes;
}

}  // namespace

bool AnswerMarks::any(Pick::Kind kind) const {
  const auto is = [kind](const Pick& pick) { return pick.kind == kind; };
  return std::any_of(answered.begin(), answered.end(), is) ||
         std::any_of(right.begin(), right.end(), is);
}

void answer_sign(SceneBuilder& b, Box box, AnswerSign sign) {
  const Palette& p = b.palette();
  Rect edge;
  edge.box = box.grown(2);
  edge.stroke_width = 2;
  if (sign == AnswerSign::answered) {
    // Between the dashes the halo, or a ring below would fill them up.
    edge.stroke = p.halo;
    b.add(edge);
    edge.stroke = p.warning, edge.dash = {4, 3};
  } else {
    b.rect(box.grown(3), {}, p.halo);
    edge.stroke = p.ok;
  }
  b.add(edge);
}

bool is_at_place(const Pick& there, const Pick& place) {
  if (there.kind != place.kind || (place.matrix >= 0 && place.matrix != there.matrix)) return false;
  return std::all_of(std::begin(kPlaceMembers), std::end(kPlaceMembers), [&](int Pick::*member) {
    return place.*member < 0 || place.*member == there.*member;
  });
}

void sign_picked(SceneBuilder& b, const AnswerMarks& marks) {
  // Both are found before signs, which are boxes, too, are drawn.
  const std::vector<Box> answered = picked_boxes(b.scene(), marks.answered);
  const std::vector<Box> right = picked_boxes(b.scene(), marks.right);
  for (const Box& box : answered) answer_sign(b, box, AnswerSign::answered);
  for (const Box& box : right) answer_sign(b, box, AnswerSign::right);
}

std::vector<SignedBox> lane_signs(const AnswerMarks& marks, const CellGrid& grid, Operand operand,
                                  int threads) {
  std::vector<SignedBox> signs;
  each_answer(marks, Pick::Kind::lane, [&](const Pick& pick, AnswerSign sign) {
    if (pick.matrix != static_cast<int>(operand)) return;
    for (const Box& box : lane_boxes(grid, pick.lane, threads)) {
      if (std::min(box.w, box.h) >= kLeastCells) signs.push_back({box, sign});
    }
  });
  return signs;
}

}  // namespace tilescope::viz
