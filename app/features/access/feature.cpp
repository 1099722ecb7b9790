#include "app/state/feature.h"
#include <algorithm>
#include "app/features/access/access_asker.h"
#include "app/features/access/access_picture.h"
#include "app/state/view_session.h"

namespace tilescope {
namespace access_row {
namespace {

struct Options {
  static void each(auto& view, auto visit) {
    visit("access_mode", view.mode);
    visit("access_reads", view.reads);
    visit("access_writes", view.writes);
    visit("access_whole_grid", view.whole_grid);
  }
  static void settle(AccessView& view) {
    view.mode = std::clamp(view.mode, 0, static_cast<int>(std::size(kAccessModes)) - 1);
  }
};

constexpr Picture kPictures[] = {
    {.name = "access",
     .needs = {.ask =
                   [](AppState& state) {
                     AccessView& view = state.of<AccessView>();
                     view.wanted = true;
                     return view.of && view.of == access_question(state);
                   }},
     .build =
         [](const AppState& s, const viz::Palette& p, const viz::TextMeasure& m, viz::Size size) {
           return viz::build_access(AccessPicture().make(s, present_accesses(s), size), p, m, size);
         },
     .without_plan = true}};

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) { return list_of<AccessAsker>(link); }

}  // namespace
}  // namespace access_row

extern const Feature access_feature{
    .askers = access_row::askers,
    .session = session_of_options<AccessView, access_row::Options>(),
    .pictures = access_row::kPictures};

}  // namespace tilescope
