#include "app/state/feature.h"
#include <algorithm>
#include "app/features/tiling/tiling_picture.h"
#include "app/features/tiling/tiling_view.h"
#include "app/state/view_session.h"

namespace tilescope {
namespace tiling_row {
namespace {

struct Options {
  static void each(auto& view, auto visit) { visit("side_by_side", view.side_by_side); }
};

constexpr Picture kPictures[] = {
    {.name = "tiling",
     .build = [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m,
                 viz::Size size) {
       const int levels = viz::level_count(s.derived.plan);
       const int level = std::clamp(s.selection.level, 0, std::max(0, levels - 1));
       return viz::build_tiling(tiling_picture(s, static_cast<float>(level)), p, m, size);
     }}};

}  // namespace
}  // namespace tiling_row

extern const Feature tiling_feature{
    .session = session_of_options<TilingView, tiling_row::Options>(),
    .pictures = tiling_row::kPictures};

}  // namespace tilescope
