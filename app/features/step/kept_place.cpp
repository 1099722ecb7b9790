#include "app/features/step/kept_place.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/features/step/step_view.h"
#include "app/live/call_group.h"
#include "app/state/edit.h"
#include "app/state/json_take.h"
#include "app/state/present.h"
#include "app/state/present_launch.h"
#include "core/language/language.h"
#include "core/model/format.h"
#include "worker/messages/messages_json.h"
#include "worker/messages/messages_launch.h"

namespace tilescope {
namespace {

/// What the launch is of, without its code, which `revision` stands for.
std::string launch_text(const AppState& state) {
  if (!state.own_launch) {
    return nlohmann::json(request_of(state.edit, state.limits.sm_count)).dump();
  }
  worker::LaunchRequest launch = *state.own_launch;
  launch.ptx.clear();
  return nlohmann::json(launch).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string words_of(const KeptPlace& kept) {
  return wording("CTA {},{} warp {}, step {}", kept.cta.x, kept.cta.y, kept.warp,
                 model::grouped(kept.step));
}

}  // namespace

std::optional<KeptPlace> place_to_keep(const AppState& state) {
  const StepView& view = state.of<StepView>();
  const worker::StepAnswer* answer = step_answer(state);
  if (!answer) return view.restore;
  const emulator::StepPlace& place = answer->state.place;
  KeptPlace kept;
  kept.of = breakpoint_subject(state);
  kept.launch = launch_text(state);
  kept.revision = present_results(state).compile->revision;
  kept.cta = view.cta;
  kept.whole_grid = view.whole_grid;
  kept.warp = static_cast<int>(place.warp);
  kept.step = static_cast<int64_t>(place.step), kept.tick = static_cast<int64_t>(place.tick);
  kept.ended = place.ended, kept.asked = view.asked;
  return kept;
}

nlohmann::json kept_place_json(const KeptPlace& p) {
  return {{"of", p.of},
          {"launch", p.launch},
          {"revision", p.revision},
          {"cta", {p.cta.x, p.cta.y, p.cta.z}},
          {"whole_grid", p.whole_grid},
          {"warp", p.warp},
          {"step", p.step},
          {"tick", p.tick},
          {"ended", p.ended},
          {"asked", p.asked}};
}

std::optional<KeptPlace> kept_place_from(const nlohmann::json& file) {
  if (!file.is_object()) return std::nullopt;
  KeptPlace p;
  p.tick = -1;
  take(file, "of", p.of), take(file, "launch", p.launch), take(file, "revision", p.revision);
  take(file, "whole_grid", p.whole_grid), take(file, "warp", p.warp), take(file, "step", p.step);
  take(file, "tick", p.tick), take(file, "ended", p.ended);
  take(file, "asked", p.asked);
  const auto cta = file.find("cta");
  if (cta == file.end() || !cta->is_array() || cta->size() != 3) return std::nullopt;
  int* const axes[] = {&p.cta.x, &p.cta.y, &p.cta.z};
  for (size_t i = 0; i < 3; ++i) {
    const nlohmann::json one = {{"at", (*cta)[i]}};
    *axes[i] = -1;
    take(one, "at", *axes[i]);
    if (*axes[i] < 0) return std::nullopt;
  }
  if (p.of.empty() || p.tick < 0 || p.step < 0 || p.warp < 0 || p.warp > 31) return std::nullopt;
  return p;
}

void restore_place(AppState& state, StepView& view) {
  const std::optional<KeptPlace> kept = std::exchange(view.restore, std::nullopt);
  if (!kept || kept->of != breakpoint_subject(state) || kept->launch != launch_text(state)) return;
  if (kept->revision != present_results(state).compile->revision) {
    view.note = wording("The kernel has changed since its run stood at {}: it begins anew.",
                        words_of(*kept));
    return;
  }
  StepWish wish{.from = static_cast<uint64_t>(kept->tick), .goes_back = true};
  if (kept->ended) wish.from = ~uint64_t{0};
  wish.meant = {kept->warp, kept->step, kept->ended};
  view.wishes.insert(view.wishes.begin(), std::move(wish));
}

}  // namespace tilescope
