// What the panels of a comparison share: which of the two is which, and what stands where there is
// no B.
#pragma once
#include <memory>
#include <string>

#include "app/kit/scene_view.h"
#include "app/panel.h"
#include "app/state/feature.h"

namespace tilescope::widgets {

/// "A" in a frame, "B" in a dashed one.
void side_badge(const AppContext& context, bool first);

/// The badge, the tile, the kernel, and at the right the best figure of it.
void side_head(const AppContext& context, const AppState& side, bool first);

/// B's place in a list of all that can be B. Its width is what is left of the line.
void second_combo(AppContext& context);

/// True if there is a B. Else the panel is filled with what makes one; `what`: "Timeline A | B".
bool need_second(AppContext& context, const char* what);

/// A picture of one of the two, made anew only when what it shows has changed.
class SideCache {
 public:
  const viz::Scene& get(const AppContext& context, viz::Size size, const Picture& picture,
                        const AppState& side);

 private:
  std::unique_ptr<PictureState> of_;
  viz::Size size_;
  float scale_ = 0;
  const viz::Palette* palette_ = nullptr;
  uint64_t language_ = 0;
  viz::Scene scene_;
};

}  // namespace tilescope::widgets
