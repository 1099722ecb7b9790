#include "app/state/feature.h"
#include "app/features/step/step_asker.h"
#include "app/features/step/step_view.h"
#include "app/state/view_session.h"

namespace tilescope {
namespace step_row {
namespace {

struct Options {
  static void each(auto& view, auto visit) {
    visit("step_alone", view.alone);
    visit("step_live_only", view.live_only);
    visit("step_numbers", view.number_form);
    visit("step_memory", view.memory_form);
    visit("step_wide", view.wide);
    visit("step_until", view.until);
  }
  static void settle(StepView& view) {
    const auto known = [](int& form) {
      if (form < 0 || form >= static_cast<int>(std::size(kNumberForms))) form = 0;
    };
    known(view.number_form), known(view.memory_form);
  }
};
constexpr SessionPart kOptions = session_of_options<StepView, Options>();

void load_place(AppState& state, const nlohmann::json& file) {
  StepView& view = state.of<StepView>();
  view.restore = kept_place_from(file);
  if (!view.restore) return;
  view.cta = view.restore->cta, view.cta_chosen = true;
  view.whole_grid = view.restore->whole_grid;
  view.asked = view.asked || view.restore->asked;
  view.of.clear();  // another state's run
}

constexpr SessionPart kSession = {[](const AppState& state, nlohmann::json& session) {
                                    kOptions.save(state, session);
                                    const StepView& view = state.of<StepView>();
                                    if (!view.breakpoints.empty())
                                      session["breakpoints"] = breakpoints_json(view.breakpoints);
                                    if (const auto place = place_to_keep(state))
                                      session["stepped"] = kept_place_json(*place);
                                  },
                                  [](AppState& state, const nlohmann::json& session) {
                                    kOptions.load(state, session);
                                    const auto at = session.find("breakpoints");
                                    if (at != session.end())
                                      state.of<StepView>().breakpoints = breakpoints_from(*at);
                                    const auto place = session.find("stepped");
                                    if (place != session.end()) load_place(state, *place);
                                  }};

std::vector<std::unique_ptr<Asker>> askers(WorkerLink& link) { return list_of<StepAsker>(link); }

}  // namespace
}  // namespace step_row

extern const Feature step_feature{.askers = step_row::askers, .session = step_row::kSession};

}  // namespace tilescope
