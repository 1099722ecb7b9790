// A wrong answer beside the right one, in widgets as in pictures (viz/scene/answer_sign.h): what
// was answered dashed, what is right whole.
#pragma once
#include <array>
#include <string>

#include "app/kit/legend.h"
#include "app/panel.h"
#include "viz/scene/answer_sign.h"

namespace tilescope::widgets {

/// Dashes of this length, with gaps as long.
void dashed_frame(ImVec2 low, ImVec2 high, ImU32 color, float dash, float width = 1);

Color answer_color(const AppContext& context, viz::AnswerSign sign);
void answer_frame(const AppContext& context, ImVec2 low, ImVec2 high, viz::AnswerSign sign);
/// Round the last item.
void answer_frame(const AppContext& context, viz::AnswerSign sign);

/// What the two signs mean.
std::array<LegendKey, 2> answer_keys(const AppContext& context);
/// The same in lines of their own.
void answer_legend(const AppContext& context);

struct AnswerBar {
  const char* label;
  std::string value;  // with its unit
  double length = 0;  // less than 0: there is no bar of it
};
/// Two bars below one another, each in its sign; the longer one takes the whole line.
void answer_bars(const AppContext& context, const AnswerBar& answered, const AnswerBar& right);

}  // namespace tilescope::widgets
