#include "viz/scene/answer_sign.h"

#include <algorithm>

#include "viz/scene/parts.h"

namespace tilescope::viz {
namespace {

constexpr float kLeastCells = 3;  // px: of less dashes are whole, and one sign covers the next

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
