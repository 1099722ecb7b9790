// The kernel ladder as a strip: a numbered box for every kernel, in groups of one element type.
#pragma once
#include <string>
#include <vector>

#include "app/kit/widgets.h"
#include "app/state/app_state.h"
#include "app/state/ladder.h"

namespace tilescope::widgets {

/// Where the boxes of a strip lie, from its upper left corner.
struct LadderStrip {
  struct Box {
    const KernelEntry* kernel = nullptr;
    float x = 0, y = 0;
  };
  struct Caption {
    std::string text;
    float x = 0, y = 0;
  };
  float box_width = 0, box_height = 0, height = 0;
  std::vector<Box> boxes;
  std::vector<Caption> captions;
};
/// Sizes of the texts that a strip is made of.
struct LadderText {
  float number = 0;   // width of the widest number
  float caption = 0;  // width of the widest group's name
  float line = 0;     // height of both
};
/// One row while the numbers fit into it, the groups' names below; else rows for each group, its
/// name at the left.
LadderStrip place_ladder(const std::vector<LadderGroup>& groups, float room, const LadderText& text,
                         float scale);

/// The strip, the chosen kernel's number and id, and its one idea. A click or an arrow key chooses.
void kernel_ladder(AppContext& context, AppState& state);

}  // namespace tilescope::widgets
