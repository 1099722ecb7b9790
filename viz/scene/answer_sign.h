// A wrong answer in a picture: what was answered in one sign, what is right in another, the same
// wherever they stand: never by hue alone.
#pragma once
#include <cstdint>
#include <vector>

#include "viz/scene/builder.h"

namespace tilescope::viz {

enum class AnswerSign : uint8_t {
  answered,  // dashed
  right,     // whole
};

/// The places as what the pointer would be on there.
struct AnswerMarks {
  std::vector<Pick> answered, right;
  bool operator==(const AnswerMarks&) const = default;
  /// Some of them are of this kind.
  bool any(Pick::Kind kind) const;
};

/// Of those of a kind, what is right last, so that it lies on top.
template <class Draw>
void each_answer(const AnswerMarks& marks, Pick::Kind kind, Draw draw) {
  for (const Pick& pick : marks.answered) {
    if (pick.kind == kind) draw(pick, AnswerSign::answered);
  }
  for (const Pick& pick : marks.right) {
    if (pick.kind == kind) draw(pick, AnswerSign::right);
  }
}

/// Round the box.
void answer_sign(SceneBuilder& b, Box box, AnswerSign sign);

/// Whether what the pointer is on at `there` is a place: of the same kind, and the same in all that
/// the place names.
bool is_at_place(const Pick& there, const Pick& place);
/// Round all boxes drawn so far that can be picked and are such places, what is right on top: for
/// pictures of many things, of which a place names some by what they have in common. Where signs
/// would lie on each other, one stands for both.
void sign_picked(SceneBuilder& b, const AnswerMarks& marks);

struct SignedBox {
  Box box;
  AnswerSign sign;
};
/// Of marks that are lanes, the runs of their cells in the grid of an operand, where they are large
/// enough for signs. `threads`: that lanes count up to.
std::vector<SignedBox> lane_signs(const AnswerMarks& marks, const CellGrid& grid, Operand operand,
                                  int threads = 32);

}  // namespace tilescope::viz
