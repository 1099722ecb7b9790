#include "app/state/feature.h"
#include <algorithm>
#include "app/features/tiling/observed.h"
#include "app/features/tiling/tiling_picture.h"
#include "app/features/tiling/tiling_view.h"
#include "app/state/view_session.h"

namespace tilescope {
namespace tiling_row {
namespace {

struct Options {
  static void each(auto& view, auto visit) { visit("side_by_side", view.side_by_side); }
};

std::unique_ptr<PictureState> state_of_subject(const AppState& s) {
  if (s.edit.own()) return picture_state(observed_picture(s), &viz::build_observed);
  const int levels = viz::level_count(s.derived.plan);
  const int level = std::clamp(s.selection.level, 0, std::max(0, levels - 1));
  return picture_state(tiling_picture(s, static_cast<float>(level)), &viz::build_tiling);
}

viz::Scene build_of_subject(const AppState& s, const viz::Palette& p, const viz::TextMeasure& m,
                            viz::Size size) {
  return state_of_subject(s)->build(p, m, size);
}

/// Of a kernel of one's own what the emulator has seen.
bool ask_for_observed(AppState& s) {
  if (!s.edit.own()) return s.results.trace != nullptr;
  ObservedView& view = s.of<ObservedView>();
  view.wanted = true;
  return view.serial == s.edit_serial && (view.seen || !view.error.empty());
}

constexpr Picture kPictures[] = {{.name = "tiling",
                                  .needs = {.ask = ask_for_observed},
                                  .build = build_of_subject,
                                  .without_plan = true,
                                  .state = state_of_subject}};

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) {
  return list_of<ObservedAsker>(link);
}

}  // namespace
}  // namespace tiling_row

extern const Feature tiling_feature{
    .askers = tiling_row::askers,
    .session = session_of_options<TilingView, tiling_row::Options>(),
    .pictures = tiling_row::kPictures};

}  // namespace tilescope
