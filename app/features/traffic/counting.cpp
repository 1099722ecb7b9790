#include "app/features/traffic/counting.h"

#include <fmt/format.h>

#include "app/state/device.h"
#include "app/state/present.h"
#include "core/language/language.h"

namespace tilescope {

std::string why_no_counting(const AppState& state) {
  if (!is_card(state.device)) {
    for (const worker::DeviceInfo& card : state.devices) {
      if (is_card(card.id) && card.available) {
        return wording("Counters are a card's own: choose {} in the device chooser.",
                       device_title(state, card.id));
      }
    }
    return "Counters are a card's own, and there is no NVIDIA GPU here: copy the ncu command and "
           "run it on a machine with one.";
  }
  if (!state.derived.legal()) return "An illegal tile cannot be launched: take a legal one.";
  const Results& r = present_results(state);
  if (r.measured && r.measured->verified && !r.measured->verified->ok) {
    return "The card's result is wrong: counters of a wrong kernel say nothing.";
  }
  return {};
}

void ask_for_counters(AppState& state) {
  if (!why_no_counting(state).empty()) return;
  state.of<Counting>() = {};
  state.of<Counting>().wanted = true;
}

void stop_counting(AppState& state) {
  state.of<Counting>().wanted = false;
  if (state.of<Counting>().running) state.of<Counting>().stop = true;
}

std::string counting_text(const AppState& state) {
  const Counting& c = state.of<Counting>();
  if (c.running) return wording("{}, {:.0f} s", c.stage.c_str(), state.now - c.since);
  return c.wanted ? "waiting for the measurement" : "";
}

}  // namespace tilescope
