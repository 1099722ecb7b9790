// The legend above a kernel's text that is compared with the rung below.
#pragma once
#include <vector>

#include "app/panel.h"
#include "app/state/rung_news.h"

namespace tilescope::widgets {

struct SourceNews {
  int show = 0;  // a line to go to
  bool close = false;
};
/// What the marks mean, which of the blocks is near `line`, and arrows to the others.
SourceNews source_news(AppContext& context, const KernelEntry& kernel,
                       const std::vector<LineBlock>& blocks, int line);

}  // namespace tilescope::widgets
